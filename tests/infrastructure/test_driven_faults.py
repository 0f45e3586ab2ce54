"""What goes wrong in the steps of a writer that is driven loses nothing, and is written once."""

from concurrent.futures import Future

import psycopg
import pytest
from psycopg.abc import PQGen
from psycopg.generators import execute
from psycopg.pq.abc import PGconn, PGresult
from psycopg.waiting import Wait

from infrastructure.database import Database, Timeouts
from infrastructure.requests import Outcomes
from infrastructure.unavailable import StatementTooLong
from infrastructure.writer import Writer
from tests.infrastructure.appends import (
    Clock,
    Ids,
    calls,
    check_log,
    fetch,
    given,
    last_position,
    reply,
    request,
)
from tests.infrastructure.driving import WAIT_SECONDS, drive, hand_in
from tests.infrastructure.holding import held, until_waited_for
from tests.waiting import until


@pytest.fixture
def database(own_database: Database) -> Database:
    """Its connections are ended, and its log held."""
    return own_database


@pytest.mark.parametrize("written", [False, True])
def test_what_broke_off_is_written_once(
    begun: Writer, database: Database, *, written: bool
) -> None:
    told = hand_in(begun, request("t", reply("one")), request("t", reply("two")))
    with held(database):
        fileno = begun.set_out()
        until_waited_for(database)
        if not written:
            _end_connections(database)
    if written:  # nobody has read the answer when the connection goes
        until(lambda: last_position(database) == 5)
        _end_connections(database)
    drive(begun, fileno)
    assert told.versions == [4, 5]
    assert [row[0] for row in fetch(database, "SELECT version FROM agentlog.events")] == [
        *range(1, 6)
    ]
    assert begun.append(request("t", reply("after"))).version == 6
    check_log(database)


def _end_connections(database: Database) -> None:
    fetch(
        database,
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE query LIKE %s AND pid <> pg_backend_pid()",
        "%assumed_ids%",
    )


def test_one_that_cannot_be_written_takes_no_other_along(begun: Writer, database: Database) -> None:
    with database.connection() as connection:
        connection.execute(
            "ALTER TABLE agentlog.ledger ADD CONSTRAINT no_calls CHECK (kind <> 'call')"
        )
    failing: Future[Outcomes] = Future()
    told = hand_in(begun, request("u", reply("one")))
    begun.hand_in([request("t", calls("c"))], failing.set_result)
    also = hand_in(begun, request("t", reply("two")))
    drive(begun, begun.set_out())
    assert (told.versions, also.versions) == ([1], [4])
    assert isinstance(failing.result(WAIT_SECONDS), psycopg.errors.CheckViolation)
    check_log(database)


def test_a_statement_that_takes_longer_than_it_may_is_not_tried_again(
    database: Database, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    timeouts = Timeouts(statement_seconds=0.3, lock_seconds=60)
    with Database(database_url, pool_size=1, timeouts=timeouts) as hurried:
        writer = Writer(hurried, clock=Clock(), new_id=Ids())
        writer.append_many([request("t", reply("before", id=given(each))) for each in (7, 8)])
        writer.append_many([request("t", reply("before", id=given(each))) for each in (9, 10)])
        told: Future[Outcomes] = Future()
        writer.hand_in(
            [request("t", reply("one")), request("t", reply("two"))],
            told.set_result,
        )
        with held(database):
            drive(writer, writer.set_out())
            assert isinstance(told.result(WAIT_SECONDS), StatementTooLong)
    assert "trying again" not in caplog.text
    assert last_position(database) == 4


def test_ctrl_c_in_a_step_leaves_nothing_undone(
    begun: Writer, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    told = hand_in(begun, request("t", reply("one")), request("t", reply("two")))
    with monkeypatch.context() as patch:
        patch.setattr("infrastructure.committer.append_onward", interrupted)
        with pytest.raises(KeyboardInterrupt):
            begun.set_out()
    assert (told.versions, told.by) == ([4, 5], "writer")
    assert begun.append(request("t", reply("after"))).version == 6
    check_log(database)


def test_more_than_the_socket_takes_is_finished_by_the_writers_thread(
    begun: Writer, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hesitant(connection: PGconn) -> PQGen[list[PGresult]]:
        ready = yield Wait.RW  # as where the rest is to be sent later
        assert ready
        results: list[PGresult] = yield from execute(connection)
        return results

    monkeypatch.setattr("infrastructure.prepared.execute", hesitant)
    told = hand_in(begun, request("t", reply("one")), request("t", reply("two")))
    assert begun.set_out() is None
    assert (told.versions, told.by) == ([4, 5], "writer")
    check_log(database)
