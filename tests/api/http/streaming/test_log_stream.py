"""The log as a stream, and what streams survive: filters, slow readers, a lost database."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlencode

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.api.http.streaming.subscribers import TenantFollowers
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.conftest import app_over, end_following, following_of, threads_over
from tests.api.listeners import Listening, followed, heard, listening
from tests.infrastructure.appends import STORY, fetch, reply
from tests.infrastructure.postgres.relay import Relay
from tests.waiting import WAIT_SECONDS


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    """Where the application listens."""
    with followed(app) as client:
        yield client


def wait_for(following: TenantFollowers, count: int) -> None:
    """Wait until so many follow."""
    until = time.monotonic() + WAIT_SECONDS
    while following.count != count:
        assert time.monotonic() < until
        threading.Event().wait(0.005)


def test_the_log_is_told_as_it_is_listed_and_goes_on(
    address: str, client: TestClient, threads: Threads
) -> None:
    threads.append("t", STORY)
    with listening(address, "/v1/log/events") as stream:
        frames = stream.take(len(STORY))
        threads.append("other", [reply("live")])
        frames.append(stream.next())
    listed = client.get("/v1/log?limit=1000").json()["items"]
    assert [frame.value for frame in frames] == listed
    assert [frame.id for frame in frames] == [str(item["position"]) for item in listed]
    assert {frame.event for frame in frames} == {"event"}


def test_the_log_goes_on_after_any_position(address: str, threads: Threads) -> None:
    threads.append("t", STORY)
    whole = heard(address, "/v1/log/events?follow=false")
    for index in (0, 7, len(whole) - 1):
        place = whole[index].id or ""
        resumed = heard(address, "/v1/log/events?follow=false", headers={"Last-Event-ID": place})
        assert resumed == whole[index + 1 :]
        assert heard(address, f"/v1/log/events?follow=false&after={place}") == resumed


def test_latest_begins_at_the_present(address: str, app: FastAPI, threads: Threads) -> None:
    threads.append("t", [reply("before")])
    with listening(address, "/v1/log/events?after=latest") as stream:
        wait_for(following_of(app), 1)
        threads.append("t", [reply("after")])
        assert stream.next().value["message"]["text"] == "after"


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("type:reply", ["a", "b", "d"]),
        ("type:log or type:input", ["c", "e"]),
        ("thread:sup*", ["c", "d"]),
        ("metadata.actor:ada", ["b", "e"]),
        ("metadata.n:1", ["d"]),
        ('metadata.n:"1"', ["e"]),
        ("metadata.n:0.50", ["a"]),
        ("thread:sup* type:reply metadata.n:1.0", ["d"]),
        ("type:tick", []),
    ],
)
def test_filters_leave_what_was_asked_for(
    address: str, threads: Threads, query: str, texts: list[str]
) -> None:
    threads.append("t", [reply("a", metadata={"n": 0.5}), reply("b", metadata={"actor": "ada"})])
    threads.append("support-1", [{"type": "log", "text": "c"}, reply("d", metadata={"n": 1})])
    last = {"type": "input", "text": "e", "metadata": {"actor": "ada", "n": "1"}}
    path = f"/v1/log/events?{urlencode({'filter': query})}"
    with listening(address, path) as stream:
        threads.append("t", [last])
        shown = [frame.value["message"]["text"] for frame in stream.take(len(texts))]
        assert shown == texts
    told = heard(address, f"{path}&follow=false")
    assert [frame.value["message"]["text"] for frame in told if frame.data] == texts


def _until(stream: Listening, position: str) -> None:
    """Read places up to one; a heartbeat between two batches of the hub tells of the first."""
    while (frame := stream.next()).id != position:
        assert (frame.data, int(frame.id or "") < int(position)) == (None, True)


def test_a_filter_that_lets_nothing_pass_still_moves_on(
    address: str, app: FastAPI, threads: Threads
) -> None:
    following_of(app).heartbeat_seconds = 0.05
    threads.append("t", [{"type": "tick"}] * 5)
    assert [
        frame.id for frame in heard(address, "/v1/log/events?filter=type:log&follow=false")
    ] == ["5"]
    threads.append("t", [{"type": "tick"}] * 1195)
    (frame,) = heard(address, "/v1/log/events?filter=type:reply&follow=false")
    assert (frame.id, frame.data, frame.event) == ("1200", None, None)
    with listening(address, "/v1/log/events?filter=type:reply") as stream:
        _until(stream, "1200")
        threads.append("t", [{"type": "tick"}] * 3)
        _until(stream, "1203")
        threads.append("t", [reply("at last")])
        assert stream.next().id == "1204"


def test_a_stream_says_that_it_is_alive(address: str, app: FastAPI, threads: Threads) -> None:
    following_of(app).heartbeat_seconds = 0.02
    threads.append("t", [reply("one")])
    for path in ("/v1/log/events", "/v1/threads/t/events"):
        with listening(address, path) as stream:
            assert stream.any().comment is None
            assert [stream.any().comment for _ in range(2)] == ["ping"] * 2


def test_one_who_does_not_read_holds_up_nobody(
    address: str, app: FastAPI, threads: Threads
) -> None:
    host, port = address.removeprefix("http://").split(":")
    with socket.socket() as idle:
        idle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        idle.connect((host, int(port)))
        idle.sendall(b"GET /v1/log/events HTTP/1.1\r\nHost: here\r\n\r\n")
        wait_for(following_of(app), 1)
        with listening(address, "/v1/log/events") as stream:
            for number in range(40):
                threads.append("t", [reply("x" * 2**18)])
                assert stream.next().id == str(number + 1)
        ring = following_of(app).hub._ring
        assert ring._bytes <= ring._most_bytes
        idle.settimeout(WAIT_SECONDS)
        received = b""
        while b"id: 40\n" not in received[-200:]:  # what it missed is there for it still
            received = received[-200:] + idle.recv(2**20)


def test_who_has_gone_leaves_nothing_behind(address: str, app: FastAPI, threads: Threads) -> None:
    threads.append("t", [reply("one")])
    following: TenantFollowers = following_of(app)
    for path in ("/v1/log/events", "/v1/threads/t/events", "/v1/threads/t/events?view=letta"):
        with listening(address, path) as stream:
            stream.next()
            assert following.count == 1
            loop = following._loop
        wait_for(following, 0)
    assert following._threads == {}
    assert loop is not None
    names = asyncio.run_coroutine_threadsafe(_tasks(), loop).result(WAIT_SECONDS)
    assert not [name for name in names if "stream" in name or "leave" in name]


async def _tasks() -> list[str]:
    await asyncio.sleep(0.05)
    return [str(task.get_coro()) for task in asyncio.all_tasks()]


def test_who_waits_holds_no_thread(address: str, app: FastAPI, threads: Threads) -> None:
    threads.append("t", [reply("one")])
    with ExitStack() as stack:
        streams = [
            stack.enter_context(listening(address, "/v1/threads/t/events")) for _ in range(60)
        ]
        for stream in streams:
            stream.next()
        wait_for(following_of(app), 60)
        threads.append("t", [reply("two")])
        assert {stream.next().id for stream in streams} == {"2.0"}
        assert stack.enter_context(listening(address, "/v1/log/events")).next().id == "1"


def test_a_service_that_stops_ends_its_streams_at_once(app: FastAPI, threads: Threads) -> None:
    threads.append("t", [reply("one")])
    with ExitStack() as stack:
        with followed(app) as address:
            streams = [
                stack.enter_context(listening(address, path))
                for path in ("/v1/log/events", "/v1/threads/t/events?view=maria")
            ]
            for stream in streams:
                stream.next()
            began = time.monotonic()
        assert time.monotonic() - began < WAIT_SECONDS  # the server would wait for ever
        for stream in streams:
            stream.rest()  # to a proper end


def test_a_lost_database_costs_those_who_follow_nothing(own_database: Database) -> None:
    direct = threads_over(own_database)
    direct.append("t", [reply("0")])
    with ExitStack() as stack:
        relay = stack.enter_context(Relay(own_database._conninfo))
        through = stack.enter_context(Database(relay.url, pool_size=3, wait_seconds=0.2))
        app = app_over(through, threads_over(through))
        address = stack.enter_context(followed(app))
        stack.callback(end_following, app)
        thread = stack.enter_context(listening(address, "/v1/threads/t/events"))
        log = stack.enter_context(listening(address, "/v1/log/events"))
        assert [thread.next().id, log.next().id] == ["1.0", "1"]
        relay.cut()
        following: TenantFollowers = following_of(app)
        (follower,) = following._threads["t"]
        assert following._loop is not None
        following._loop.call_soon_threadsafe(follower.wake)
        assert thread.any().comment == "ping"  # it looked, and found no database
        for number in range(1, 6):
            direct.append("t", [reply(str(number))])
        relay.mend()
        direct.append("t", [reply("6")])
        assert [frame.value["text"] for frame in thread.take(6)] == list("123456")
        assert [frame.id for frame in log.take(6)] == list("234567")


def test_the_listening_connection_may_die_at_any_time(
    address: str, threads: Threads, database: Database
) -> None:
    threads.append("t", [reply("0")])
    with listening(address, "/v1/threads/t/events") as stream:
        for number in range(4):
            assert stream.next().value["text"] == str(number)
            fetch(
                database,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE query LIKE 'LISTEN%%' AND datname = current_database()",
            )
            threads.append("t", [reply(str(number + 1))])
