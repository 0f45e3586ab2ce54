"""Connections whose requests never come, or never end: they are told so and ended."""

import time
from collections.abc import Iterator

import httpx2
import pytest
from fastapi import FastAPI

from agentlog.api.http.server.connection import bounded_connections
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from tests.api.conftest import end_following
from tests.api.keyholders import empty_keys, make_key
from tests.api.servers import asking, connected, served, until_closed, until_received
from tests.infrastructure.appends import last_position, reply
from tests.waiting import WAIT_SECONDS

_HEALTHY = b'{"status":"ok"}'
_BEGUN = b"POST /v1/threads/t/messages HTTP/1.1\r\nHost: here\r\n"
_IDLE_SECONDS = 2.0  # a busy machine may hold a test up for a second
FINE = print_bytes(reply("hi"))
_LINE = b'{"threadId": "t", "messages": [{"type": "tick"}]}\n'


@pytest.fixture
def remote(app: FastAPI) -> Iterator[httpx2.Client]:
    """A client of a server that does not wait for long."""
    connections = bounded_connections(max_header_bytes=4096, client_seconds=0.3)
    with served(app, http=connections) as client:
        yield client


def problem_of(received: bytes, status: bytes, name: str, setting: str) -> JsonValue:
    """Check that it is that problem, with the headers of every answer."""
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 " + status)
    lines = head.lower().split(b"\r\n")
    for line in (
        b"connection: close",
        b"x-content-type-options: nosniff",
        b"cache-control: no-store",
    ):
        assert line in lines
    problem = parse(body)
    assert problem["type"] == f"urn:agentlog:problem:{name}"
    assert setting in problem["detail"]
    return problem


@pytest.mark.parametrize(
    "begun",
    [
        _BEGUN + b"X-Long: " + b"a" * 5000,
        b"GET /" + b"a" * 5000,
        _BEGUN + b"X: %b\r\n" % (b"y" * 100) * 100,
    ],
)
def test_headers_that_never_end_are_431(remote: httpx2.Client, begun: bytes) -> None:
    with connected(remote) as connection:
        connection.sendall(begun)
        problem_of(until_closed(connection), b"431 ", "headers-too-large", "longer than 4096 bytes")
    assert remote.get("/healthz").status_code == 200


@pytest.mark.parametrize("before", [b"", b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"])
def test_headers_that_stall_are_408(remote: httpx2.Client, before: bytes) -> None:
    with connected(remote) as connection:
        connection.sendall(before)
        if before:
            until_received(connection, _HEALTHY)
        connection.sendall(_BEGUN)
        problem_of(until_closed(connection), b"408 ", "headers-stalled", "after 0.3 s")


def test_who_asks_for_nothing_is_told_nothing(remote: httpx2.Client) -> None:
    with connected(remote) as connection:
        assert until_closed(connection) == b""


@pytest.mark.parametrize(
    "begun",
    [
        _BEGUN + b'Content-Length: 1000\r\n\r\n{"type": "tick"}',
        _BEGUN + b'Transfer-Encoding: chunked\r\n\r\n10\r\n{"type": "tick"}\r\n',
        b"POST /v1/threads HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n{}",
        b"PUT /v1/blobs/" + b"0" * 64 + b" HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\na",
    ],
)
def test_a_body_that_stalls_is_408_and_nothing_of_it_is_kept(
    remote: httpx2.Client, database: Database, begun: bytes
) -> None:
    with connected(remote) as connection:
        connection.sendall(begun)
        problem_of(until_closed(connection), b"408 ", "body-stalled", "for 0.3 s")
    assert last_position(database) == 0
    answer = remote.post("/v1/threads/t/messages", json={"type": "tick"})
    assert answer.status_code == 201  # others, and later ones, go on


def test_who_talks_line_by_line_may_take_a_while(remote: httpx2.Client, database: Database) -> None:
    """The answer to a line has begun: whoever reads it may think about the next one."""
    with connected(remote) as connection:
        connection.sendall(
            b"POST /v1/log HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        received = b""
        for count in (1, 2):
            connection.sendall(f"{len(_LINE):x}\r\n".encode() + _LINE + b"\r\n")
            while received.count(b'"appended"') < count:
                received += connection.recv(2**16)
            with connected(remote) as other:  # as long as that takes to be given up
                assert until_closed(other) == b""
        connection.sendall(b"0\r\n\r\n")
        while not received.endswith(b"0\r\n\r\n"):
            received += connection.recv(2**16)
    assert last_position(database) == 2


def test_a_connection_that_is_not_used_any_more_is_closed(app: FastAPI) -> None:
    with (
        served(app, idle_seconds=3) as remote,
        connected(remote) as connection,
    ):
        for _ in range(3):  # together longer than that
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
            until_received(connection, _HEALTHY)
            time.sleep(1.1)
        assert until_closed(connection) == b""


def test_an_answer_that_takes_longer_than_that_goes_on(app: FastAPI) -> None:
    with (
        served(app, idle_seconds=_IDLE_SECONDS) as remote,
        connected(remote) as connection,
    ):
        for path, begun in ((b"/healthz", _HEALTHY), (b"/v1/log/events", b"HTTP/1.1 200 ")):
            connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: here\r\n\r\n")
            until_received(connection, begun)
        time.sleep(_IDLE_SECONDS * 1.2)
        assert remote.post("/v1/threads/t/messages", json={"type": "tick"}).status_code == 201
        until_received(connection, b"event: event")
    end_following(app)


def test_headers_may_take_longer_than_a_connection_may_be_idle(app: FastAPI) -> None:
    asked = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
    with served(app, idle_seconds=_IDLE_SECONDS) as remote, connected(remote) as connection:
        for place in (0, 10, -1):
            connection.sendall(asked[:place])
            time.sleep(_IDLE_SECONDS * 1.2 if place else 0)
            connection.sendall(asked[place:])
            until_received(connection, _HEALTHY)


@pytest.fixture
def key(app: FastAPI, database: Database) -> Iterator[KeyText]:
    """A key, without which nobody is answered."""
    yield make_key(app)
    empty_keys(database)


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("rest", [b"", b"{", b"{}", b"{}GET"])
def test_a_connection_ends_whose_body_is_answered_before_it_ends(
    remote: httpx2.Client, rest: bytes
) -> None:
    """Also where the rest comes, and then nothing more."""
    with connected(remote) as connection:
        connection.sendall(_BEGUN + b"Content-Length: 3\r\n\r\n{")
        assert until_received(connection, b"}").startswith(b"HTTP/1.1 401 ")
        connection.sendall(rest)
        received = until_closed(connection)
    assert received.startswith(b"HTTP/1.1 408 " if rest == b"{}GET" else b"")


@pytest.mark.usefixtures("key")
def test_a_body_that_is_answered_before_it_ends_is_no_request(remote: httpx2.Client) -> None:
    body = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
    with connected(remote) as connection:
        connection.sendall(_BEGUN + b"Content-Length: %d\r\n\r\n" % len(body))
        assert until_received(connection, b"}").startswith(b"HTTP/1.1 401 ")
        connection.sendall(body)
        connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        received = until_closed(connection)
    assert received.count(b"HTTP/1.1 200 ") == 1
    assert b'"ready"' in received


def test_a_client_that_waits_to_be_told_to_go_on_is_told(remote: httpx2.Client) -> None:
    said = asking(FINE, ("Expect", "100-continue"))
    with connected(remote) as connection:
        connection.sendall(said[: -len(FINE)])
        assert until_received(connection, b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(FINE)
        assert until_closed(connection).startswith(b"HTTP/1.1 201 ")


@pytest.mark.parametrize("at", [-1, 30, -len(FINE), -len(FINE) + 5])
def test_a_request_may_come_in_two_pieces(
    remote: httpx2.Client, database: Database, at: int
) -> None:
    said = asking(FINE)
    with connected(remote) as connection:
        connection.sendall(said[:at])
        time.sleep(0.05)
        connection.sendall(said[at:])
        assert until_closed(connection).startswith(b"HTTP/1.1 201 ")
    assert last_position(database) == 1


def test_what_a_client_sent_before_it_left_is_written(
    remote: httpx2.Client, database: Database
) -> None:
    with connected(remote) as connection:
        connection.sendall(asking(FINE))
    until = time.monotonic() + WAIT_SECONDS
    while last_position(database) < 1 and time.monotonic() < until:
        time.sleep(0.01)
    assert last_position(database) == 1


def test_one_connection_serves_many_requests(remote: httpx2.Client) -> None:
    for number in range(5):
        body = {"type": "log", "text": "x" * 100_000 * number}
        assert remote.post("/v1/threads/t/messages", json=body).status_code == 201
    with connected(remote) as connection:  # also where they come together
        asked = b"GET /healthz HTTP/1.1\r\nHost: here\r\n"
        connection.sendall((asked + b"\r\n") * 3 + asked + b"Connection: close\r\n\r\n")
        assert until_closed(connection).count(b"HTTP/1.1 200") == 4
