"""Headers of every answer: what browsers may do with it, and the request's id."""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.api.http.request.limits import RequestLimits
from agentlog.domain.json.text import parse
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.runtime.logging import logs_on_stderr
from agentlog.infrastructure.threads import Threads
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.listeners import followed
from tests.api.refusals import problem_in
from tests.api.routes import NEEDS
from tests.clients import TLS
from tests.infrastructure.appends import given

ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
PAGES = {"/docs", "/threads/{thread_id}", "/compare", "/reports", "/reports/{name}"} | {
    "/sql",
    "/audit",
    "/keys",
    "/live",
}
DIGEST = "0" * 64


def check(response: Any, *, page: bool = False) -> None:
    """Check the headers of an answer, each of which stands there once."""
    names = [name.lower() for name, _ in response.headers.multi_items()]
    for name, value in ALWAYS.items():
        assert response.headers[name] == value, response.request.url
    for name in (*ALWAYS, "content-security-policy", "x-request-id", "cache-control"):
        assert names.count(name) == 1, (name, response.request.url)
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert ("script-src" in policy) is page
    request_id = response.headers["x-request-id"]
    if response.headers.get("content-type") == "application/problem+json":
        assert response.json()["instance"] == f"urn:agentlog:request:{request_id}"


@pytest.fixture
def calm_client(app: FastAPI) -> Iterator[TestClient]:
    """A client that is answered where the application fails."""
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_every_route_answers_with_them(calm_client: TestClient, name: str) -> None:
    method, path = name.split()
    filled = re.sub(r"\{digest\}", DIGEST, path)
    filled = re.sub(r"\{message_id\}", given(1), filled)
    filled = re.sub(r"\{\w+\}", "t", filled)
    body = b"{}" if method in {"POST", "PUT"} else b""
    query = "?follow=false" if filled.endswith("/events") else ""
    response = calm_client.request(method, filled + query, content=body)
    check(response, page=path in PAGES)
    assert response.headers["cache-control"] in {"no-store", "no-cache"}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v1/threads/t/messages", b"nope", 400),
        ("GET", "/nowhere", b"", 404),
        ("GET", "/v1/threads/t", b"", 404),
        ("DELETE", "/v1/threads/t", b"", 405),
        ("POST", "/v1/threads/t/messages", b" " * (17 * 2**20), 413),
        ("GET", "/v1/threads?limit=0", b"", 422),
        ("POST", "/v1/threads/t/messages", b'{"type": "tick"}', 201),
    ],
)
def test_every_kind_of_answer_has_them(
    client: TestClient, method: str, path: str, body: bytes, status: int
) -> None:
    response = client.request(method, path, content=body)
    assert response.status_code == status
    check(response)
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/v1/threads/t", "/v1/threads/t/events?follow=false"])
def test_a_defect_is_answered_with_them_and_found_by_its_id(
    own_database: Database, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    with own_database.connection() as connection:
        connection.execute("ALTER TABLE agentlog.threads RENAME TO elsewhere")
    app = app_over(own_database, threads_over(own_database))
    with TestClient(app, raise_server_exceptions=False) as client:
        with logs_on_stderr(form="json", level="info"):
            response = client.get(path, headers={"X-Request-Id": "mine"})
        problem_in(response, 500, "internal-error")
        check(response)
    end_following(app)
    lines = [parse(line) for line in capsys.readouterr().err.splitlines()]
    assert {line["request_id"] for line in lines} == {"mine"}
    assert lines[0]["event"] == f"GET {path.partition('?')[0]} failed"
    assert "UndefinedTable" in lines[0]["exception"]


def test_contents_by_their_digest_may_be_kept_by_whoever_asked(client: TestClient) -> None:
    content = b"a file"
    path = f"/v1/blobs/{sha256(content).hexdigest()}"
    assert client.put(path, content=content).status_code == 201
    response = client.get(path)
    check(response)
    assert response.headers["cache-control"] == "private, max-age=31536000, immutable"


def test_a_stream_has_them_and_is_not_stored(app: FastAPI, client: TestClient) -> None:
    client.post("/v1/threads/t/messages", json={"type": "tick"})
    with (
        followed(app) as address,
        httpx2.Client(base_url=address, trust_env=False, verify=TLS) as remote,
        remote.stream("GET", "/v1/threads/t/events", headers={"X-Request-Id": "s-1"}) as response,
    ):
        assert response.status_code == 200
        check(response)
        assert response.headers["cache-control"] == "no-cache"
        assert response.headers["x-request-id"] == "s-1"


@pytest.mark.parametrize(
    "given_id", ["r-1", "01JD8Z3Q5N7V2M4K6H8G0F1E2D", "a" * 128, "a:b=c~d._-+"]
)
def test_a_sane_id_is_taken_over(client: TestClient, given_id: str) -> None:
    response = client.get("/v1/threads/t", headers={"X-Request-Id": given_id})
    assert response.headers["x-request-id"] == given_id
    assert response.json()["instance"] == f"urn:agentlog:request:{given_id}"


@pytest.mark.parametrize(
    "given_id", ["", "a" * 129, "a b", 'a"b', "a\tb", "ü", "a/b", "agentlog_x_y", "{}"]
)
def test_any_other_id_is_replaced(client: TestClient, given_id: str) -> None:
    response = client.get("/v1/threads/t", headers=[(b"X-Request-Id", given_id.encode("latin-1"))])
    assert re.fullmatch("[0-9a-f]{32}", response.headers["x-request-id"])


def test_each_request_has_an_id_of_its_own(client: TestClient) -> None:
    request_ids = [client.get("/healthz").headers["x-request-id"] for _ in range(3)]
    assert len(set(request_ids)) == 3


def test_who_asks_too_often_gets_them_too(database: Database, threads: Threads) -> None:
    app = app_over(database, threads, limits=RequestLimits(rate_per_second=0.001))
    with TestClient(app) as client:
        client.get("/v1/threads")
        response = client.get("/v1/threads")
        assert response.status_code == 429
        check(response)
    end_following(app)
