"""The hub: every event once, in the log's order, whoever else appends and whatever breaks."""

import logging
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest
from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import APPENDED, Listener
from agentlog.infrastructure.subscriptions.hub import Hub, HubEntry, Paging
from tests.infrastructure.appending import appender
from tests.infrastructure.appends import (
    TENANT,
    Clock,
    Ids,
    fetch,
    last_position,
    reply,
    request,
    unguarded,
)
from tests.infrastructure.postgres.relay import Relay
from tests.waiting import WAIT_SECONDS


class Hearing:
    """Follows a hub as a follower does: a place, from memory where that is, else from the log."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.heard: list[int] = []
        self.batches = 0
        self._woken = threading.Event()
        hub.start()
        self.leave = hub.attach(self._told)

    def _told(self, entries: Sequence[HubEntry]) -> None:
        del entries
        self.batches += 1
        self._woken.set()

    def until(self, position: int) -> None:
        """Read on until a position has been heard."""
        while not self.heard or self.heard[-1] < position:
            self._woken.clear()
            after = self.heard[-1] if self.heard else 0
            audits = self.hub.log_after(after, limit=100)
            events = (
                self.hub.reader.log(after=after, limit=100)
                if audits is None
                else [entry.event for entry in audits]
            )
            self.heard += [event.position or 0 for event in events]
            assert events or self._woken.wait(WAIT_SECONDS)

    def until_remembered(self, position: int) -> None:
        """Wait until the hub itself has come so far: the log may be ahead of it."""
        while self.hub.position < position:
            self._woken.clear()
            assert self.hub.position >= position or self._woken.wait(WAIT_SECONDS)


@pytest.fixture
def hub(own_database: Database) -> Iterator[Hub]:
    """A hub with a listener that hardly polls."""
    with Listener(own_database, poll_seconds=5) as listener, _hub(own_database, listener) as hub:
        yield hub


def _hub(database: Database, listener: Listener, **bounds: int) -> Hub:
    return Hub(LogReader(database, tenant=TENANT), listener, **bounds)


@pytest.fixture
def writer(own_database: Database) -> Writer:
    return Writer(own_database, clock=Clock(), new_id=Ids())


def test_who_follows_hears_what_was_and_what_comes(hub: Hub, writer: Writer) -> None:
    writer.append(request("t", *(reply(str(n)) for n in range(5))))
    hearing = Hearing(hub)
    hearing.until(5)
    for number in range(5):
        writer.append(request(f"t{number}", reply("more")))
    hearing.until(10)
    assert hearing.heard == list(range(1, 11))


def test_nothing_is_read_and_no_thread_runs_before_somebody_follows(
    hub: Hub, own_database: Database, writer: Writer
) -> None:
    writer.append(request("t", reply("one")))
    assert hub.position == 0
    assert not {"hub", "listener"} & {thread.name for thread in threading.enumerate()}
    listening = (
        "SELECT 1 FROM pg_stat_activity "
        "WHERE datname = current_database() AND query LIKE 'LISTEN%%'"
    )
    assert fetch(own_database, listening) == []


def test_a_thread_is_found_in_memory_without_looking_at_the_others(
    hub: Hub, writer: Writer
) -> None:
    writer.append(request("t", reply("before")))
    hearing = Hearing(hub)
    writer.append(request("t", reply("one"), reply("two")))
    writer.append(request("other", *(reply("x") for _ in range(50))))
    hearing.until_remembered(53)

    def versions(version: int, limit: int = 10) -> list[int] | None:
        thread = hub.thread_after("t", version, limit=limit)
        return None if thread is None else [entry.event.version for entry in thread]

    assert versions(0) is None  # version 1 is older than what is kept
    assert versions(1) == [2, 3]
    assert versions(1, limit=1) == [2]
    assert versions(3) == []
    assert hub.thread_after("nobody", 0, limit=10) is None


def test_memory_is_bounded_by_count_and_by_bytes(own_database: Database, writer: Writer) -> None:
    for bounds in ({"most_events": 10}, {"most_bytes": 2000}):
        with Listener(own_database) as listener, _hub(own_database, listener, **bounds) as hub:
            begin = last_position(own_database)
            hearing = Hearing(hub)
            hearing.heard = [begin]
            for number in range(40):
                writer.append(request(f"t{number % 3}", reply("x" * 50)))
            hearing.until(begin + 40)
            assert hearing.heard == list(range(begin, begin + 41))
            entries = hub._ring._entries
            assert 0 < len(entries) <= 20
            assert sum(map(len, hub._ring._threads.values())) == len(entries)
            assert hub.log_after(begin, limit=10) is None


def test_a_connection_that_is_killed_costs_nobody_an_event(
    hub: Hub, own_database: Database, writer: Writer
) -> None:
    hearing = Hearing(hub)
    for number in range(6):
        writer.append(request("t", reply(str(number))))
        hearing.until(number + 1)
        killed = fetch(
            own_database,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE query LIKE 'LISTEN%%' AND datname = current_database()",
        )
        assert killed or number
    assert hearing.heard == list(range(1, 7))


def test_a_database_that_is_gone_for_a_while_costs_nobody_an_event(
    own_database: Database, writer: Writer, caplog: pytest.LogCaptureFixture
) -> None:
    with ExitStack() as stack:
        relay = stack.enter_context(Relay(own_database._conninfo))
        through = stack.enter_context(Database(relay.url, pool_size=2, wait_seconds=0.2))
        listener = stack.enter_context(Listener(through, poll_seconds=0.1))
        hearing = Hearing(stack.enter_context(_hub(through, listener)))
        writer.append(request("t", reply("before")))
        hearing.until(1)
        relay.cut()
        for number in range(50):
            writer.append(request("t", reply(str(number))))
        while "cannot be followed" not in caplog.text:
            assert threading.Event().wait(0.01) is False
        relay.mend()
        hearing.until(51)
        writer.append(request("t", reply("after")))
        hearing.until(52)
    assert hearing.heard == list(range(1, 53))
    assert caplog.text.count("the log cannot be followed") == 1


def test_a_log_that_went_back_is_told_of_and_followed_on(
    hub: Hub, own_database: Database, writer: Writer, caplog: pytest.LogCaptureFixture
) -> None:
    hearing = Hearing(hub)
    writer.append(request("t", *(reply(str(n)) for n in range(5))))
    hearing.until(5)
    with caplog.at_level(logging.ERROR), own_database.connection() as connection:
        connection.execute("ALTER TABLE agentlog.events DISABLE TRIGGER events_only_grow")
        connection.execute("DELETE FROM agentlog.events WHERE position > 3")
        with unguarded(connection):
            connection.execute("UPDATE agentlog.threads SET version = 3, position = 3")
            connection.execute("UPDATE agentlog.counter SET position = 3")
        connection.execute("SELECT pg_notify('agentlog', '3')")
        while "went back from position 5 to 3" not in caplog.text:
            assert threading.Event().wait(0.01) is False
    Writer(own_database, clock=Clock(), new_id=Ids()).append(
        request("other", *(reply(str(n)) for n in range(4)))
    )
    hearing.until(7)
    assert hearing.heard == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.slow
def test_six_processes_append_and_every_event_is_heard_once_in_order(
    hub: Hub, own_database: Database
) -> None:
    fast, slow = Hearing(hub), Hearing(hub)
    command = [
        sys.executable,
        "-m",
        appender.__name__,
        own_database._conninfo,
    ]
    appenders = [
        subprocess.Popen(
            [*command, f"p{number}", "5", "8"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        for number in range(6)
    ]
    assert [process.wait(60) for process in appenders] == [0] * 6
    last = last_position(own_database)
    for hearing in (fast, slow):
        hearing.until(last)
        assert hearing.heard == list(range(1, last + 1))
    assert fast.batches < last


def test_one_who_fails_to_be_told_keeps_nobody_else_from_it(
    hub: Hub, writer: Writer, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(entries: Sequence[HubEntry]) -> None:
        raise RuntimeError(str(len(entries)))

    hub.attach(fail)
    hearing = Hearing(hub)
    writer.append(request("t", reply("one")))
    hearing.until(1)
    writer.append(request("t", reply("two")))
    hearing.until(2)
    assert "could not be told" in caplog.text


def test_pages_grow_while_events_are_small_and_shrink_when_they_are_not(
    own_database: Database, writer: Writer
) -> None:
    reader, paging = LogReader(own_database, tenant=TENANT), Paging()
    writer.append(request("t", *(reply("x") for _ in range(40))))
    assert paging.read(reader.log(limit=paging.limit))
    assert paging.limit == 64
    assert not paging.read(reader.log(limit=paging.limit))
    writer.append(request("big", *(reply("x" * 2**21) for _ in range(3))))
    assert not paging.read(reader.events("big", limit=paging.limit))
    assert paging.limit == 16


def test_closing_ends_what_was_started(own_database: Database) -> None:
    with Listener(own_database) as listener, _hub(own_database, listener) as hub:
        hub.start()
    assert not {"hub", "listener"} & {thread.name for thread in threading.enumerate()}


class Reads(LogReader):
    """Counts how often the log is read."""

    count = 0

    @override
    def log(self, **asked: Any) -> list[Event]:
        self.count += 1
        return super().log(**asked)


def test_nothing_is_read_for_followers_that_have_left(
    own_database: Database, writer: Writer
) -> None:
    reader = Reads(own_database, tenant=TENANT)
    with Listener(own_database, poll_seconds=0.05) as listener, Hub(reader, listener) as hub:
        first, second = Hearing(hub), Hearing(hub)
        writer.append(request("t", reply("1")))
        for hearing in (first, second):
            hearing.until(1)
        first.leave()
        writer.append(request("t", reply("2")))
        second.until_remembered(2)
        second.leave()
        polled = threading.Event()
        before = reader.count
        for number in range(3, 6):
            writer.append(request("t", reply(str(number))))
        off = listener.on(APPENDED, polled.set)
        assert polled.wait(WAIT_SECONDS)  # another would have been called too
        off()
        assert reader.count == before
        third = Hearing(hub)
        writer.append(request("t", reply("6")))
        third.until(6)
        assert third.heard == [1, 2, 3, 4, 5, 6]
        third.until_remembered(6)


def test_a_follower_of_a_thread_is_told_of_what_came_while_nothing_was_read(
    own_database: Database, writer: Writer
) -> None:
    reader = LogReader(own_database, tenant=TENANT)
    with (
        Listener(own_database, poll_seconds=5) as listener,
        Hub(reader, listener, most_events=2) as hub,
    ):
        first = Hearing(hub)
        writer.append(request("t", reply("1")))
        first.until_remembered(1)
        first.leave()
        writer.append(request("t", *(reply(str(number)) for number in range(2, 6))))
        told = threading.Event()
        hub.attach(lambda entries: None if entries else told.set())
        assert told.wait(WAIT_SECONDS)
        assert hub.thread_after("t", 1, limit=10) is None  # it stands in the log
