"""Connections: what their failures mean to callers, and that they come back by themselves."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import LiteralString

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.conninfo import Timeouts
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import (
    DatabaseReadOnly,
    DatabaseTooOld,
    DatabaseUnavailable,
    StatementTooLong,
)
from tests.databases import name_of
from tests.infrastructure.appends import (
    TENANT,
    Clock,
    Ids,
    check_log,
    fetch,
    given,
    last_position,
    reply,
    request,
)
from tests.infrastructure.postgres.relay import Relay
from tests.waiting import WAIT_SECONDS, until


@pytest.fixture
def database(own_database: Database) -> Database:
    """Its server's connections are ended here."""
    return own_database


def _closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def test_a_server_that_is_not_there_is_unavailable_at_once_and_says_why() -> None:
    database = Database(f"postgresql://nobody@127.0.0.1:{_closed_port()}/none", pool_size=1)
    began = time.monotonic()
    with pytest.raises(DatabaseUnavailable, match=r"(?i)connection.*refused"):
        database.open()
    assert time.monotonic() - began < 5


def test_a_url_that_does_not_parse_says_so() -> None:
    with pytest.raises(DatabaseUnavailable, match="does not parse"):
        Database("postgresql://host:port:port/x y z", pool_size=1)


def test_a_database_that_does_not_exist_is_unavailable(database_url: str) -> None:
    missing = Database(make_conninfo(database_url, dbname="no_such_database"), pool_size=1)
    with pytest.raises(DatabaseUnavailable, match="no_such_database"):
        missing.open()


def test_a_server_older_than_supported_is_refused(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentlog.infrastructure.postgres.roles.MINIMUM_SERVER", 10_000_000)
    with pytest.raises(DatabaseTooOld, match="is too old: agentlog needs 15 or newer"):
        Database(database_url, pool_size=1).open()


def test_no_statement_and_no_transaction_may_hold_the_log_for_ever(database: Database) -> None:
    shown = [
        fetch(database, f"SHOW {name}")[0][0]
        for name in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    ]
    assert shown == ["10s", "1min", "30s"]


def test_options_in_the_url_have_the_last_word(database_url: str) -> None:
    url = make_conninfo(database_url, options="-c lock_timeout=3s -c work_mem=5MB")
    with Database(url, pool_size=1) as database:
        assert fetch(database, "SHOW lock_timeout") == [("3s",)]
        assert fetch(database, "SHOW work_mem") == [("5MB",)]
        assert fetch(database, "SHOW statement_timeout") == [("1min",)]


def test_a_lock_that_is_not_granted_in_time_is_unavailable_and_writes_nothing(
    database: Database, database_url: str
) -> None:
    hasty = make_conninfo(database_url, options="-c lock_timeout=100ms")
    with Database(hasty, pool_size=1) as impatient:
        writer = Writer(impatient, clock=Clock(), new_id=Ids())
        with database.connection() as connection, connection.transaction():
            connection.execute("SELECT * FROM agentlog.counter FOR UPDATE")
            with pytest.raises(DatabaseUnavailable, match="lock timeout"):
                writer.append(request("t", reply("one")))
        assert writer.append(request("t", reply("one"))).position == 1


def test_a_database_that_takes_no_writes_says_so_and_is_written_to_once_it_does(
    database: Database, database_url: str
) -> None:
    with Database(database_url, pool_size=1) as apart, apart.connection() as owner:
        name = Identifier(name_of(database_url))
        writer = Writer(database, clock=Clock(), new_id=Ids())
        writer.append(request("t", reply("one")))
        owner.execute(SQL("ALTER DATABASE {} SET default_transaction_read_only = on").format(name))
        owner.execute(
            "SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        for _ in range(2):
            with pytest.raises(DatabaseReadOnly, match="in a read-only transaction; reads go on"):
                writer.append(request("t", reply("two")))
        reader = LogReader(database, tenant=TENANT)
        assert [event.version for event in reader.events("t")] == [1]
        owner.execute(SQL("ALTER DATABASE {} RESET default_transaction_read_only").format(name))
        assert writer.append(request("t", reply("three"))).version == 2
    check_log(database)


def test_without_a_free_connection_in_time_the_database_is_unavailable(database_url: str) -> None:
    with (
        Database(database_url, pool_size=1, wait_seconds=0.1) as database,
        database.connection(),
        pytest.raises(DatabaseUnavailable, match=r"no connection was free within 0\.1 s"),
        database.connection(),
    ):
        pass


def test_an_append_that_broke_off_can_be_retried_when_the_database_is_back(
    database_url: str,
) -> None:
    draft = request("t", reply("one", id=given(1)))
    with (
        Relay(database_url) as relay,
        Database(relay.url, pool_size=2, wait_seconds=0.3) as database,
    ):
        writer = Writer(database, clock=Clock(), new_id=Ids())
        writer.append(draft)
        relay.cut()
        for _ in range(3):
            with pytest.raises(DatabaseUnavailable):
                writer.append(draft)
        relay.mend()
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                assert writer.append(draft).messages[0].replayed
                assert last_position(database) == 1  # a look begun before may still say away
                check_log(database)
                break
            except DatabaseUnavailable:
                assert time.monotonic() < deadline


def test_a_restart_that_breaks_the_whole_pool_costs_nobody_more_than_a_moment(
    own_database: Database,
) -> None:
    with ExitStack() as stack:
        lent = [stack.enter_context(own_database.connection()) for _ in range(4)]
        pids = [connection.info.backend_pid for connection in lent]
    with own_database.connect() as other:
        other.execute("SELECT pg_terminate_backend(pid, 9000) FROM unnest(%s::int[]) pid", (pids,))
    for _ in range(4):
        with own_database.connection(wait_seconds=2) as connection:  # less than four pauses take
            assert connection.info.backend_pid not in pids


def test_whoever_waits_for_a_connection_is_let_go_once_the_server_is_away(
    database_url: str,
) -> None:
    with (
        Relay(database_url) as relay,
        Database(relay.url, pool_size=1, wait_seconds=600) as database,
        ThreadPoolExecutor(1) as pool,
    ):
        with database.connection():
            waiting = pool.submit(fetch, database, "SELECT 1")
            until(lambda: database.pool_stats()["requests_waiting"])
            relay.cut()
            with pytest.raises(DatabaseUnavailable):
                database.connect()
            with pytest.raises(DatabaseUnavailable):
                waiting.result(timeout=WAIT_SECONDS)
        with pytest.raises(DatabaseUnavailable, match="takes no connections"):
            database.check()
        relay.mend()
        until(partial(_is_there, database))
        assert fetch(database, "SELECT 1") == [(1,)]


def _is_there(database: Database) -> bool:
    try:
        database.check()
    except DatabaseUnavailable:
        return False
    return True


def test_a_server_that_has_no_connection_left_goes_on_with_those_that_it_has(
    database_url: str,
) -> None:
    with ExitStack() as stack:
        relay = stack.enter_context(Relay(database_url))
        database = stack.enter_context(Database(relay.url, pool_size=1))
        own = stack.enter_context(database.connect())
        assert fetch(database, "SELECT 1") == [(1,)]
        relay.refuse()
        with pytest.raises(DatabaseUnavailable):
            database.connect()
        time.sleep(0.1)  # for the probe, which the server refuses too
        database.check()
        assert fetch(database, "SELECT 1") == [(1,)]
        assert own.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize(
    "query", ["SELECT pg_sleep(60)", "LOCK TABLE agentlog.counter", "nonsense"]
)
def test_a_statement_that_fails_says_nothing_of_the_server(
    database: Database, database_url: str, query: LiteralString
) -> None:
    timeouts = Timeouts(statement_seconds=0.2, lock_seconds=0.1)
    with (
        Database(database_url, pool_size=1, timeouts=timeouts) as hurried,
        database.connection() as holder,
        holder.transaction(),
    ):
        holder.execute("SELECT FROM agentlog.counter FOR UPDATE")
        with (
            pytest.raises((DatabaseUnavailable, psycopg.Error)),
            hurried.connection() as connection,
            connection.transaction(),
        ):
            connection.execute(query)
        assert hurried._breaker is not None
        assert not hurried._breaker._woken.is_set()
        hurried.check()


def test_a_connection_that_the_server_ended_is_replaced(database: Database, writer: Writer) -> None:
    writer.append(request("t", reply("one")))
    with database.connection() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with pytest.raises(DatabaseUnavailable), database.connection() as connection:
        connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert writer.append(request("t", reply("two"))).position == 2


def test_a_statement_that_had_its_time_is_not_tried_again(
    database: Database, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """All other appends wait for it meanwhile."""
    timeouts = Timeouts(statement_seconds=0.3, lock_seconds=60)
    with (
        Database(database_url, pool_size=1, timeouts=timeouts) as hurried,
        database.connection() as holder,
        holder.transaction(),
    ):
        writer = Writer(hurried, clock=Clock(), new_id=Ids())
        holder.execute("SELECT FROM agentlog.counter FOR UPDATE")
        with pytest.raises(StatementTooLong, match="AGENTLOG_STATEMENT_SECONDS"):
            writer.append(request("t", reply("one")))
    assert "trying again" not in caplog.text
