"""Erasures are finished whoever dies, and nothing of what went comes back."""

import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agentlog.domain.events import Event
from agentlog.infrastructure.erasure import eraser as eraser_module
from agentlog.infrastructure.erasure.erased_events import Erasure, erase_events
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.erasure.watch import ErasureWatch
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import ERASED, Listener
from agentlog.infrastructure.readmodels import renewal
from agentlog.infrastructure.subscriptions.hub import Hub
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import State
from agentlog.infrastructure.views.snapshots.snapshot_writer import Passed
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import choose_view
from tests.infrastructure.appends import (
    TENANT,
    check_log,
    fetch,
    given,
    items_of,
    reply,
)
from tests.infrastructure.erasure.conftest import redactor_on, threads_on
from tests.infrastructure.precomputed import precompute
from tests.waiting import WAIT_SECONDS

STATE = choose_view("agent-state", {})
KERNEL = choose_view("openai", {})


Elsewhere = tuple[Views, Hub, threading.Event]
"""Another process's store and hub, and what is set when they have discarded."""


class PowerCut(Exception):
    """The process is gone."""


def test_a_process_that_died_in_between_leaves_it_to_the_next(
    threads: Threads, redactor: Redactor, eraser: Eraser, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads.append("t", [reply("secret", id=given(1)), reply("two", id=given(2))])

    def die(*_: object) -> None:
        raise PowerCut

    with monkeypatch.context() as patched:
        patched.setattr(Eraser, "_erase", die)
        with pytest.raises(PowerCut):
            redactor.redact("t", [given(1)], "why")
    assert threads.message("t", given(1)).raw["text"] == "secret"
    assert eraser.finish_all("another tenant") == 0
    assert eraser.finish_all() == 1
    assert threads.message("t", given(1)).redacted == 3
    assert eraser.finish_all() == 0
    # whoever asked asks again, and is answered as if nothing had been
    assert redactor.redact("t", [given(1)], "why").replayed


def test_one_that_breaks_off_has_done_nothing(
    threads: Threads, redactor: Redactor, eraser: Eraser, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads.append("t", [reply("secret", id=given(1)), {"type": "system", "text": "long " * 200}])

    def die(*_: object) -> None:
        raise PowerCut

    with monkeypatch.context() as patched:
        patched.setattr(renewal, "renew_rows", die)
        with pytest.raises(PowerCut):
            redactor.redact("t", None, "why")
    assert threads.message("t", given(1)).raw["text"] == "secret"
    assert eraser.finish_all() == 1
    assert [event.redacted for event in threads.messages("t")] == [3, 3, None]


def test_two_redactions_of_one_message_are_done_in_their_order(
    threads: Threads, eraser: Eraser
) -> None:
    threads.append("t", [reply("secret", id=given(1))])
    for number in range(3):
        fact = {"type": "thread.redacted", "messages": [given(1)], "reason": f"{number}"}
        threads.writer.append(threads.request("t", facts=[fact]))
    assert eraser.finish(TENANT, "t") == 3
    assert threads.message("t", given(1)).redacted == 2


def test_one_that_cannot_be_done_holds_up_no_other(
    threads: Threads, redactor: Redactor, eraser: Eraser, monkeypatch: pytest.MonkeyPatch
) -> None:
    for thread_id in ("t", "u"):
        threads.append(thread_id, [reply("secret")])

    def fail(connection: Any, erasure: Erasure) -> None:
        if erasure.thread_id == "t":
            raise ArithmeticError("not today")
        erase_events(connection, erasure)

    with monkeypatch.context() as patched:
        patched.setattr(eraser_module, "erase_events", fail)
        for _ in range(2):
            with pytest.raises(ArithmeticError):
                redactor.redact("t", None, "why")
        assert redactor.redact("u", None, "why").events == 1
    assert eraser.finish_all() == 1
    assert threads.messages("t")[0].redacted == 2


def test_a_snapshot_of_what_was_read_before_is_not_kept(
    threads: Threads,
    views: Views,
    redactor: Redactor,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads.append("t", [reply(f"secret {number}") for number in range(23)])

    reading = LogReader.each_event

    def late(reader: LogReader, thread_id: str, **bounds: Any) -> Iterator[Event]:
        events = list(reading(reader, thread_id, **bounds))
        monkeypatch.undo()
        redactor.redact("t", None, "why")
        return iter(events)

    monkeypatch.setattr(LogReader, "each_event", late)
    precompute(views, "t", STATE)
    assert fetch(database, "SELECT count(*) FROM agentlog.snapshots") == [(0,)]
    precompute(views, "t", STATE)
    again = views.view("t", STATE)
    assert isinstance(again, State)
    assert "secret" not in str(again.state)
    assert fetch(database, "SELECT count(*) > 0 FROM agentlog.snapshots") == [(True,)]


def test_a_snapshot_that_a_fold_began_at_is_not_carried_on(
    threads: Threads, views: Views, redactor: Redactor, database: Database
) -> None:
    threads.append("t", [reply(f"secret {number}") for number in range(12)])
    precompute(views, "t", STATE)
    start = views.snapshots.nearest("t", STATE, 10)
    assert (start.version, start.carry.kernel.step_count) == (10, 10)
    writer = views.snapshots.writer("t", STATE, start)
    threads.append("t", [reply("more") for _ in range(12)])
    redactor.redact("t", None, "why")
    writer.write([Passed(15, start.carry, 1_000)])
    assert fetch(database, "SELECT count(*) FROM agentlog.snapshots") == [(0,)]


def test_what_is_read_while_it_is_erased_is_not_remembered(
    threads: Threads, views: Views, redactor: Redactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads.append("t", [reply("secret")])
    reading = LogReader.each_event

    def slow(reader: LogReader, thread_id: str, **bounds: Any) -> Iterator[Event]:
        events = list(reading(reader, thread_id, **bounds))
        monkeypatch.undo()
        redactor.redact("t", None, "why")
        return iter(events)

    monkeypatch.setattr(LogReader, "each_event", slow)
    views.view("t", KERNEL)
    assert "secret" not in str(items_of(views.view("t", KERNEL)))


@pytest.fixture
def elsewhere(own_database: Database) -> Iterator[Elsewhere]:
    """What another process has: its own memory, and a watch on erasures."""
    reader = LogReader(own_database, tenant=TENANT)
    snapshots = Snapshots(own_database, tenant=TENANT, key=b"key")
    views = Views(reader, tenant=TENANT, snapshots=snapshots)
    with Listener(own_database, poll_seconds=0.2) as listener:
        hub = Hub(reader, listener)
        discarded = threading.Event()

        def discard(tenant: str, thread_id: str) -> None:
            assert tenant == TENANT
            views.recent.discard((TENANT, thread_id))
            hub.discard()
            discarded.set()

        with (
            hub,
            ErasureWatch(
                own_database,
                listener,
                Eraser(own_database, threads_on(own_database).writer),
                discard,
            ),
        ):
            yield views, hub, discarded


def test_a_service_that_starts_does_what_was_left(own_database: Database) -> None:
    threads = threads_on(own_database)
    threads.append("t", [reply("secret", id=given(1))])
    fact = {"type": "thread.redacted", "all": True, "reason": "why"}
    threads.writer.append(threads.request("t", facts=[fact]))
    done = threading.Event()
    with (
        Listener(own_database, poll_seconds=0.2) as listener,
        ErasureWatch(
            own_database, listener, Eraser(own_database, threads.writer), lambda *_: done.set()
        ),
    ):
        assert done.wait(WAIT_SECONDS)
    assert threads.message("t", given(1)).raw["text"] == "[redacted]"


def test_a_service_that_only_reads_leaves_it_until_it_is_the_writer(
    own_database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    threads = threads_on(own_database)
    threads.append("t", [reply("secret", id=given(1))])
    fact = {"type": "thread.redacted", "all": True, "reason": "why"}
    threads.writer.append(threads.request("t", facts=[fact]))
    done = threading.Event()
    with own_database.connect() as reading, own_database.connect() as writing:
        reading.execute("SET default_transaction_read_only = on")
        own_database.write_access.look(reading)
        with (
            Listener(own_database, poll_seconds=0.01) as listener,
            ErasureWatch(
                own_database, listener, Eraser(own_database, threads.writer), lambda *_: done.set()
            ),
        ):
            looked = threading.Semaphore(0)
            listener.on(ERASED, looked.release)
            for _ in range(3):
                assert looked.acquire(timeout=WAIT_SECONDS)
            assert "secret" in str(threads.message("t", given(1)).raw)
            own_database.write_access.look(writing)
            assert done.wait(WAIT_SECONDS)
    assert "secret" not in str(threads.message("t", given(1)).raw)
    assert not caplog.text


def test_other_processes_discard_their_copies(elsewhere: Elsewhere, own_database: Database) -> None:
    there, hub, discarded = elsewhere
    here = threads_on(own_database)
    hub.start()
    told = threading.Event()
    hub.attach(lambda _: told.set())
    here.append("t", [reply("secret")])
    assert told.wait(WAIT_SECONDS)
    assert "secret" in str(items_of(there.view("t", KERNEL)))
    assert hub.log_after(0, limit=9) is not None
    redactor_on(own_database, here).redact("t", None, "why")
    assert discarded.wait(WAIT_SECONDS)
    assert "secret" not in str(items_of(there.view("t", KERNEL)))
    entries = hub.log_after(0, limit=9)
    assert entries is None or all(b"secret" not in entry.event.body for entry in entries)


def test_an_append_of_the_same_file_meanwhile_keeps_its_blob(own_database: Database) -> None:
    threads = threads_on(own_database)
    redactor = redactor_on(own_database, threads)
    data = b64encode(b"a file " * 300).decode()
    threads.append("t", [{"type": "input", "files": [{"data": data}]}])
    with own_database.connection() as connection:
        (source,) = connection.execute(
            "SELECT pg_get_functiondef('agentlog.unreferenced'::regproc)"
        ).fetchone() or ("",)
        # it takes a while to look at all events; what came since is looked at under the lock
        slow = source.replace(
            "SELECT array_agg", "SELECT pg_sleep(1 - sign(beyond)); SELECT array_agg"
        )
        assert slow != source
        connection.execute(slow.encode())
    with ThreadPoolExecutor() as beside:
        redacting = beside.submit(redactor.redact, "t", None, "why")
        _await_sleep(own_database)
        threads.append("u", [{"type": "input", "files": [{"data": data}]}])
        redacting.result()
    assert threads.messages("u")[0].raw["files"][0]["data"] == data
    assert fetch(own_database, "SELECT count(*) FROM agentlog.blobs") == [(1,)]


def _await_sleep(database: Database) -> None:
    sleeping = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    while not fetch(database, sleeping):
        time.sleep(0.01)


def test_appends_and_readers_go_on_beside_erasures(own_database: Database) -> None:
    threads, other = threads_on(own_database), threads_on(own_database)
    long = "long " * 200
    threads.append("t", [{"type": "system", "text": long}, reply("begin")])
    stop = threading.Event()

    def append() -> None:
        for number in range(60):
            first = 1000 + 2 * number
            other.append(
                "t",
                [
                    {"type": "system", "text": long, "id": given(first)},
                    reply(f"{number}", id=given(first + 1)),
                ],
            )

    def read() -> set[str]:
        seen = set[str]()
        while not stop.is_set():
            messages = threads.messages("t", types=["system"])
            seen |= {str(event.raw["text"]) for event in messages if event.redacted is None}
        return seen

    redactor = redactor_on(own_database, threads)
    with ThreadPoolExecutor() as beside:
        appended, seen = beside.submit(append), beside.submit(read)
        while not appended.done():
            redactor.redact("t", None, "why")
        stop.set()
        appended.result()
        # who reads an event just before it is erased may find its blob gone
        assert seen.result() <= {long, ""}
    redactor.redact("t", None, "why")
    events = threads.messages("t")
    assert {event.type for event in events if event.redacted is None} == {"thread.redacted"}
    assert fetch(own_database, "SELECT count(*) FROM agentlog.blobs") == [(0,)]
    check_log(own_database)
