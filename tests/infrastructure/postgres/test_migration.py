"""Migrations: each step once, in order, all or nothing, and never a step that is not known."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import psycopg
import pytest
from psycopg import sql

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.migration import (
    Migration,
    MigrationError,
    migrate,
    migrations,
)
from tests.infrastructure.appends import (
    TENANT,
    Clock,
    Ids,
    calls,
    check_log,
    fetch,
    last_position,
    reply,
    request,
    results,
    started,
)


@pytest.fixture
def database(own_database: Database) -> Database:
    """Its schema changes here."""
    return own_database


def test_every_step_runs_once_and_is_noted_with_its_digest(empty_database_url: str) -> None:
    known = migrations()
    with Database(empty_database_url, pool_size=1) as database:
        assert database.migrate() == known
        assert database.migrate() == []
        rows = fetch(database, "SELECT number, name, sha256 FROM agentlog.migrations")
    assert rows == [
        (step.number, step.name, sha256(step.sql.encode()).hexdigest()) for step in known
    ]


def test_the_steps_are_numbered_from_one_without_gaps_or_doubles() -> None:
    assert [step.number for step in migrations()] == list(range(1, len(migrations()) + 1))


def test_a_database_that_is_up_to_date_keeps_what_it_has(
    database: Database, writer: Writer
) -> None:
    writer.append(request("t", reply("one")))
    assert database.migrate() == []
    assert last_position(database) == 1


def test_two_that_start_at_once_both_succeed_and_each_step_runs_once(
    empty_database_url: str,
) -> None:
    count = 6
    together = threading.Barrier(count)

    def start(_: int) -> list[Migration]:
        with Database(empty_database_url, pool_size=1) as database:
            together.wait(timeout=20)
            return database.migrate()

    with ThreadPoolExecutor(count) as pool:
        ran = list(pool.map(start, range(count)))
    assert [step for steps in ran for step in steps] == migrations()
    with Database(empty_database_url, pool_size=1) as database:
        writer = Writer(database, clock=Clock(), new_id=Ids())
        assert writer.append(request("t", reply("one"))).position == 1


def test_a_step_of_a_newer_version_is_refused_and_says_what_to_install(
    database: Database,
) -> None:
    with database.connection() as connection:
        connection.execute(
            "INSERT INTO agentlog.migrations (number, name, sha256) VALUES (9999, 'later', '')"
        )
    with pytest.raises(MigrationError, match=r"migration 9999.* made by a newer version; install"):
        database.migrate()


def test_a_step_that_has_run_with_other_text_is_refused(database: Database) -> None:
    with database.connection() as connection:
        connection.execute("UPDATE agentlog.migrations SET sha256 = 'edited' WHERE number = 1")
    with pytest.raises(MigrationError, match="migration 1 has run here with other text"):
        database.migrate()


def test_a_migration_that_fails_leaves_nothing_behind(empty_database_url: str) -> None:
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA agentlog")
        connection.execute("CREATE TABLE agentlog.tracking (in_the_way integer)")
    with Database(empty_database_url, pool_size=1) as database:
        with pytest.raises(psycopg.errors.DuplicateTable):
            database.migrate()
        tables = fetch(
            database,
            "SELECT table_name FROM information_schema.tables WHERE table_schema = %s",
            "agentlog",
        )
        assert tables == [("tracking",)]
        with database.connection() as connection:
            connection.execute("DROP TABLE agentlog.tracking")
        assert database.migrate() == migrations()


def test_a_migration_waits_for_another_as_long_as_that_takes(empty_database_url: str) -> None:
    """The timeouts of everyday statements are none of a migration's."""
    hasty = psycopg.conninfo.make_conninfo(
        empty_database_url, options="-c lock_timeout=50ms -c statement_timeout=100ms"
    )
    with (
        psycopg.connect(empty_database_url) as other,
        Database(hasty, pool_size=1) as database,
        ThreadPoolExecutor(1) as pool,
    ):
        other.execute("SELECT 1")  # begins a transaction, which stays open
        migrate(other)
        waiting = pool.submit(database.migrate)
        time.sleep(0.4)
        assert not waiting.done()
        other.commit()
        assert waiting.result(timeout=20) == []
        assert fetch(database, "SHOW lock_timeout") == [("50ms",)]


def test_the_schema_can_be_dropped_and_made_again(database: Database) -> None:
    with database.connection() as connection:
        connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier("agentlog")))
    assert database.migrate() == migrations()


def test_a_log_comes_whole_through_the_step_that_changes_how_searches_follow(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = (
        # without what later steps add
        "SELECT to_jsonb(event) - 'origin_version' FROM agentlog.events AS event ORDER BY position",
        "SELECT to_jsonb(head) - 'origin' FROM agentlog.threads AS head ORDER BY thread_id",
        "SELECT * FROM agentlog.thread_search ORDER BY thread_id",
        "SELECT * FROM agentlog.ledger ORDER BY thread_id",
        "SELECT * FROM agentlog.counter",
    )
    known = migrations()
    with Database(empty_database_url, pool_size=2) as database:
        before_it = [
            *known[:9],
            known[12],
            known[16],
            known[19],
        ]  # these have what today's writer needs
        monkeypatch.setattr(
            "agentlog.infrastructure.postgres.migration.migrations", lambda: before_it
        )
        assert database.migrate() == before_it
        clock, new_id = Clock(), Ids()
        writer = Writer(database, clock=clock, new_id=new_id)
        for thread in "ab":
            writer.append(
                request(
                    thread, reply("one"), calls("c"), results("c"), facts=[started(goal="Find it")]
                )
            )
        writer.append(request("plain", reply("two")))
        writer.append(request("a", reply("three", metadata={"k": "v"})))
        before = [fetch(database, query) for query in everything]
        monkeypatch.undo()
        assert database.migrate() == [*known[9:12], *known[13:16], *known[17:19], *known[20:]]
        assert [fetch(database, query) for query in everything] == before
        check_log(database)
        writer = Writer(database, clock=clock, new_id=new_id)
        for thread in ("b", "plain"):
            writer.append(request(thread, reply("four")))
            writer.append(request(thread, reply("five")))
        check_log(database)
        reader = LogReader(database, tenant=TENANT)
        heads = reader.heads(ThreadFilter(text="find"), before=None, limit=10)
        assert [head.thread_id for head in heads] == ["b", "a"]
        assert [event.version for event in reader.events("b", types=["reply"])] == [2, 5, 6]
        moved = fetch(
            database,
            "SELECT count(*) FROM agentlog.thread_search "
            "JOIN agentlog.threads USING (tenant, thread_id, position, status)",
        )
        assert moved == [(2,)]
