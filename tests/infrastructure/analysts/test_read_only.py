"""What analysts must not change, nor keep others from.

Through the service, and logged in with a client of their own, where only the database bounds them.
"""

import threading
from collections.abc import Iterator
from contextlib import suppress

import psycopg
import pytest

from agentlog.infrastructure.analysts.analyst import Analyst
from agentlog.infrastructure.analysts.errors import (
    InvalidQuery,
    NotAQuery,
    QueryForbidden,
    QueryRejected,
)
from agentlog.infrastructure.analysts.login import make_role, role_of
from agentlog.infrastructure.analysts.slots import Slots
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.migration import migrate
from tests.infrastructure.analysts.logins import login_of
from tests.infrastructure.analysts.test_analyst import rows
from tests.infrastructure.appends import TENANT, fetch
from tests.waiting import WAIT_SECONDS

CHANGES = [
    "INSERT INTO messages SELECT * FROM messages",
    "INSERT INTO agentlog.events SELECT * FROM agentlog.events",
    "UPDATE messages SET type = 'x'",
    "DELETE FROM events",
    "MERGE INTO progress AS p USING events AS e ON true WHEN MATCHED THEN DELETE",
    "TRUNCATE agentlog.events",
    "DROP VIEW messages",
    "ALTER VIEW messages SET (security_barrier = false)",
    "CREATE TABLE mine (x int)",
    "CREATE TABLE agentlog_analytics.mine (x int)",
    "CREATE TABLE public.mine (x int)",
    "CREATE TEMPORARY TABLE messages (x int)",
    "CREATE VIEW agentlog_analytics.mine AS SELECT 1",
    "CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
    "CREATE FUNCTION public.leak(text) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
    "CREATE SCHEMA mine",
    "CREATE EXTENSION dblink",
    "CREATE ROLE mine SUPERUSER",
    "ALTER ROLE agentlog_analyst SUPERUSER",
    "GRANT ALL ON SCHEMA agentlog TO PUBLIC",
    "COPY messages TO PROGRAM 'cat'",
    "COPY (SELECT 1) TO '/tmp/agentlog-analyst'",
    "COPY agentlog.analysts FROM STDIN",
    "COPY agentlog.events TO STDOUT",
    "CALL nothing()",
    "LOCK TABLE agentlog.events",
    "SET ROLE postgres",
    "SET SESSION AUTHORIZATION agentlog",
    "SELECT 1 INTO mine",
    "SELECT * FROM messages FOR UPDATE",
    "WITH gone AS (DELETE FROM events RETURNING 1) SELECT * FROM gone",
    "SELECT nextval('agentlog.none')",
    "SELECT setval('agentlog.none', 1)",
    "SELECT lo_create(4711)",
    "SELECT lo_from_bytea(4711, 'x')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/agentlog-analyst')",
    "SELECT pg_notify('agentlog', 'x')",
    "SELECT pg_logical_emit_message(false, 'a', repeat('x', 100))",
    "SELECT pg_reload_conf()",
    "SELECT pg_create_restore_point('x')",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_try_advisory_xact_lock(1)",
    "SELECT pg_stat_reset()",
]


def _database_as_it_is(full: Database) -> list[tuple[object, ...]]:
    listed = fetch(
        full,
        "SELECT (SELECT count(*) FROM agentlog.events), (SELECT count(*) FROM pg_class), "
        "(SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_largeobject_metadata), "
        "(SELECT count(*) FROM pg_namespace), (SELECT count(*) FROM pg_extension), "
        "(SELECT string_agg(oid || relname || coalesce(relacl::text, ''), ',' ORDER BY oid) "
        "FROM pg_class WHERE relnamespace::regnamespace::text LIKE 'agentlog%%')",
    )
    return [*listed, *fetch(full, "SELECT * FROM agentlog.analysts")]


@pytest.mark.parametrize("statement", CHANGES)
def test_nothing_can_be_changed(
    analyst: Analyst, full: Database, logged_in: psycopg.Connection, statement: str
) -> None:
    before = _database_as_it_is(full)
    with pytest.raises((QueryForbidden, NotAQuery, QueryRejected)):
        analyst.query(statement)
    with pytest.raises(psycopg.Error):
        logged_in.execute(statement.encode())
    assert not logged_in.closed
    assert _database_as_it_is(full) == before


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1; DELETE FROM events",
        "SELECT 1; COMMIT; CREATE TABLE public.mine (x int)",
        "COMMIT; SET ROLE postgres",
        "COMMIT",
        "ROLLBACK AND CHAIN",
        "SET TRANSACTION READ WRITE",
        "DO $$ BEGIN PERFORM 1; END $$",
        "PREPARE p AS SELECT 1",
        "EXPLAIN ANALYZE SELECT 1",
        "LISTEN agentlog",
        "DISCARD ALL",
        "SELECT 1) AS q (c1) OFFSET 0) AS rows; COMMIT; --",
    ],
)
def test_only_a_query_passes(analyst: Analyst, text: str) -> None:
    with pytest.raises((NotAQuery, QueryRejected)):
        analyst.query(text)


def test_what_a_query_sets_is_gone_with_it(analyst: Analyst) -> None:
    asked = """
        SELECT set_config('search_path', 'public', false),
               set_config('default_transaction_read_only', 'off', false),
               set_config('agentlog.tenant', 'x', false)
    """
    assert rows(analyst.query(asked)) == [["public", "off", "x"]]
    now = """
        SELECT current_setting('search_path'), current_setting('default_transaction_read_only'),
               coalesce(current_setting('agentlog.tenant', true), '')
    """
    assert rows(analyst.query(now)) == [["agentlog_analytics", "on", ""]]


@pytest.mark.parametrize(
    "asked",
    [
        "SELECT set_config('transaction_read_only', 'off', true)",
        "SELECT set_config('session_authorization', 'postgres', true)",
        "SELECT set_config('role', 'postgres', true)",
        "SELECT set_config('role', 'pg_read_all_data', true)",
        "SELECT set_config('session_preload_libraries', 'x', true)",
        "SELECT set_config('log_statement', 'none', true)",
    ],
)
def test_rights_cannot_be_set(analyst: Analyst, logged_in: psycopg.Connection, asked: str) -> None:
    with pytest.raises(InvalidQuery):
        analyst.query(asked)
    if "read_only" not in asked:
        with pytest.raises(psycopg.Error):
            logged_in.execute(asked.encode())


@pytest.fixture
def lenient(database_url: str) -> Iterator[Database]:
    """A database in which everybody may what PostgreSQL lets everybody do: one that is not ours."""
    with Database(database_url, pool_size=2) as database:
        with database.connection() as connection:
            make_role(connection, TENANT)
            for name in ("pg_advisory_lock(bigint)", "pg_notify", "lo_create", "lo_from_bytea"):
                connection.execute(f"GRANT EXECUTE ON FUNCTION {name} TO PUBLIC".encode())
        yield database


def test_locks_of_a_query_end_with_it(lenient: Database) -> None:
    analyst = Analyst(login_of(lenient, TENANT), tenant=TENANT, slots=Slots())
    analyst.query(f"SELECT pg_advisory_lock({0x6167_656E_746C_6F67})")
    with lenient.connection() as connection:
        assert migrate(connection) == []


def test_what_a_query_writes_is_never_committed(lenient: Database) -> None:
    """PostgreSQL 15 makes large objects in transactions that only read."""
    analyst = Analyst(login_of(lenient, TENANT), tenant=TENANT, slots=Slots())
    with lenient.connect() as listening:
        listening.execute("LISTEN agentlog")
        for asked in (
            "SELECT lo_create(0)",
            "SELECT lo_from_bytea(0, 'x')",
            "SELECT pg_notify('agentlog', 'forged')",
        ):
            with suppress(QueryForbidden):
                analyst.query(asked)
        listening.execute("NOTIFY agentlog, 'ours'")
        heard = [notice.payload for notice in listening.notifies(timeout=60, stop_after=1)]
        assert heard == ["ours"]
        count = listening.execute("SELECT count(*) FROM pg_largeobject_metadata").fetchone()
        assert count == (0,)


def test_a_query_that_ends_its_own_connection_is_told_to_ask_again(
    full: Database, analyst: Analyst
) -> None:
    with full.connect() as ours:
        raised: list[BaseException] = []

        def ask() -> None:
            try:
                analyst.query("SELECT 'to be ended', pg_sleep(20)")
            except DatabaseUnavailable as error:
                raised.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        while not ours.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE query LIKE '%to be ended%' AND state = 'active' AND pid <> pg_backend_pid()"
        ).fetchall():
            assert asking.is_alive()
        asking.join(timeout=WAIT_SECONDS)
    assert len(raised) == 1


def test_a_query_leaves_no_connection_behind(analyst: Analyst, full: Database) -> None:
    for asked in ("SELECT 1", "SELECT 1/0", "SELECT pg_sleep(20)"):
        with suppress(InvalidQuery):
            analyst.query(asked, seconds=0.2)
    with full.connect() as ours:
        query = "SELECT count(*) FROM pg_stat_activity WHERE usename = %s AND datname = %s"
        while ours.execute(query, (role_of(TENANT), ours.info.dbname)).fetchone() != (0,):
            pass
