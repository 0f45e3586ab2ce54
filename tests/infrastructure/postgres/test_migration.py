"""Migrations: each step once, in order, all or nothing, and never a step that is not known."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.backup.programs import Programs
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.migration import (
    Migration,
    MigrationError,
    migrate,
    migrations,
)
from tests.databases import new_database
from tests.infrastructure.appends import (
    Clock,
    Ids,
    check_log,
    fetch,
    last_position,
    reply,
    request,
    started,
)
from tests.waiting import WAIT_SECONDS


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


def test_the_steps_are_numbered_on_from_those_of_0_25_without_gaps_or_doubles() -> None:
    assert [step.number for step in migrations()] == list(range(26, 26 + len(migrations())))


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
            together.wait(timeout=WAIT_SECONDS)
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
        connection.execute("UPDATE agentlog.migrations SET sha256 = 'edited' WHERE number = 26")
    with pytest.raises(MigrationError, match="migration 26 has run here with other text"):
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
        assert waiting.result(timeout=WAIT_SECONDS) == []
        assert fetch(database, "SHOW lock_timeout") == [("50ms",)]


def test_the_schema_can_be_dropped_and_made_again(database: Database) -> None:
    with database.connection() as connection:
        connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier("agentlog")))
    assert database.migrate() == migrations()


def test_a_database_of_0_25_goes_on_with_the_schema_that_a_new_one_has(
    empty_database_url: str, template_database: str, server_url: str
) -> None:
    """`template_database` makes the roles, which belong to the server."""
    with Database(empty_database_url, pool_size=2) as database:
        _make_0_25(database)
        clock, new_id = Clock(), Ids()
        writer = Writer(database, clock=clock, new_id=new_id)
        writer.append(request("a", reply("one"), facts=[started(goal="Find it")]))
        before = fetch(database, "SELECT * FROM agentlog.events")
        assert [step.number for step in database.migrate()] == [
            step.number for step in migrations()
        ]
        assert database.migrate() == []
        assert fetch(database, "SELECT * FROM agentlog.events") == before
        writer = Writer(database, clock=clock, new_id=new_id)
        writer.append(request("a", reply("two")))
        check_log(database)
    notes = "SELECT number, name, sha256 FROM agentlog.migrations"
    with new_database(server_url, template=template_database) as url:
        assert _schema_of(empty_database_url) == _schema_of(url)
        with psycopg.connect(url) as new, psycopg.connect(empty_database_url) as old:
            assert old.execute(notes).fetchall() == new.execute(notes).fetchall()


@pytest.mark.usefixtures("template_database")
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM agentlog.migrations WHERE number = 25",
        "DELETE FROM agentlog.migrations WHERE number = 7",
        "UPDATE agentlog.migrations SET sha256 = 'edited' WHERE number = 7",
    ],
)
def test_a_database_before_0_25_is_refused_with_the_way_out(
    empty_database_url: str, change: LiteralString
) -> None:
    with Database(empty_database_url, pool_size=1) as database:
        _make_0_25(database)
        with database.connection() as connection:
            connection.execute(change)
        with pytest.raises(MigrationError, match=r"have agentlog 0\.25 run `agentlog migrate`"):
            database.migrate()


def _make_0_25(database: Database) -> None:
    dump = Path(__file__).with_name("schema_0.25.sql").read_text("utf-8")
    with database.connection() as connection:
        connection.execute(dump)


def _schema_of(url: str) -> list[str]:
    """Return the lines of a dump of the schema, but those that differ from dump to dump."""
    programs = Programs.at_least(15)
    dump = ("pg_dump", "--schema-only", "--no-owner", "--dbname", url)
    with programs.running(*dump, hint="", piped=True) as running:
        lines = running.stdout.read().decode().splitlines()
        running.finish()
    return [line for line in lines if not line.startswith(("\\restrict", "\\unrestrict"))]
