"""Appends on what the writer remembers: in one statement where it holds, looked up where not."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from domain.errors import MessageConflict, RuleBroken, VersionConflict
from domain.threads import Entry, Key
from infrastructure.changes import Changes, NewEvent, Wanted
from infrastructure.cuts import Stored
from infrastructure.database import Database
from infrastructure.heads import Head
from infrastructure.log import log_transaction
from infrastructure.reader import LogReader
from infrastructure.recall import Recall, StoreClock
from infrastructure.requests import Appended
from infrastructure.writer import Writer
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
def looks(monkeypatch: pytest.MonkeyPatch, unhurried: None) -> Looks:
    """How often the writer held the log to look at it."""
    del unhurried
    found = Looks()
    held = log_transaction

    def counting(*arguments: object) -> object:
        found.count += 1
        return held(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("infrastructure.committer.log_transaction", counting)
    return found


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
    assert [each.replayed for each in (*first.messages, *again.messages)] == [False, True]
    assert again.messages[0].version == 2
    with pytest.raises(MessageConflict):
        writer.append(request("t", reply("another", id=given(1))))
    check_log(database)
    assert len(fetch(database, "SELECT FROM agentlog.events")) == 2


@pytest.mark.usefixtures("looks")
def test_retries_say_nothing_of_the_clock(writer: Writer) -> None:
    draft = reply("one", id=given(1))
    writer.append(request("t", draft))
    ahead = writer._committer._clock._ahead
    for _ in range(5):
        assert writer.append(request("t", draft)).messages[0].replayed
    assert writer._committer._clock._ahead == ahead


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
    writer._committer._recall.forget()
    looks.since()
    writer.append(request("t", results("b"), expected_version=2))
    writer.append(request("new", reply("one"), expected_version=0))
    outcomes = writer.append_many([request(each, reply("two")) for each in ("known", "t", "u")])
    assert [each.version for each in outcomes if isinstance(each, Appended)] == [2, 4, 1]
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


def test_another_clock_is_noticed(writer: Writer, looks: Looks, database: Database) -> None:
    writer.append(request("t", reply("one")))
    with database.connection() as connection:
        connection.execute(
            "UPDATE agentlog.counter SET recorded_at = clock_timestamp() + interval '1 hour'"
        )
    looks.since()
    writer.append(request("t", reply("two")))  # goes on from there
    assert looks.since() == 0
    writer.append(request("t", reply("three"), reply("four")))
    assert looks.since() == 1
    check_log(database)


@pytest.mark.parametrize("error", [-3600.0, -0.8, 1.5, 3600.0])
def test_a_wrong_guess_of_the_clock_writes_nothing(
    writer: Writer, looks: Looks, database: Database, error: float
) -> None:
    writer.append(request("t", reply("one")))
    looks.since()
    guess = writer._committer._clock
    assert guess._reading is not None
    guess._reading = type(guess._reading)(guess._reading.offset + error, 0.0, time.monotonic())
    writer.append(request("t", reply("two"), reply("three")))
    assert looks.since() == 1
    writer.append(request("t", reply("four"), reply("five")))
    assert looks.since() == 0  # the right reading came with the look
    check_log(database)


def test_who_has_been_told_of_an_event_finds_it_in_the_past(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its time was guessed ahead: the answer waits until that has come, but for one way there."""
    monkeypatch.setattr("infrastructure.recall._AHEAD_SECONDS", 0.1)
    writer = Writer(database, clock=clock, new_id=Ids())
    for number in range(6):  # a batch, whose time is guessed, and one that goes on from there
        writer.append(request("t", *[reply("two")] * (1 + number % 2)))
        reading = writer._committer._clock._reading
        way = 0.0 if reading is None else reading.doubt_at(time.monotonic())
        ((ahead,),) = fetch(
            database,
            "SELECT extract(epoch FROM max(recorded_at) - clock_timestamp())::float8 "
            "FROM agentlog.events",
        )
        assert ahead <= way < 0.1


def test_nobody_waits_for_a_clock_that_was_set_back(database: Database, clock: Clock) -> None:
    writer = Writer(database, clock=clock, new_id=Ids())
    writer.append(request("t", reply("one")))
    with database.connection() as connection:
        connection.execute(
            "UPDATE agentlog.counter SET recorded_at = clock_timestamp() + interval '1 hour'"
        )
    began = time.monotonic()
    for number in range(1, 4):
        writer.append(request("t", *[reply("two")] * number))
    assert time.monotonic() - began < 60
    check_log(database)


@pytest.mark.parametrize("error", [-3600.0, 3600.0])
def test_one_message_needs_no_guess(
    writer: Writer, looks: Looks, database: Database, error: float
) -> None:
    writer.append(request("t", reply("one")))
    looks.since()
    guess = writer._committer._clock
    assert guess._reading is not None
    guess._reading = type(guess._reading)(guess._reading.offset + error, 0.0, time.monotonic())
    writer.append(request("t", reply("two")))
    writer.append(request("t", calls("a")))
    assert looks.since() == 0
    check_log(database)


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


def _changes(thread_id: str, position: int, **entries: Entry) -> Changes:
    head = Head(TENANT, thread_id, version=position, position=position)
    event = NewEvent(
        TENANT, thread_id, position, position, "reply", "x", Stored(b""), b"", b"", None
    )
    ledger = {Key("call", key): entry for key, entry in entries.items()}
    return Changes(NOON, [event], [head], {(TENANT, thread_id): ledger})


def test_the_oldest_threads_are_forgotten_first() -> None:
    recall = Recall(threads=2)
    for position, thread_id in enumerate(["a", "b", "a", "c"], 1):
        recall.note(position - 1, _changes(thread_id, position))
    assert recall.missing([(TENANT, each) for each in "abc"]) == [(TENANT, "b")]


def test_only_open_entries_are_remembered_and_not_too_many() -> None:
    recall = Recall(entries=2)
    recall.note(0, _changes("t", 1, a=Entry(1), b=Entry(1)))
    recall.note(1, _changes("t", 2, a=Entry(1, 2), c=Entry(2)))
    recall.note(2, _changes("t", 3, d=Entry(3)))
    ground = recall.ground(Wanted([(TENANT, "t")]), {})
    assert dict(ground.ledger[TENANT, "t"]) == {
        Key("call", "c"): Entry(2),
        Key("call", "d"): Entry(3),
    }


class Seconds:
    """A clock of seconds, as a test sets it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_no_wait_is_longer_than_a_stamp_may_be_ahead() -> None:
    seconds = Seconds()
    clock = StoreClock(seconds)
    assert clock.seconds_until(NOON) == 0.0
    clock.note(NOON, asked_at=seconds.now)
    assert clock.seconds_until(NOON + timedelta(milliseconds=2)) == pytest.approx(0.002, abs=1e-5)
    assert clock.seconds_until(NOON + timedelta(hours=1)) == 0.5


def test_the_clock_is_known_from_the_reading_that_came_quickest() -> None:
    seconds = Seconds()
    clock = StoreClock(seconds)
    assert clock.stamp(1, after=NOON) is None
    seconds.now = 101.0
    clock.note(NOON, asked_at=100.999)  # 1 ms
    seconds.now = 102.0
    clock.note(NOON + timedelta(seconds=5), asked_at=101.98)  # 20 ms, and far off
    stamp = clock.stamp(1, after=NOON)
    assert stamp is not None
    assert timedelta(seconds=1) < stamp - NOON < timedelta(seconds=1.01)
    assert 0 < clock.seconds_until(stamp) < 0.01
    seconds.now = 1000.0
    clock.note(NOON, asked_at=999.98)  # clocks drift: by now it is the better one
    stamp = clock.stamp(1, after=NOON)
    assert stamp is not None
    assert stamp - NOON < timedelta(seconds=0.1)


def test_no_two_stamps_are_the_same_and_a_doubtful_reading_gives_none() -> None:
    seconds = Seconds()
    clock = StoreClock(seconds)
    clock.note(NOON, asked_at=99.0)
    assert clock.stamp(1, after=NOON) is None
    clock.note(NOON, asked_at=100.0)
    later = NOON + timedelta(seconds=0.2)
    assert clock.stamp(1, after=later) == later + timedelta(microseconds=1)
    assert clock.stamp(1, after=NOON + timedelta(hours=1)) is None
    assert clock.stamp(1, after=NOON) is None  # which says that the reading is wrong
    assert clock.seconds_until(later) == 0


def test_stamps_that_were_too_late_push_the_next_ones_ahead() -> None:
    seconds = Seconds()
    clock = StoreClock(seconds)

    def ahead() -> float:
        clock.note(NOON, asked_at=seconds.now)
        stamp = clock.stamp(0, after=NOON)
        assert stamp is not None
        return (stamp - NOON).total_seconds()

    first = ahead()
    clock.missed()
    assert clock.stamp(0, after=NOON) is None  # the clock may have been set
    further = ahead()
    assert further > first
    for _ in range(100):
        clock.missed()
    assert 0 < ahead() < 0.1
    for _ in range(1000):
        clock.note(NOON, asked_at=seconds.now, stamped=True)
    assert 0 <= ahead() < first


def test_stamps_come_nearer_only_while_somebody_waits_for_them() -> None:
    seconds = Seconds()
    clock = StoreClock(seconds)

    def append(*, takes: float) -> float:
        """Return how far ahead the stamp was of an append that takes so long."""
        asked_at, asked = seconds.now, NOON + timedelta(seconds=seconds.now - 100)
        stamp = clock.stamp(0, after=NOON)
        assert stamp is not None
        seconds.now += takes
        clock.note(NOON + timedelta(seconds=seconds.now - 100), asked_at=asked_at, stamped=True)
        return (stamp - asked).total_seconds()

    clock.note(NOON, asked_at=seconds.now)
    first = append(takes=0.5)
    assert [append(takes=0.5) for _ in range(20)] == pytest.approx([first] * 20, abs=1e-5)
    append(takes=0)
    assert append(takes=0) < 0.9 * first


@pytest.mark.usefixtures("looks")
def test_threads_that_were_only_asked_for_are_not_remembered(writer: Writer) -> None:
    """Else whoever is refused on ever new threads would fill the memory."""
    writer.append(request("t", reply("one")))
    for number in range(5):
        with pytest.raises(VersionConflict):
            writer.append(request(f"none-{number}", reply("one"), expected_version=7))
    assert list(writer._committer._recall._threads) == [(TENANT, "t")]


@pytest.mark.usefixtures("looks")
def test_each_commit_notifies_once_and_what_is_refused_does_not(
    writer: Writer, database: Database
) -> None:
    with database.connection() as listener:
        listener.execute("LISTEN agentlog")
        writer.append_many([request(each, reply("one"), reply("two")) for each in "tu"])
        writer.append(request("t", reply("three")))
        with pytest.raises(VersionConflict):
            writer.append(request("t", reply("four"), expected_version=1))
        told = [each.payload for each in listener.notifies(timeout=0.5)]
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
