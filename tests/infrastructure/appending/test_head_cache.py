"""Appends on what the writer remembers: in one statement where it holds, looked up where not."""

from datetime import UTC, datetime

import pytest

from agentlog.domain.errors import MessageConflict, RuleBroken, VersionConflict
from agentlog.domain.threads import LedgerEntry, LedgerKey
from agentlog.infrastructure.appending.append_request import Appended
from agentlog.infrastructure.appending.append_statements import log_transaction
from agentlog.infrastructure.appending.commit_plan import Changes, NewEvent, Note, Wanted
from agentlog.infrastructure.appending.committer import HeadCache
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.body_deduplication import Stored
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import (
    TENANT,
    Clock,
    Ids,
    calls,
    check_log,
    fetch,
    given,
    reply,
    request,
    results,
    started,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Looks:
    """Counts how often the log was looked at before it was written."""

    def __init__(self) -> None:
        self.count = 0

    def since(self) -> int:
        """Return how many there were since the last time this was asked."""
        count, self.count = self.count, 0
        return count


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    """How often the writer held the log to look at it."""
    counted = Looks()
    held = log_transaction

    def counting(*arguments: object) -> object:
        counted.count += 1
        return held(*arguments)

    monkeypatch.setattr("agentlog.infrastructure.appending.committer.log_transaction", counting)
    return counted


@pytest.fixture
def writer(database: Database, clock: Clock, looks: Looks) -> Writer:
    """A writer, made once that is so."""
    assert looks.count == 0
    return Writer(database, clock=clock, new_id=Ids())


def test_only_the_first_append_to_a_thread_looks(
    writer: Writer, looks: Looks, database: Database
) -> None:
    writer.append(request("t", reply("one")))
    assert looks.since() == 1
    writer.append(request("t", reply("two"), expected_version=1))
    writer.append(request("t", calls("a", "b")))
    writer.append(request("t", results("b"), results("a")))
    writer.append(request("t", reply("last", metadata={"team": "x"})))
    assert looks.since() == 0
    check_log(database)
    assert fetch(
        database, "SELECT version, status, anomalies FROM agentlog.threads WHERE thread_id = 't'"
    ) == [(6, "open", 0)]


def test_whatever_is_refused_was_looked_up(writer: Writer, looks: Looks) -> None:
    writer.append(request("t", reply("one")))
    looks.since()
    with pytest.raises(RuleBroken):
        writer.append(request("t", results("never asked")))
    assert looks.since() == 1
    with pytest.raises(VersionConflict):
        writer.append(request("t", reply("two"), expected_version=7))
    assert looks.since() == 1


@pytest.mark.usefixtures("looks")
def test_a_retry_is_found_though_its_id_was_not_looked_up(
    writer: Writer, database: Database
) -> None:
    draft = reply("one", id=given(1))
    writer.append(request("t", reply("zero")))
    first = writer.append(request("t", draft))
    again = writer.append(request("t", draft))
    assert [message.replayed for message in (*first.messages, *again.messages)] == [False, True]
    assert again.messages[0].version == 2
    with pytest.raises(MessageConflict):
        writer.append(request("t", reply("another", id=given(1))))
    check_log(database)
    assert len(fetch(database, "SELECT FROM agentlog.events")) == 2


def test_a_call_that_was_answered_long_ago_is_not_taken_for_a_new_one(
    writer: Writer, database: Database
) -> None:
    writer.append(request("t", facts=[started(policy="record")]))
    writer.append(request("t", calls("a")))
    writer.append(request("t", results("a")))
    twice = writer.append(request("t", calls("a")))
    assert [breach.rule for _, breach in twice.breaches] == ["duplicate_call"]
    orphan = writer.append(request("t", results("b")))
    assert [breach.rule for _, breach in orphan.breaches] == ["orphan_result"]
    orphan = writer.append(request("t", results("b")))
    assert [breach.rule for _, breach in orphan.breaches] == ["answered_twice"]
    check_log(database)


def test_threads_that_are_not_remembered_are_looked_up_without_holding_the_log(
    writer: Writer, looks: Looks, database: Database
) -> None:
    writer.append(request("known", reply("one")))
    writer.append(request("t", facts=[started(goal="g", policy="record")]))
    writer.append(request("t", calls("a")))
    writer._committer._cache.forget()
    looks.since()
    writer.append(request("t", results("b"), expected_version=2))
    writer.append(request("new", reply("one"), expected_version=0))
    outcomes = writer.append_many(
        [request(thread_id, reply("two")) for thread_id in ("known", "t", "u")]
    )
    assert [outcome.version for outcome in outcomes if isinstance(outcome, Appended)] == [2, 4, 1]
    assert looks.since() == 0
    assert fetch(
        database, "SELECT anomalies, goal FROM agentlog.threads WHERE thread_id = 't'"
    ) == [(1, "g")]
    check_log(database)


def test_two_writers_on_one_thread_both_count(
    database: Database, writer: Writer, reader: LogReader, clock: Clock
) -> None:
    other = Writer(database, clock=clock, new_id=iter([given(n) for n in range(99)]).__next__)
    for number in range(12):
        (writer, other)[number % 3 % 2].append(request("t", reply(str(number))))
    assert [event.version for event in reader.events("t")] == list(range(1, 13))
    check_log(database)


def test_a_writer_that_is_not_alone_looks_first_until_it_is(
    database: Database, writer: Writer, looks: Looks, clock: Clock
) -> None:
    other = Writer(database, clock=clock, new_id=iter([given(n) for n in range(99)]).__next__)
    writer.append(request("t", reply("one")))
    for _ in range(2):  # the first of these guesses in vain, and then looks as well
        other.append(request("u", reply("elsewhere")))
        writer.append(request("t", reply("two")))
    looks.since()
    writer.append(request("t", reply("looks, and finds nobody else")))
    assert looks.since() == 1
    writer.append(request("t", reply("three")))
    assert looks.since() == 0
    check_log(database)


def test_a_clock_that_was_set_back_stops_nothing_and_no_two_times_are_the_same(
    writer: Writer, looks: Looks, database: Database
) -> None:
    writer.append(request("t", reply("one")))
    with database.connection() as connection:
        connection.execute(
            "UPDATE agentlog.counter SET recorded_at = clock_timestamp() + interval '1 hour'"
        )
    looks.since()
    writer.append(request("t", reply("two")))  # goes on from there
    writer.append(request("t", reply("three"), reply("four")))
    assert looks.since() == 0
    assert fetch(
        database,
        "SELECT min(recorded_at) > clock_timestamp() FROM agentlog.events WHERE version > 1",
    ) == [(True,)]
    check_log(database)


def test_who_has_been_told_of_an_event_finds_it_in_the_past(
    writer: Writer, looks: Looks, database: Database
) -> None:
    writer.append(request("t", reply("one")))
    looks.since()
    past = "SELECT max(recorded_at) <= clock_timestamp() FROM agentlog.events"
    for number in range(6):
        writer.append(request("t", *[reply("two")] * (1 + number % 2)))
        assert fetch(database, past) == [(True,)]
    assert looks.since() == 0


def test_recorded_times_grow_with_the_position(
    database: Database, writer: Writer, clock: Clock
) -> None:
    other = Writer(database, clock=clock, new_id=iter([given(n) for n in range(99)]).__next__)
    for number in range(30):
        (other if number % 7 == 0 else writer).append(request(f"t{number % 2}", reply("x")))
    times = fetch(database, "SELECT recorded_at FROM agentlog.events ORDER BY position")
    assert sorted(set(times)) == times


def test_a_broken_connection_is_forgotten_with_all_that_was_remembered(
    writer: Writer, looks: Looks, database: Database
) -> None:
    writer.append(request("t", reply("one")))
    looks.since()
    fetch(
        database,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND datname = current_database()",
    )
    writer.append(request("t", reply("two")))
    assert looks.since() == 1
    check_log(database)


def _note(cache: HeadCache, thread_id: str, position: int, **entries: LedgerEntry) -> None:
    """Have a commit of one event remembered."""
    event = NewEvent(
        TENANT, thread_id, position, position, "reply", "", Stored(b""), b"", b"", None
    )
    head = Head(TENANT, thread_id, version=position, position=position)
    notes = [
        Note((TENANT, thread_id), LedgerKey("call", key), entry) for key, entry in entries.items()
    ]
    cache.note(Changes(position - 1, position, [event], [head], notes), [head])


def test_the_oldest_threads_are_forgotten_first() -> None:
    cache = HeadCache(threads=2)
    for position, thread_id in enumerate(["a", "b", "a", "c"], 1):
        _note(cache, thread_id, position)
    assert cache.missing([(TENANT, thread_id) for thread_id in "abc"]) == [(TENANT, "b")]


def test_only_open_entries_are_remembered_and_not_too_many() -> None:
    cache = HeadCache(entries=2)
    _note(cache, "t", 1, a=LedgerEntry(1), b=LedgerEntry(1))
    _note(cache, "t", 2, a=LedgerEntry(1, 2), c=LedgerEntry(2))
    _note(cache, "t", 3, d=LedgerEntry(3))
    ground = cache.log_state(Wanted([(TENANT, "t")]), {})
    assert dict(ground.ledger[TENANT, "t"]) == {
        LedgerKey("call", "c"): LedgerEntry(2),
        LedgerKey("call", "d"): LedgerEntry(3),
    }


@pytest.mark.usefixtures("looks")
def test_threads_that_were_only_asked_for_are_not_remembered(writer: Writer) -> None:
    """Else whoever is refused on ever new threads would fill the memory."""
    writer.append(request("t", reply("one")))
    for number in range(5):
        with pytest.raises(VersionConflict):
            writer.append(request(f"none-{number}", reply("one"), expected_version=7))
    assert list(writer._committer._cache._threads) == [(TENANT, "t")]


@pytest.mark.usefixtures("looks")
def test_each_commit_notifies_once_and_what_is_refused_does_not(
    writer: Writer, database: Database
) -> None:
    with database.connection() as listener:
        listener.execute("LISTEN agentlog")
        writer.append_many([request(thread_id, reply("one"), reply("two")) for thread_id in "tu"])
        writer.append(request("t", reply("three")))
        with pytest.raises(VersionConflict):
            writer.append(request("t", reply("four"), expected_version=1))
        told = [notice.payload for notice in listener.notifies(timeout=0.5)]
        listener.execute("UNLISTEN agentlog")
    assert told == ["4", "5"]


def test_appends_go_on_after_a_refusal(writer: Writer) -> None:
    """After its rollback psycopg has the server drop whatever was prepared, ours as well."""
    for number in range(20):
        writer.append(request(f"t-{number}", reply("first")))
    with pytest.raises(VersionConflict):
        writer.append(request("t-0", reply("refused"), expected_version=99))
    for number in range(20):
        assert writer.append(request(f"t-{number}", reply("second"))).version == 2
        assert writer.append(request(f"u-{number}", reply("first"))).version == 1
