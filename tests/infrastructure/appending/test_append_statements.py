"""The log itself: one order, one clock that never runs back, one chain, and no change ever."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from psycopg.errors import RestrictViolation

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import (
    calls,
    check_log,
    fetch,
    last_position,
    reply,
    request,
    results,
    started,
)

AHEAD = datetime(2100, 1, 1, tzinfo=UTC)


@pytest.fixture
def database(own_database: Database) -> Database:
    """Its schema changes here."""
    return own_database


def test_positions_have_no_gaps_and_follow_the_order_of_commits(
    writer: Writer, database: Database, reader: LogReader
) -> None:
    for number in range(10):
        writer.append(request(f"t{number % 3}", reply("one"), reply("two")))
        if number % 4 == 0:
            writer.append_many([request("t0", results("x")), request("t1", reply("three"))])
    events = reader.log()
    assert [event.position for event in events] == list(range(1, len(events) + 1))
    assert len(events) == 23
    check_log(database)


def test_the_chain_covers_facts_metadata_and_every_thread_of_a_batch(
    writer: Writer, database: Database
) -> None:
    writer.append_many(
        [
            request("a", reply("one", metadata={"k": "v"}), facts=[started(goal="g")]),
            request("b", calls("c"), results("c")),
            request("a", reply("two")),
        ]
    )
    writer.append(request("b", reply("three", metadata={"a": 1})))
    check_log(database)
    chains = fetch(database, "SELECT chain FROM agentlog.events")
    assert len({chain for (chain,) in chains}) == 6
    assert {len(chain) for (chain,) in chains} == {32}


def _times(reader: LogReader) -> list[datetime]:
    return [event.recorded_at for event in reader.log() if event.recorded_at is not None]


def test_all_events_of_one_append_have_one_time_and_later_appends_a_later_one(
    writer: Writer, reader: LogReader
) -> None:
    for _ in range(20):
        writer.append(request("t", reply("one"), reply("two")))
    times = _times(reader)
    assert len(times) == 40
    assert times[::2] == times[1::2]
    assert sorted(set(times)) == times[::2]


def test_the_recorded_time_is_the_databases_own(writer: Writer, reader: LogReader) -> None:
    writer.append(request("t", reply("one", timestamp=5)))
    (event,) = reader.events("t")
    assert event.recorded_at is not None
    assert abs(datetime.now(UTC) - event.recorded_at) < timedelta(minutes=5)


def test_recorded_times_never_run_backwards_when_the_clock_is_set_back(
    writer: Writer, reader: LogReader, database: Database
) -> None:
    writer.append(request("t", reply("before")))
    with database.connection() as connection:  # as if the clock had been a century ahead until now
        connection.execute("UPDATE agentlog.counter SET recorded_at = %s", (AHEAD,))
    writer.append(request("t", reply("one")))
    writer.append(request("u", reply("two")))
    before, first, second = _times(reader)
    assert before < AHEAD < first < second < AHEAD + timedelta(seconds=1)
    check_log(database)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE agentlog.events SET body = ''",
        "UPDATE agentlog.events SET metadata = NULL WHERE version = 2",
        "DELETE FROM agentlog.events",
        "DELETE FROM agentlog.events WHERE version = 1",
        "TRUNCATE agentlog.events",
        "TRUNCATE agentlog.threads, agentlog.events",
        """INSERT INTO agentlog.events SELECT * FROM agentlog.events
        ON CONFLICT (tenant, thread_id, version) DO UPDATE SET body = ''""",
        "WITH gone AS (DELETE FROM agentlog.events RETURNING *) SELECT count(*) FROM gone",
    ],
)
def test_the_database_itself_refuses_to_change_the_past(
    writer: Writer, database: Database, statement: str
) -> None:
    writer.append(request("t", reply("one"), reply("two")))
    with (
        database.connection() as connection,
        pytest.raises(RestrictViolation, match="the log only grows"),
    ):
        connection.execute(statement.encode())
    assert len(fetch(database, "SELECT * FROM agentlog.threads")) == 1
    assert last_position(database) == 2
    check_log(database)


def test_a_superuser_who_does_not_fire_triggers_cannot_help_breaking_the_chain(
    writer: Writer, database: Database
) -> None:
    writer.append(request("t", reply("one"), reply("two")))
    check_log(database)
    with database.connection() as connection, connection.transaction():
        connection.execute("ALTER TABLE agentlog.events DISABLE TRIGGER USER")
        connection.execute(
            "UPDATE agentlog.events SET recorded_at = recorded_at - interval '1 microsecond'"
        )
        connection.execute("ALTER TABLE agentlog.events ENABLE TRIGGER USER")
    with pytest.raises(AssertionError):
        check_log(database)


def test_a_statement_that_fails_within_the_transaction_leaves_nothing_behind(
    writer: Writer, database: Database
) -> None:
    with database.connection() as connection:
        connection.execute(
            "ALTER TABLE agentlog.ledger ADD CONSTRAINT no_calls CHECK (kind <> 'call')"
        )
    with pytest.raises(psycopg.errors.CheckViolation):
        writer.append(request("t", reply("one"), calls("c")))
    assert last_position(database) == 0
    assert fetch(database, "SELECT * FROM agentlog.threads") == []
    assert writer.append(request("t", reply("one"))).position == 1
    check_log(database)


def test_a_counter_without_its_row_is_told_as_such(writer: Writer, database: Database) -> None:
    with database.connection() as connection:
        connection.execute("DELETE FROM agentlog.counter")
    with pytest.raises(RuntimeError, match="has lost its row"):
        writer.append(request("t", reply("one")))
