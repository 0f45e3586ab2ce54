"""A real server on loopback: what a client in the same process cannot show."""

import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from fastapi import FastAPI

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.refusals import problem_in
from tests.api.servers import running, served
from tests.clients import TLS
from tests.infrastructure.appending.holding import held, until_waited_for
from tests.infrastructure.appends import check_log, given, last_position
from tests.waiting import WAIT_SECONDS, until

LIMIT = b"16777216"


@pytest.fixture
def remote(app: FastAPI) -> Iterator[httpx2.Client]:
    """A client of a server that runs the application, which keeps its connections."""
    with served(app) as client:
        yield client


@pytest.fixture
def port(remote: httpx2.Client) -> int:
    """The port of that server."""
    assert remote.base_url.port is not None
    return remote.base_url.port


def _answer(connection: socket.socket) -> bytes:
    """Return all that comes until the server closes, or nothing more has come for a while."""
    received = b""
    try:
        while chunk := connection.recv(2**16):
            received += chunk
            if b"AGENTLOG_MAX_BODY_BYTES" in received:
                break
    except (TimeoutError, ConnectionResetError):
        pass
    return received


def test_a_body_that_is_declared_too_large_is_413_before_it_is_sent(
    port: int, database: Database
) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(
            b"POST /v1/threads/t/messages HTTP/1.1\r\nHost: here\r\n"
            b"Content-Length: 17825792\r\n\r\n"
        )
        received = _answer(connection)
    assert received.startswith(b"HTTP/1.1 413 ")
    assert b"larger than " + LIMIT in received
    assert last_position(database) == 0


def test_a_body_in_chunks_is_413_as_soon_as_it_is_too_large(port: int, database: Database) -> None:
    chunk = b"100000\r\n" + b"x" * 2**20 + b"\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(
            b"POST /v1/threads/t/messages HTTP/1.1\r\nHost: here\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        for _ in range(17):  # and no end
            connection.sendall(chunk)
        received = _answer(connection)
    assert received.startswith(b"HTTP/1.1 413 ")
    assert last_position(database) == 0


def test_a_body_that_breaks_off_writes_nothing_and_the_server_goes_on(
    port: int, remote: httpx2.Client, database: Database
) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(
            b"POST /v1/threads/t/messages HTTP/1.1\r\nHost: here\r\n"
            b'Content-Length: 1000\r\n\r\n{"type":"tick"}'
        )
    answer = remote.post("/v1/threads/t/messages", json={"type": "tick"})
    assert (answer.status_code, answer.json()["position"]) == (201, 1)
    assert last_position(database) == 1


def test_deep_nesting_is_refused_in_the_threads_of_a_server_too(remote: httpx2.Client) -> None:
    path = "/v1/threads/t/messages"
    for body in (b"[" * 10_000, b'{"a":' * 10_000):
        problem_in(remote.post(path, content=body), 400, "invalid-json", "128 levels")
    problem_in(remote.post(path, content=b"[" * 5_000_000), 413, "too-many-parts")
    assert remote.get("/healthz").status_code == 200


def test_a_refused_request_leaves_its_connection_usable(remote: httpx2.Client) -> None:
    for _ in range(3):
        problem_in(remote.post("/v1/threads/t/messages", content=b"nope"), 400, "invalid-json")
        assert remote.get("/readyz").status_code == 200


def test_of_many_clients_that_expect_one_version_exactly_one_appends(
    remote: httpx2.Client, database: Database
) -> None:
    def append(number: int) -> int:
        answer = remote.post(
            "/v1/threads/t/messages",
            json={"type": "log", "text": str(number), "id": given(number)},
            headers={"If-Match": '"0"'},
        )
        return answer.status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = Counter(pool.map(append, range(16)))
    assert statuses == {201: 1, 412: 15}
    assert last_position(database) == 1


def test_many_clients_append_at_once_and_every_answer_is_in_the_log(
    remote: httpx2.Client, database: Database
) -> None:
    def append(number: int) -> tuple[str, int]:
        answer = remote.post(
            f"/v1/threads/t{number % 3}/messages", json={"type": "log", "text": str(number)}
        )
        assert answer.status_code == 201
        return answer.json()["messages"][0]["id"], answer.json()["position"]

    with ThreadPoolExecutor(8) as pool:
        answered = set(pool.map(append, range(60)))
    items = remote.get("/v1/log?limit=1000").json()["items"]
    assert {(item["message"]["id"], item["position"]) for item in items} == answered
    assert [item["position"] for item in items] == list(range(1, 61))
    check_log(database)


@pytest.mark.parametrize("hurried", [False, True])
def test_an_append_that_is_on_its_way_when_the_server_stops_is_in_the_log(
    app: FastAPI, threads: Threads, database: Database, *, hurried: bool
) -> None:
    path = "/v1/threads/t/messages"
    with (
        running(app) as (server, address),
        httpx2.Client(base_url=address, timeout=60, trust_env=False, verify=TLS) as client,
        ThreadPoolExecutor(3) as pool,
    ):
        for _ in range(3):
            assert client.post(path, json={"type": "tick"}).status_code == 201
        with held(database):
            asked = [pool.submit(client.post, path, json={"type": "tick"}) for _ in range(3)]
            until_waited_for(database)
            server.should_exit, server.force_exit = True, hurried
            if hurried:  # nobody is told that it is written, for it is not yet
                assert all(
                    future.exception(WAIT_SECONDS) or future.result().is_error for future in asked
                )
        if not hurried:
            assert [future.result(WAIT_SECONDS).status_code for future in asked] == [201] * 3
    until(lambda: last_position(database) >= 4)
    assert threads.append("t", [{"type": "tick"}]).version >= 5
    check_log(database)
