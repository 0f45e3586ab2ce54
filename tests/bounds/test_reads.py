"""What a request reads grows as what is stored, and what it keeps in memory as its page."""

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from agentlog.api.http.middleware.incoming import CONNECTION
from agentlog.api.http.request.limits import USUAL, RequestLimits
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.runtime.request_work import ClientLeft, RequestWork, spend
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.routes import ROUTES
from tests.api.servers import running
from tests.bounds.counted import peak_bytes_of
from tests.infrastructure.appends import reply
from tests.waiting import until

MOST_BATCH = 1000
PAGES = {
    "/openai/v1/chat/completions": {"limit": "1"},
    "/openai/v1/chat/completions?metadata[x]=y": {},
    "/openai/v1/conversations/t/items": {"limit": "1"},
    "/openai/v1/conversations/t/items?order=asc": {"limit": "1"},
    "/letta/v1/agents/t/messages": {"limit": "1"},
    "/letta/v1/agents/t/messages?order=asc": {"limit": "1"},
    "/letta/v1/conversations/t/messages": {"limit": "1"},
    "/v1/threads/t/views/openai": {"limit": "1"},
    "/v1/threads/t/views/kernel": {"limit": "1"},
    "/v1/threads/t/messages": {"limit": "1"},
    "/v1/threads": {"limit": "1"},
}
"""Pages: what is kept of a long thread is what they show."""
FOLDS = {
    "/letta/v1/agents/t": {},
    "/letta/v1/agents/": {"limit": "1"},
    "/letta/v1/agents/t/core-memory/blocks": {},
    "/letta/v1/blocks/": {},
    "/letta/v1/runs/": {"agent_id": "t", "limit": "1"},
    "/letta/v1/steps/": {"agent_id": "t", "limit": "1"},
    "/openai/v1/chat/completions/t": {},
    "/openai/v1/responses/t": {},
    "/openai/v1/models": {},
    "/maria/v1/tasks": {},
    "/maria/v1/task/t": {},
    "/v1/threads/t/views/agent-state": {},
    "/v1/threads/t/outline": {},
    "/v1/threads/t/why": {},
}
TEMPLATES = {route.template for route in ROUTES}
SERVED = {
    path: query
    for path, query in (PAGES | FOLDS).items()
    if path.startswith("/v1") or any("/openai/" in template for template in TEMPLATES)
}


@pytest.fixture
def database(own_database: Database) -> Database:
    """Its threads are all that lists have."""
    return own_database


class Counting(RequestLimits):
    """Limits that keep the work of each request."""

    works: list[RequestWork]

    def work(self, is_gone: Any) -> RequestWork:
        work = super().work(is_gone)
        self.works.append(work)
        return work


def turn(number: int, text: str) -> list[dict[str, Any]]:
    """Return messages of one turn: of each kind that a fold is about."""
    of_answer = {"responseId": f"r{number}"}
    return [
        {"type": "input", "text": f"{number} {text}"},
        {"type": "llm_response", "model": "m", "metadata": of_answer},
        {"type": "scratchpad", "text": f"{number} {text}", "mode": "append"},
        reply(f"{number} {text}", metadata=of_answer),
    ]


def filled(threads: Threads, turns: int, text: str = "") -> Threads:
    """Return threads after so many turns of one."""
    messages = [message for number in range(turns) for message in turn(number, text)]
    for begin in range(0, len(messages), MOST_BATCH):
        threads.append("t", messages[begin : begin + MOST_BATCH])
    return threads


def counted(database: Database, threads: Threads) -> Iterator[tuple[TestClient, Counting]]:
    limits = Counting()
    object.__setattr__(limits, "works", [])
    app = app_over(database, threads, limits=limits)
    yield TestClient(app), limits
    end_following(app)


def address(path: str, query: Mapping[str, str]) -> str:
    return f"{path}{'&' if '?' in path else '?'}{urlencode(query)}"


def rows_of(database: Database, threads: Threads) -> dict[str, int]:
    """Return how many rows each request reads, of an application that has nothing in memory."""
    rows = {}
    for path, query in SERVED.items():
        for client, limits in counted(database, threads):
            answer = client.get(address(path, query))
            assert answer.status_code in {200, 422}, (path, answer.text)
            (work,) = limits.works
            rows[path] = work.rows
    return rows


SIZES = [50, pytest.param(250, marks=pytest.mark.slow), pytest.param(2500, marks=pytest.mark.slow)]


@pytest.mark.parametrize("turns", SIZES)
def test_a_request_reads_at_most_in_the_measure_of_what_is_stored(
    database: Database, turns: int
) -> None:
    threads = filled(threads_over(database), turns)
    before = rows_of(database, threads)
    filled(threads, turns * 9)
    after = rows_of(database, threads)
    growing = {path: (before[path], rows) for path, rows in after.items()}
    assert {path: rows for path, rows in growing.items() if rows[1] > 12 * rows[0] + 500} == {}


def peaks_of(database: Database, threads: Threads) -> dict[str, int]:
    """Return how many bytes there are at most while each page is read for the first time."""
    peaks = {}
    for path, query in PAGES.items():
        if path in SERVED:
            for client, _ in counted(database, threads):
                client.get("/v1/threads/none")  # what is imported and connected at first
                read = partial(client.get, address(path, query))
                peaks[path] = peak_bytes_of(read)
    return peaks


def test_a_page_of_a_long_thread_keeps_what_it_shows(database: Database) -> None:
    threads = filled(threads_over(database), 50, "x" * 40_000)
    peaks_of(database, threads)
    before = peaks_of(database, threads)
    filled(threads, 200, "x" * 40_000)
    after = peaks_of(database, threads)
    growing = {path: (before[path], peak) for path, peak in after.items()}
    assert {path: pair for path, pair in growing.items() if pair[1] > 2 * pair[0] + 2**23} == {}


def test_what_reads_more_than_one_request_may_says_so(
    database: Database,
) -> None:
    threads = filled(threads_over(database), 100)
    app = app_over(database, threads, limits=RequestLimits(max_read_rows=300))
    client = TestClient(app)
    for path in ("/v1/threads/t/views/kernel", "/v1/threads/t/messages?limit=1000"):
        answer = client.get(path)
        assert answer.status_code == 422, path
        assert "more than 300 rows" in answer.json()["detail"]
    assert client.get("/v1/threads/t/views/kernel?limit=10").status_code == 200
    assert client.post("/v1/threads/t/messages", json=reply("on")).status_code == 201
    end_following(app)


def test_the_ceiling_is_that_of_every_facade(database: Database) -> None:
    threads = filled(threads_over(database), 100)
    app = app_over(database, threads, limits=RequestLimits(max_read_rows=150))
    client = TestClient(app)
    statuses = {
        path: client.get(address(path, FOLDS[path])).status_code
        for path in ("/letta/v1/runs/", "/openai/v1/responses/t", "/v1/threads/t/outline")
        if path in SERVED
    }
    assert set(statuses.values()) == {422}, statuses
    end_following(app)


class Lost:
    """A connection whose client has left."""

    request = None
    client_seconds = 1.0
    is_lost = True


def leaving(app: ASGIApp) -> ASGIApp:
    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": {CONNECTION: Lost()}}, receive, send)

    return wrapped


def test_nothing_is_read_for_a_client_that_has_left(database: Database) -> None:
    threads = filled(threads_over(database), 10)
    for _, limits in counted(database, threads):
        app = app_over(database, threads, limits=limits)
        client = TestClient(leaving(app))
        for path, query in SERVED.items():
            limits.works.clear()
            answer = client.get(address(path, query))
            assert answer.status_code == 408, path
            assert limits.works[0].rows == 0
        assert client.post("/v1/threads/t/messages", json=reply("on")).status_code == 201
        end_following(app)


def test_work_in_a_thread_ends_when_its_client_leaves(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_over(database, threads_over(database))
    begun, ended = threading.Event(), threading.Event()

    def work(*_: object, **__: object) -> None:
        begun.set()
        try:
            while True:
                spend()
                time.sleep(0.01)
        except ClientLeft:
            ended.set()
            raise

    monkeypatch.setattr(Views, "view", work)
    with running(app) as (_, address):
        host, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(b"GET /v1/threads/t/views/kernel HTTP/1.1\r\nHost: here\r\n\r\n")
            until(begun.is_set)
            assert not ended.is_set()
        until(ended.is_set)
    end_following(app)


def test_the_usual_ceiling_is_far_beyond_a_page() -> None:
    assert (USUAL.max_read_rows, USUAL.max_read_seconds) == (1_000_000, 60)
