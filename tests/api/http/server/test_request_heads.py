"""Malformed requests on a socket: each has its answer, and none is run as two or as another."""

from collections.abc import Iterator
from hashlib import sha256

import httpx2
import pytest
from fastapi import FastAPI

from agentlog.api.http.server.connection import bounded_connections
from agentlog.domain.json.text import parse
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.keyholders import empty_keys, make_key
from tests.api.malformed import BODY, MALFORMED, MAX_HEADER_BYTES, SMUGGLED, WELL_FORMED
from tests.api.refusals import PROBLEM
from tests.api.servers import answers, connected, served, until_closed
from tests.infrastructure.appends import last_position

BEFORE = b"GET /healthz HTTP/1.1\r\nHost: here\r\nX-Request-Id: before\r\n\r\n"
AFTER = b"GET /healthz HTTP/1.1\r\nHost: here\r\nX-Request-Id: after\r\nConnection: close\r\n\r\n"
CHUNKED = (
    b"POST /v1/threads/t/messages HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
)


@pytest.fixture
def remote(app: FastAPI) -> Iterator[httpx2.Client]:
    """A client of a server with small limits."""
    connections = bounded_connections(max_header_bytes=MAX_HEADER_BYTES, client_seconds=20)
    with served(app, http=connections) as client:
        yield client


def pieces_of(raw: bytes, way: str) -> list[bytes]:
    """Return bytes as they are sent."""
    match way:
        case "in one write":
            return [raw]
        case "in halves":
            return [raw[: len(raw) // 2], raw[len(raw) // 2 :]]
        case _:
            return [raw[at : at + 1] for at in range(len(raw))]


WAYS = ["in one write", "in halves", "byte by byte"]


@pytest.mark.parametrize("way", WAYS)
def test_each_malformed_request_has_its_answer_and_ends_the_connection(
    remote: httpx2.Client, database: Database, way: str
) -> None:
    assert len(MALFORMED) > 70
    for name, (raw, status, problem) in MALFORMED.items():
        first, *rest = answers(remote, *pieces_of(BEFORE + raw + AFTER, way))
        assert first[1]["x-request-id"] == "before"
        assert [answer[0] for answer in rest] == [status], name
        _, headers, body = rest[0]
        assert headers["content-type"] == "application/problem+json", name
        assert headers["connection"] == "close"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        content = parse(body)
        assert content["type"] == PROBLEM + problem, name
        assert content["status"] == status
        assert content["instance"] == f"urn:agentlog:request:{headers['x-request-id']}"
        assert content["detail"]
    assert last_position(database) == 0


@pytest.mark.parametrize("way", WAYS)
def test_each_well_formed_request_is_answered_and_so_is_the_next(
    remote: httpx2.Client, threads: Threads, way: str
) -> None:
    for name, (raw, status, is_last) in WELL_FORMED.items():
        first, second, *rest = answers(remote, *pieces_of(BEFORE + raw + AFTER, way))
        assert first[1]["x-request-id"] == "before"
        assert second[0] == status, (name, second)
        assert [answer[1]["x-request-id"] for answer in rest] == ([] if is_last else ["after"]), (
            name
        )
        assert second[1].get("x-request-id") != "t"
    assert {event.thread_id for event in threads.log()} == {"t"}
    appended = [case for case in WELL_FORMED.values() if case[1] == 201]
    assert len(threads.log()) == len(appended)


def test_the_body_of_an_upgrade_belongs_to_its_request(
    remote: httpx2.Client, threads: Threads
) -> None:
    """As Java's HttpClient and `curl --http2` ask, in one write and in two."""
    upgrade = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
    body = b'{"threadId":"mine"}'
    head = b"POST /v1/threads HTTP/1.1\r\nHost: here\r\n%bContent-Length: %d\r\n\r\n"
    first, _ = answers(remote, head % (upgrade, len(body)) + body + AFTER)
    assert (first[0], parse(first[2])["threadId"]) == (201, "mine")
    first, _ = answers(remote, head % (upgrade, len(SMUGGLED)), SMUGGLED, AFTER)
    assert first[0] == 400
    line = b'{"threadId":"mine","messages":[{"type":"tick"}]}\n'
    with connected(remote) as connection:
        connection.sendall(
            (head % (upgrade + b"Connection: close\r\n", len(line))).replace(b"threads", b"log")
            + line
        )
        assert b'"appended"' in until_closed(connection)
    assert {event.thread_id for event in threads.log()} == {"mine"}


def test_trailers_are_no_headers(remote: httpx2.Client) -> None:
    trailers = b'If-Match: "7"\r\nX-Request-Id: trailer\r\nAuthorization: Bearer x\r\n'
    raw = CHUNKED + b"f\r\n" + BODY + b"\r\n0\r\n" + trailers + b"\r\n"
    for _ in range(2):
        first, _ = answers(remote, raw, AFTER)
        assert first[0] == 201
        assert first[1]["x-request-id"] != "trailer"


def test_a_bad_chunk_of_a_file_keeps_nothing(remote: httpx2.Client, database: Database) -> None:
    digest = sha256(BODY).hexdigest()
    head = CHUNKED.replace(b"POST /v1/threads/t/messages", b"PUT /v1/blobs/" + digest.encode())
    for pieces in (
        [head + b"f\r\n" + BODY + b"\r\nx"],
        [head, b"f\r\n" + BODY + b"\r\n", b"x\r\n"],
    ):
        ((status, _, _),) = answers(remote, *pieces, b"\r\n\r\n")
        assert status == 400
    assert remote.get(f"/v1/blobs/{digest}").status_code == 404
    assert last_position(database) == 0


def test_a_bad_chunk_ends_a_conversation_whose_lines_before_were_kept(
    remote: httpx2.Client, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    line = b'{"threadId":"t","messages":[{"type":"tick"}]}\n'
    begun = CHUNKED.replace(b"threads/t/messages", b"log") + b"%x\r\n%b\r\n" % (len(line), line)
    for number, pieces in enumerate(([begun + b"x\r\n"], [begun, b"x\r\n"]), start=1):
        with connected(remote) as connection:
            for piece in pieces:
                connection.sendall(piece)
            received = until_closed(connection)
        assert received.startswith(b"HTTP/1.1 200 ")
        assert received.count(b'"appended"') == 1
        assert not received.endswith(b"0\r\n\r\n")  # it broke off
        assert last_position(database) == number
    assert not caplog.records


def test_who_is_refused_before_the_body_is_not_told_of_the_body(
    app: FastAPI, remote: httpx2.Client, database: Database
) -> None:
    make_key(app, "append")
    for pieces in ([CHUNKED + b"x\r\n" + AFTER], [CHUNKED, b"x\r\n", AFTER]):
        assert [answer[0] for answer in answers(remote, *pieces)] == [401]
    empty_keys(database)


def test_metrics_count_malformed_requests(remote: httpx2.Client) -> None:
    answers(remote, MALFORMED["a blank before the colon"][0])
    text = remote.get("/metrics").text
    assert 'requests_total{method="other",route="none",status="400"} 1.0' in text


@pytest.mark.parametrize("path", ["/v1/threads/", "/healthz/", "/v1/threads/t/messages/"])
def test_nothing_is_redirected_to_the_clients_own_host(remote: httpx2.Client, path: str) -> None:
    answer = remote.get(path, headers={"Host": "logs.example"}, follow_redirects=False)
    assert answer.status_code == 404
    assert answer.json()["type"] == PROBLEM + "no-such-route"
    assert "location" not in answer.headers
