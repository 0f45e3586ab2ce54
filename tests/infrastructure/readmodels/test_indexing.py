"""Indexes of a rebuilt read model: however long they take, and while others go on."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projection import Projection, StepResult
from agentlog.infrastructure.readmodels.renewal import renew_rows
from agentlog.projections.readmodels.message_words import MessageWords
from tests.infrastructure.appends import TENANT, fetch, reply, request
from tests.infrastructure.readmodels.tables import all_builds, catch_up, live, rows_of
from tests.waiting import until

MODEL = MessageWords()
INDEXING = "starts_with(query, 'CREATE INDEX CONCURRENTLY')"
VALID = """
SELECT count(*) FILTER (WHERE indisvalid), count(*)
FROM pg_index WHERE indrelid = 'agentlog_readmodels.message_words_2'::regclass
"""


@pytest.fixture
def rebuilt(database: Database, writer: Writer) -> Projection[Any]:
    """A second build of the words, which has all events and none of its indexes."""
    writer.append(request("a", *map(reply, ("one", "two", "three"))))
    catch_up(database, MODEL)
    with database.connect() as connection:
        assert builds.begin(connection, MODEL)
        projection = Projection(MODEL, 2)
        while projection.step(connection) is StepResult.MORE:
            if all_builds(database, MODEL.name)[1].lag == 0:
                break
    assert [build.state for build in all_builds(database, MODEL.name)] == ["live", "building"]
    return projection


@contextmanager
def a_long_reader(database_url: str) -> Iterator[psycopg.Connection]:
    """Keep a snapshot, for which indexes that are made beside others have to wait."""
    with psycopg.connect(database_url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        connection.execute("SELECT count(*) FROM agentlog.events")
        yield connection


@contextmanager
def going_live(url: str, projection: Projection[Any]) -> Iterator[Thread]:
    """Yield a thread that steps a build to its end, in a session of short timeouts; start it."""

    def go() -> None:
        short = make_conninfo(url, options="-c statement_timeout=1s -c lock_timeout=100ms")
        with psycopg.connect(short, autocommit=True) as connection:
            while projection.step(connection) is StepResult.MORE:
                pass

    thread = Thread(target=go)
    try:
        yield thread
    finally:
        if thread.ident is not None:
            thread.join()


def is_indexing(database: Database) -> bool:
    waits = f"SELECT FROM pg_stat_activity WHERE {INDEXING} AND wait_event_type = 'Lock'"
    return bool(fetch(database, waits))


def test_they_take_any_time_while_appends_and_erasures_go_on(
    database: Database, database_url: str, writer: Writer, rebuilt: Projection[Any]
) -> None:
    with (
        going_live(database_url, rebuilt) as thread,
        a_long_reader(database_url),
        database.connection() as connection,
    ):
        thread.start()
        until(lambda: is_indexing(database))
        writer.append(request("a", reply("four")))
        with connection.transaction():
            connection.execute("SET LOCAL lock_timeout = '1s'")
            renew_rows(connection, TENANT, "a")
        steps = [rebuilt.step(connection) for _ in range(2)]
        assert steps == [StepResult.MORE, StepResult.RESTING], "one process makes them"
        connection.execute("SELECT pg_sleep(1.1)")
        assert thread.is_alive(), "no timeout of its session ends it"
    assert live(database, MODEL.name).build == 2
    assert len(rows_of(database, MODEL, 2)) == 4
    assert fetch(database, VALID) == [(4, 4)]


def test_what_broke_off_is_made_anew(
    database: Database, database_url: str, rebuilt: Projection[Any]
) -> None:
    ending = Thread(target=end_indexing, args=(database,))
    with a_long_reader(database_url), database.connect() as connection:
        ending.start()
        with pytest.raises(psycopg.OperationalError):
            rebuilt.step(connection)
    ending.join()
    assert fetch(database, VALID) == [(2, 3)]
    catch_up(database, MODEL)
    assert live(database, MODEL.name).build == 2
    assert fetch(database, VALID) == [(4, 4)]


def end_indexing(database: Database) -> None:
    until(lambda: is_indexing(database))
    fetch(database, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {INDEXING}")  # noqa: S608 - our own
