"""Group commit: appends that gather are written together, and none takes another with it."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from agentlog.domain.errors import InvalidMessage
from agentlog.infrastructure.appending.append_request import (
    Appended,
    Deliver,
    Outcomes,
    WriterOverloaded,
)
from agentlog.infrastructure.appending.append_statements import append
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appending.holding import held, until_waited_for
from tests.infrastructure.appends import (
    Clock,
    Ids,
    calls,
    check_log,
    given,
    last_position,
    reply,
    request,
)
from tests.waiting import WAIT_SECONDS


@pytest.fixture
def database(own_database: Database) -> Database:
    """Its schema changes here, and its connections are ended."""
    return own_database


def _into(future: Future[Outcomes]) -> Deliver:
    return future.set_result


def _submit(writer: Writer, *texts: str) -> Future[Outcomes]:
    future: Future[Outcomes] = Future()
    writer.submit([request("t", reply(text)) for text in texts], _into(future))
    return future


def test_what_gathers_while_the_log_is_held_is_written_in_few_transactions(
    database: Database, writer: Writer, reader: LogReader
) -> None:
    with ThreadPoolExecutor(20) as pool:
        with held(database):
            waiting = [
                pool.submit(writer.append, request(f"t{number % 3}", reply("one")))
                for number in range(20)
            ]
            until_waited_for(database)
            time.sleep(0.1)
        answers = [future.result(timeout=WAIT_SECONDS) for future in waiting]
    assert sorted(answer.position for answer in answers) == list(range(1, 21))
    assert len({event.recorded_at for event in reader.log()}) <= 3
    check_log(database)


def test_what_is_submitted_is_delivered_in_another_thread(writer: Writer) -> None:
    threads: list[int] = []
    done = threading.Event()

    def deliver(outcomes: Outcomes) -> None:
        assert isinstance(outcomes, list)
        threads.append(threading.get_ident())
        done.set()

    writer.submit([request("t", reply("one"))], deliver)
    assert done.wait(timeout=WAIT_SECONDS)
    assert threads != [threading.get_ident()]


def test_what_is_submitted_is_answered_in_the_order_of_its_requests(writer: Writer) -> None:
    futures = [_submit(writer, f"{number}a", f"{number}b") for number in range(30)]
    versions = []
    for future in futures:
        outcomes = future.result(timeout=WAIT_SECONDS)
        assert not isinstance(outcomes, BaseException)
        versions += [outcome.version for outcome in outcomes if isinstance(outcome, Appended)]
    assert versions == list(range(1, 61))


def test_a_delivery_that_fails_stops_nobody_elses(writer: Writer, database: Database) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Event loop is closed")

    writer.submit([request("t", reply("one"))], fail)
    assert not isinstance(_submit(writer, "two").result(timeout=WAIT_SECONDS), BaseException)
    writer.submit([request("t", reply("three"))], fail)
    assert writer.append(request("t", reply("four"))).version == 4
    assert last_position(database) == 4


def test_more_than_the_writer_takes_is_refused_and_not_written(database: Database) -> None:
    writer = Writer(database, clock=Clock(), new_id=Ids(), capacity=2)
    with held(database):
        taken = [_submit(writer, "taken")]
        until_waited_for(database)
        taken += [_submit(writer, "waits"), _submit(writer, "waits too")]
        with pytest.raises(WriterOverloaded, match="2 appends are waiting already"):
            _submit(writer, "one too many")
        with pytest.raises(WriterOverloaded):
            writer.append(request("t", reply("another")))
    for future in taken:
        assert not isinstance(future.result(timeout=WAIT_SECONDS), BaseException)
    assert last_position(database) == 3
    assert _submit(writer, "later").result(timeout=WAIT_SECONDS)


def test_one_that_cannot_be_written_takes_no_other_of_its_batch_with_it(
    database: Database, writer: Writer
) -> None:
    with database.connection() as connection:
        connection.execute(
            "ALTER TABLE agentlog.ledger ADD CONSTRAINT no_calls CHECK (kind <> 'call')"
        )
    with ThreadPoolExecutor(9) as pool:
        with held(database):
            waiting = [pool.submit(writer.append, request("t", reply("first")))]
            until_waited_for(database)
            waiting += [
                pool.submit(writer.append, request("t", calls("c") if number == 3 else reply("x")))
                for number in range(8)
            ]
            time.sleep(0.2)
        errors = [future.exception(timeout=WAIT_SECONDS) for future in waiting]
    assert [type(error) for error in errors if error is not None] == [psycopg.errors.CheckViolation]
    assert last_position(database) == 8
    check_log(database)


@pytest.mark.parametrize("written", [False, True])
def test_an_append_whose_connection_is_ended_is_tried_again_and_written_once(
    begun: Writer, database: Database, monkeypatch: pytest.MonkeyPatch, *, written: bool
) -> None:
    broken: list[Database] = []

    def break_off(*given: Any) -> Any:
        result = append(*given) if written or broken else None  # committed, and the answer is lost
        if broken:
            return result
        broken.append(database)
        raise psycopg.OperationalError(f"broke off after {result}")

    with monkeypatch.context() as patch:
        patch.setattr("agentlog.infrastructure.appending.committer.append", break_off)
        appended = begun.append(request("t", reply("one"), reply("two")))
    assert broken
    assert [message.version for message in appended.messages] == [4, 5]
    assert last_position(database) == 5
    assert begun.append(request("t", reply("after"))).version == 6
    check_log(database)


def test_an_append_whose_server_process_is_ended_is_written_once(
    database: Database, writer: Writer
) -> None:
    writer.append(request("t", reply("before")))
    with ThreadPoolExecutor(1) as pool:
        with held(database):
            waiting = pool.submit(writer.append, request("t", reply("one", id=given(1))))
            until_waited_for(database)
            with database.connection() as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted"
                )
        assert waiting.result(timeout=WAIT_SECONDS).version == 2
    assert last_position(database) == 2
    check_log(database)


def test_what_is_refused_before_it_is_written_needs_no_database(
    begun: Writer, database: Database
) -> None:
    with held(database), pytest.raises(InvalidMessage):
        begun.append(request("t", {"type": "nope"}))


def test_ctrl_c_in_a_commit_leaves_the_writer_free_and_nobody_waiting(
    begun: Writer, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("agentlog.infrastructure.appending.committer.append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            begun.append(request("t", reply("one"), reply("two")))
    assert begun.append(request("t", reply("after"))).version == 4
    check_log(database)


def test_a_young_log_that_nobody_has_analysed_is_not_read_over_and_over(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        for table in ("events", "threads", "ledger"):
            connection.execute(
                f"ALTER TABLE agentlog.{table} SET (autovacuum_enabled = off)".encode()
            )
        with Database(database_url, pool_size=1) as database:
            writer = Writer(database, clock=Clock(), new_id=Ids())
            for batch in range(40):
                drafts = [reply("x", id=given(batch * 50 + number)) for number in range(50)]
                writer.append(request("t", *drafts))
        deadline = time.monotonic() + WAIT_SECONDS
        while True:  # the server counts when a session ends
            read, written = connection.execute(
                "SELECT sum(idx_tup_read), min(n_tup_ins) FROM pg_stat_user_indexes "
                "JOIN pg_stat_user_tables USING (relid) "
                "WHERE pg_stat_user_tables.relname = 'events'"
            ).fetchone() or (0, 0)
            if written == 2000 or time.monotonic() > deadline:
                break
            time.sleep(0.02)
    assert written == 2000
    assert read < 50_000
