"""Many at once: processes that race, readers that tail, one that is killed; nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from agentlog.domain.errors import AgentlogError, VersionConflict
from agentlog.domain.events import Event
from agentlog.infrastructure.appending.append_request import Appended, AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import (
    TENANT,
    Clock,
    Ids,
    check_log,
    given,
    last_position,
    position_of,
    reply,
    request,
)
from tests.waiting import WAIT_SECONDS

ROOT = Path(__file__).parents[3]
APPENDS = 60


@pytest.fixture
def database(own_database: Database) -> Database:
    """Other processes use it too."""
    return own_database


def _appender(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.infrastructure.appending.appender", *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def _tail(url: str, done: threading.Event) -> list[Event]:
    """Read on from the last position seen, until nothing comes although all have finished."""
    seen: list[Event] = []
    with Database(url, pool_size=1) as database:
        reader = LogReader(database, tenant=TENANT)
        while True:
            finished = done.is_set()
            audits = reader.log(after=position_of(seen[-1]) if seen else 0, limit=7)
            seen += audits
            if finished and not audits:
                return seen


def _append_at_once(url: str, count: int) -> list[dict[str, list[str]]]:
    """Let processes append, all beginning in the same moment; return their reports."""
    with ExitStack() as stack:
        processes = [
            stack.enter_context(_appender(url, f"process-{number}", "3", str(APPENDS)))
            for number in range(count)
        ]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        return [json.loads(process.communicate(timeout=60)[0]) for process in processes]


@pytest.mark.parametrize("count", [3, pytest.param(6, marks=pytest.mark.slow)])
def test_a_tail_misses_nothing_while_processes_append_to_the_same_threads(
    database: Database, database_url: str, count: int
) -> None:
    done = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        tail = pool.submit(_tail, database_url, done)
        try:
            reports = _append_at_once(database_url, count)
        finally:
            done.set()
        seen = tail.result(timeout=60)
    kept = {message_id for report in reports for message_id in report["kept"]}
    assert [event.position for event in seen] == list(range(1, last_position(database) + 1))
    assert Counter(event.message_id for event in seen) == Counter(kept)
    versions: dict[str, list[int]] = {}
    for event in seen:
        versions.setdefault(event.thread_id, []).append(event.version)
    assert set(versions) == {"shared-0", "shared-1", "shared-2"}
    assert all(version == list(range(1, len(version) + 1)) for version in versions.values())
    refused = Counter(name for report in reports for name in report["refused"])
    assert refused["RuleBroken"] == count * APPENDS
    assert refused["VersionConflict"] > 0  # or the processes did not meet
    assert refused.total() == count * APPENDS + refused["VersionConflict"]
    check_log(database)


def _at_once(
    writers: Sequence[Writer], requests: Sequence[AppendRequest]
) -> list[Appended | AgentlogError]:
    """Let each writer append its request, all in the same moment."""
    together = threading.Barrier(len(writers))

    def append(writer: Writer, mine: AppendRequest) -> Appended | AgentlogError:
        together.wait(timeout=WAIT_SECONDS)
        return writer.append_many([mine])[0]

    with ThreadPoolExecutor(len(writers)) as pool:
        return list(pool.map(append, writers, requests))


def test_of_two_connections_that_race_for_one_version_exactly_one_wins(
    database: Database, database_url: str
) -> None:
    with Database(database_url, pool_size=1) as other:
        writers = [Writer(pool, clock=Clock(), new_id=Ids()) for pool in (database, other)]
        for version in range(50):
            drafts = [reply("mine", id=given(2 * version + number)) for number in (0, 1)]
            outcomes = _at_once(
                writers, [request("t", draft, expected_version=version) for draft in drafts]
            )
            won = [outcome for outcome in outcomes if isinstance(outcome, Appended)]
            lost = [outcome for outcome in outcomes if isinstance(outcome, VersionConflict)]
            assert [receipt.version for receipt in won] == [version + 1]
            assert [(conflict.expected, conflict.actual) for conflict in lost] == [
                (version, version + 1)
            ]
    check_log(database)


def test_of_four_that_send_one_message_at_once_one_writes_it_and_all_are_answered(
    database: Database, writer: Writer
) -> None:
    for number in range(20):
        same = request("t", reply("same", id=given(number)))
        outcomes = _at_once([writer] * 4, [same] * 4)
        receipts = [outcome.messages[0] for outcome in outcomes if isinstance(outcome, Appended)]
        assert Counter(receipt.replayed for receipt in receipts) == {False: 1, True: 3}
        assert {receipt.version for receipt in receipts} == {number + 1}
    assert last_position(database) == 20


def test_killing_a_process_that_appends_loses_nothing_acknowledged_and_frees_the_log(
    database: Database, database_url: str, writer: Writer, reader: LogReader
) -> None:
    acknowledged: list[str] = []
    for round_ in range(3):
        with _appender(database_url, f"victim-{round_}", "forever") as process:
            assert process.stdout is not None
            acknowledged += [process.stdout.readline().strip() for _ in range(40 + round_)]
            process.send_signal(signal.SIGKILL)
            rest = process.stdout.read().splitlines(keepends=True)
            acknowledged += [line.strip() for line in rest if line.endswith("\n")]
        assert writer.append(request("after", reply("next"))).version == round_ + 1
    stored = {event.message_id for event in reader.log()}
    assert len(set(acknowledged)) == len(acknowledged) >= 123
    assert set(acknowledged) <= stored
    check_log(database)
