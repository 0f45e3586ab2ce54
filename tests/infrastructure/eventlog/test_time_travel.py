"""What a moment means: just what was there then, and nothing that came later."""

import itertools
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example
from hypothesis import given as drawn
from hypothesis import strategies as st
from psycopg.conninfo import make_conninfo

from agentlog.domain.errors import FutureMoment, UnknownMessage, UnknownThread
from agentlog.domain.json.text import print_bytes
from agentlog.domain.points_in_time import (
    BIGGEST,
    AtMessage,
    AtPosition,
    AtTime,
    AtVersion,
    Moment,
    parse_moment,
)
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import Page
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import VIEWS, choose_view
from agentlog.projections.view import StateView
from tests.databases import new_database
from tests.infrastructure.appends import (
    STORY,
    TENANT,
    Clock,
    Ids,
    append_apart,
    fetch,
    given,
    position_of,
    reply,
    request,
    time_of,
)
from tests.waiting import WAIT_SECONDS


def test_every_form_of_a_moment_means_the_version_just_after_it(threads: Threads) -> None:
    for event in append_apart(threads, "t", STORY):
        moments: list[Moment] = [
            AtVersion(event.version),
            AtPosition(position_of(event)),
            AtPosition(position_of(event) + (event.version > 1)),  # the event of another thread
            AtMessage(event.message_id),
            AtTime(time_of(event)),
            AtTime(time_of(event) + timedelta(microseconds=1)),
        ]
        assert {threads.version_at("t", moment) for moment in moments} == {event.version}


def test_a_moment_as_text_means_the_same(threads: Threads) -> None:
    for event in append_apart(threads, "t", STORY[:5]):
        local = time_of(event).astimezone(UTC).isoformat()
        texts = [str(event.version), f"@{event.position}", event.message_id, local]
        assert {threads.version_at("t", parse_moment(text)) for text in texts} == {event.version}


def test_just_before_an_event_it_is_not_there(threads: Threads) -> None:
    for event in append_apart(threads, "t", STORY[:5]):
        moments: list[Moment] = [
            AtVersion(event.version - 1),
            AtPosition(position_of(event) - 1),
            AtTime(time_of(event) - timedelta(microseconds=1)),
        ]
        assert {threads.version_at("t", moment) for moment in moments} == {event.version - 1}


def test_a_time_means_all_that_was_appended_together(threads: Threads) -> None:
    threads.append("t", [reply("one"), reply("two"), reply("three")])
    threads.append("t", [reply("four")])
    first, *_ = threads.messages("t")
    assert threads.version_at("t", AtTime(time_of(first))) == 3
    assert threads.version_at("t", AtPosition(position_of(first))) == 1


@pytest.mark.parametrize(
    "moment", [AtVersion(0), AtPosition(0), AtPosition(1), AtTime(datetime(2000, 1, 1, tzinfo=UTC))]
)
def test_before_its_first_event_a_thread_is_empty(
    threads: Threads, views: Views, moment: Moment
) -> None:
    threads.append("earlier", [reply("elsewhere")])
    threads.append("t", STORY)
    assert threads.version_at("t", moment) == 0
    assert threads.messages("t", at=moment) == []
    for name in VIEWS:
        view = choose_view(name)
        result = views.view("t", view, at=moment)
        assert (result.version, result.position) == (0, None)
        if isinstance(result, Page):
            assert (result.items, result.next) == ([], None)
        else:
            assert isinstance(view, StateView)
            assert print_bytes(result.state) == print_bytes(view.state(view.start()))


def test_without_a_moment_it_is_the_present(threads: Threads, views: Views) -> None:
    events = append_apart(threads, "t", STORY[:3])
    assert threads.version_at("t", None) == 4
    assert threads.messages("t") == events
    view = views.view("t", choose_view("kernel"))
    assert (view.version, view.position) == (4, events[-1].position)


def test_a_version_that_is_not_there_yet_says_which_is(threads: Threads) -> None:
    threads.append("t", [reply("one"), reply("two")])
    with pytest.raises(
        FutureMoment, match="version 3 is not there yet: thread 't' is at version 2"
    ):
        threads.messages("t", at=AtVersion(3))


def test_a_position_that_is_not_there_yet_says_which_is(threads: Threads, views: Views) -> None:
    threads.append("t", [reply("one")])
    threads.append("u", [reply("two")])
    assert threads.version_at("t", AtPosition(2)) == 1
    with pytest.raises(FutureMoment, match="position 3 is not there yet: the log is at position 2"):
        views.view("t", choose_view("openai"), at=AtPosition(3))


def test_a_time_that_has_not_come_yet_says_what_the_clock_says(
    threads: Threads, views: Views
) -> None:
    threads.append("t", [reply("one")])
    with pytest.raises(FutureMoment, match=r"2999-.* is not there yet: the store's clock says 20"):
        views.view("t", choose_view("openai"), at=parse_moment("2999-01-01T00:00:00Z"))


def test_where_nothing_is_written_a_time_after_the_log_is_of_the_future(
    own_database: Database, database_url: str
) -> None:
    """A standby may be behind: what its primary has recorded at that time may yet come."""
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    writer.append(request("t", reply("one")))
    url = make_conninfo(database_url, options="-c default_transaction_read_only=on")
    with Database(url, pool_size=1) as standby:
        reader = LogReader(standby, tenant=TENANT)
        head = reader.head("t")
        assert head.updated_at is not None
        assert reader.version_at(head, AtTime(head.updated_at)) == 1
        now = AtTime(datetime.now(UTC))
        with pytest.raises(FutureMoment, match="takes no writes, and its log ends before that"):
            reader.version_at(head, now)
        assert LogReader(own_database, tenant=TENANT).version_at(head, now) == 1


def test_no_moment_of_the_future_is_taken_for_the_end_of_a_difference(
    threads: Threads, views: Views
) -> None:
    threads.append("t", [reply("one")])
    view = choose_view("openai")
    with pytest.raises(FutureMoment):
        views.difference("t", view, begin=AtVersion(2), end=None)
    with pytest.raises(FutureMoment):
        views.difference("t", view, begin=None, end=AtVersion(2))


def test_a_message_that_the_thread_does_not_have_is_no_moment_of_it(threads: Threads) -> None:
    threads.append("t", [reply("one")])
    threads.append("u", [reply("two", id=given(2))])
    for unknown in (given(1), given(2)):
        with pytest.raises(UnknownMessage, match=f"thread 't' has no message '{unknown}'"):
            threads.messages("t", at=AtMessage(unknown))


def test_a_thread_that_is_not_there_is_so_at_any_moment(threads: Threads, views: Views) -> None:
    threads.append("u", [reply("one")])
    with pytest.raises(UnknownThread):
        threads.messages("t", at=AtVersion(0))
    with pytest.raises(UnknownThread):
        views.view("t", choose_view("openai"), at=AtPosition(0))
    with pytest.raises(UnknownThread):
        threads.message("t", given(1))


def test_an_event_whose_time_lies_ahead_of_the_clock_is_of_the_past(
    threads: Threads, database: Database
) -> None:
    with database.connection() as connection:  # as if the clock had been set back since
        connection.execute("UPDATE agentlog.counter SET recorded_at = '2100-01-01Z'")
    threads.append("t", [reply("one")])
    (event,) = threads.messages("t")
    assert threads.version_at("t", AtTime(time_of(event))) == 1
    with pytest.raises(FutureMoment, match="clock says 2100-01-01T00:00:00"):
        threads.version_at("t", AtTime(time_of(event) + timedelta(seconds=1)))


def test_a_moment_waits_for_the_append_that_is_about_to_belong_to_it(
    database: Database, writer: Writer, reader: LogReader
) -> None:
    writer.append(request("t", reply("one")))
    head = reader.head("t")
    with ThreadPoolExecutor(1) as pool:
        with database.connection() as connection, connection.transaction():
            row = connection.execute(
                "SELECT clock_timestamp() FROM agentlog.counter FOR UPDATE"
            ).fetchone()
            assert row is not None
            present: datetime = row[0]
            connection.execute(
                """INSERT INTO agentlog.events
                SELECT tenant, thread_id, 2, 2, type, %s, %s, body, body_sha256, chain, metadata
                FROM agentlog.events""",
                (given(2), present),
            )
            connection.execute(
                "UPDATE agentlog.counter SET position = 2, recorded_at = %s", (present,)
            )
            asked = pool.submit(reader.version_at, head, AtTime(present))
            past = AtTime(present - timedelta(days=1))
            assert reader.version_at(head, past) == 0  # which is read without waiting
            time.sleep(0.2)
            assert not asked.done()
        assert asked.result(timeout=WAIT_SECONDS) == 2


# Versions of other makers: from 0, and with some left out


@dataclass(frozen=True, slots=True)
class Stood:
    """Where and when an event stands."""

    version: int
    position: int
    recorded_at: datetime


_FIRST = datetime(2020, 1, 1, tzinfo=UTC)
_LAST_POSITION = 10**9

_threads = itertools.count()
_gaps = st.sampled_from([1, 1, 1, 2, 3, 50, 2**40])
_steps = st.tuples(_gaps, st.integers(1, 3), st.integers(0, 2))


@st.composite
def _histories(draw: st.DrawFn) -> list[Stood]:
    stood = [Stood(draw(st.integers(0, 1)), draw(st.integers(1, 3)), _FIRST)]
    for gap, places, microseconds in draw(st.lists(_steps, max_size=40)):
        last = stood[-1]
        recorded_at = last.recorded_at + timedelta(microseconds=microseconds)
        stood.append(Stood(last.version + gap, last.position + places, recorded_at))
    return stood


@pytest.fixture(scope="module")
def far_log(server_url: str, template_database: str) -> Iterator[Database]:
    """A log whose counter is far ahead of its events, with no rules."""
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=1) as opened,
    ):
        with opened.connection() as connection:
            connection.execute(
                "UPDATE agentlog.counter SET position = %s, recorded_at = now()", (_LAST_POSITION,)
            )
        yield opened


@drawn(history=_histories())
@example(history=[])
@example(history=[Stood(0, 1, _FIRST)])
@example(history=[Stood(1, 1, _FIRST), Stood(BIGGEST - 1, 2, _FIRST)])
@example(history=[Stood(0, 1, _FIRST), Stood(BIGGEST, 3, _FIRST + timedelta(seconds=1))])
def test_a_moment_ends_with_the_last_event_up_to_it_whatever_the_versions(
    far_log: Database, history: list[Stood]
) -> None:
    thread_id = f"drawn-{next(_threads)}"
    with far_log.connection() as connection, connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO agentlog.events (tenant, thread_id, version, position, type, message_id, "
            "recorded_at, body, body_sha256, chain) "
            "VALUES (%s, %s, %s, %s, 'reply', %s::text, %s, '', '', '')",
            [
                (
                    TENANT,
                    thread_id,
                    message.version,
                    message.position,
                    message.version,
                    message.recorded_at,
                )
                for message in history
            ],
        )
    reader = LogReader(far_log, tenant=TENANT)
    head = Head(TENANT, thread_id)
    steps = [timedelta(microseconds=n) for n in (-1, 0, 1)]
    for time_asked in {message.recorded_at + step for message in history for step in steps} | {
        _FIRST
    }:
        past = [message.version for message in history if message.recorded_at <= time_asked]
        assert reader.version_at(head, AtTime(time_asked)) == max(past, default=0)
    for position in {message.position + n for message in history for n in (-1, 0, 1)} | {
        _LAST_POSITION
    }:
        past = [message.version for message in history if message.position <= position]
        assert reader.version_at(head, AtPosition(position)) == max(past, default=0)


def test_a_moment_is_looked_for_in_the_log_as_it_is_not_as_it_was_at_first(
    database_url: str,
) -> None:
    grow = (
        "INSERT INTO agentlog.events (tenant, thread_id, version, position, type, message_id, "
        "recorded_at, body, body_sha256, chain) "
        "SELECT %s, 't', n, n, 'reply', n, now(), '', '', '' FROM generate_series(%s, %s::int) AS n"
    )
    with Database(database_url, pool_size=1) as database:  # a plan is its connection's
        with database.connection() as connection:
            connection.execute("ALTER TABLE agentlog.events SET (autovacuum_enabled = off)")
            connection.execute("UPDATE agentlog.counter SET position = 5000")
            connection.execute(grow, (TENANT, 1, 5))
            connection.execute("ANALYZE agentlog.events")
        reader = LogReader(database, tenant=TENANT)
        head = Head(TENANT, "t")
        for _ in range(20):  # by then the driver and the server would have settled on one
            assert reader.version_at(head, AtPosition(3)) == 3
        with database.connection() as connection:
            connection.execute(grow, (TENANT, 6, 5000))
        before = _read_from_end_to_end(database)
        assert reader.version_at(head, AtPosition(3)) == 3
        assert _read_from_end_to_end(database) == before


def _read_from_end_to_end(database: Database) -> int:
    """Return how many events were read so far other than by an index."""
    fetch(database, "SELECT pg_stat_force_next_flush()")
    ((rows,),) = fetch(
        database, "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'events'"
    )
    return int(rows)
