"""`agentlog verify` in processes: the same answer, and no process or doubt left behind."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.audit.threads.processes import _BATCH
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.schema_audit import not_covered
from tests.command_line import AGENTLOG, agentlog, environment
from tests.databases import name_of, new_database
from tests.infrastructure.appends import fetch
from tests.infrastructure.audit.conftest import Owner
from tests.waiting import WAIT_SECONDS

_THREADS, _MESSAGES = 40, 150
_EVENTS = _THREADS * (_MESSAGES + 1)
"""Enough for processes to be started, and more threads than each takes at a time."""


@pytest.fixture(scope="module")
def url(
    server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A database with threads, each of whose first messages is kept apart."""
    folder = tmp_path_factory.mktemp("histories")
    for number in range(_THREADS):
        prompt = {"role": "system", "content": f"You are number {number}. " * 200}
        messages = [{"role": "user", "content": str(n)} for n in range(_MESSAGES - 1)]
        (folder / f"{number:02}.json").write_bytes(print_bytes({"messages": [prompt, *messages]}))
    with new_database(server_url, template=template_database) as made:
        assert agentlog("import", folder, url=made).code == 0
        yield made


def test_any_number_of_processes_says_the_same_in_the_same_order(url: str) -> None:
    one, two = (agentlog("verify", "--processes", count, url=url) for count in "12")
    assert one.code == 0
    assert one.out == f"{not_covered()}\nwhole: {_THREADS} threads, {_EVENTS} events\n"
    assert (two.code, two.out) == (one.code, one.out)


def test_findings_are_the_same_in_the_same_order(server_url: str, url: str) -> None:
    with new_database(server_url, template=name_of(url)) as changed:
        with Database(changed, pool_size=1) as database:
            Owner(database).do(
                "UPDATE agentlog.events SET body = 'other' WHERE mod(version, 70) = 9"
            )
        one, two = (agentlog("verify", "--processes", count, url=changed) for count in "12")
    assert one.out.count("body-altered") == 3 * _THREADS
    assert (two.code, two.out) == (one.code, one.out)


@contextmanager
def _auditing(url: str) -> Iterator[tuple["subprocess.Popen[str]", list[int]]]:
    """Yield a verification, and its two processes, which wait for a table."""
    patient = make_conninfo(url, options="-c lock_timeout=600s")
    with (
        psycopg.connect(url) as holder,
        psycopg.connect(url, autocommit=True) as looking,
    ):
        holder.execute("LOCK TABLE agentlog.blobs IN ACCESS EXCLUSIVE MODE")
        with subprocess.Popen(
            [AGENTLOG, "verify", "--processes", "2"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment(patient), "PYTHONUNBUFFERED": "1"},
            start_new_session=True,  # a terminal sends Ctrl-C to all processes of a group
        ) as process:
            try:
                _until(lambda: _waiting(looking) == 2)
                yield process, _workers(process.pid)
            finally:
                process.kill()


def _waiting(connection: psycopg.Connection) -> int:
    rows = connection.execute(
        "SELECT FROM pg_locks WHERE NOT granted AND relation = 'agentlog.blobs'::regclass"
    )
    return len(rows.fetchall())


def _workers(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for file in listed for child in file.read_text().split()]
    return [child for child in children if b"spawn_main" in _command(child)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_killed_process_is_a_failure_and_never_called_whole(url: str) -> None:
    with _auditing(url) as (process, workers):
        os.kill(workers[0], signal.SIGKILL)
        out, err = process.communicate(timeout=WAIT_SECONDS)
    assert (process.returncode, out) == (2, "")
    assert "a process of the audit ended by itself" in err
    assert "of the threads after the first 0" in err
    _until(lambda: not any(map(_command, workers)))


def test_what_was_found_before_a_process_was_killed_stands(
    server_url: str, url: str, tmp_path: Path
) -> None:
    for number in range(_BATCH):  # before all others, and with no content that is kept apart
        messages = [{"role": "user", "content": "hello"}]
        (tmp_path / f"0-{number:02}.json").write_bytes(print_bytes({"messages": messages}))
    with (
        new_database(server_url, template=name_of(url)) as changed,
        Database(changed, pool_size=1) as database,
    ):
        assert agentlog("import", tmp_path, url=changed).code == 0
        named = ("create", "s", "--filter", "type:audit_broken")
        assert agentlog("subscriptions", *named, url=changed).code == 0
        Owner(database).do(
            "UPDATE agentlog.events SET body = 'other' WHERE thread_id = '0-00' AND version = 2"
        )
        with _auditing(changed) as (process, workers):
            assert process.stdout is not None
            assert "body-altered" in process.stdout.readline()
            os.kill(workers[0], signal.SIGKILL)
            out, err = process.communicate(timeout=WAIT_SECONDS)
        assert (process.returncode, out) == (1, "")
        assert f"of the threads after the first {_BATCH}" in err
        assert len(fetch(database, "SELECT FROM agentlog.deliveries")) == 1


def test_ctrl_c_ends_all_processes(url: str) -> None:
    with _auditing(url) as (process, workers):
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=WAIT_SECONDS)  # all that hold the pipes end
    assert (process.returncode, out) == (130, "")
    assert err.endswith("interrupted\n")
    assert "Traceback" not in err
    _until(lambda: not any(map(_command, workers)))


def test_processes_end_with_a_killed_verification(url: str) -> None:
    with _auditing(url) as (process, workers):
        process.kill()
        process.wait(timeout=WAIT_SECONDS)
        _until(lambda: not any(map(_command, workers)))


def test_an_error_of_a_process_is_said_as_it_is(url: str) -> None:
    with _auditing(url) as (process, _), psycopg.connect(url, autocommit=True) as ends:
        ends.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks "
            "WHERE NOT granted AND relation = 'agentlog.blobs'::regclass"
        )
        out, err = process.communicate(timeout=WAIT_SECONDS)
    assert (process.returncode, out) == (2, "")
    assert err.count("the database is not available") == 1
    assert "Traceback" not in err
