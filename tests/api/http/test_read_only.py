"""A service whose database takes no writes: what it answers, what it waits for, what it refuses."""

import json
import re
import threading
from collections.abc import Iterator
from hashlib import sha256
from typing import cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from psycopg.conninfo import make_conninfo

from agentlog.api.http.codec import wait_for_position
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.log_position import log_position
from agentlog.infrastructure.postgres.write_access import WriteAccess
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.refusals import problem_in
from tests.databases import new_database, subscribed
from tests.infrastructure.appends import TENANT
from tests.infrastructure.reports.histories import build_all
from tests.waiting import WAIT_SECONDS

WRITER = "https://writer.example"
FILE = b"a file"
DIGEST = sha256(FILE).hexdigest()
WRITES = [
    ("POST", "/v1/threads", {"goal": "g"}),
    ("POST", "/v1/threads/t/messages", {"type": "tick"}),
    ("POST", "/v1/threads/t/close", {}),
    ("POST", "/v1/threads/t/annotate", {"metadata": {"a": 1}}),
    ("POST", "/v1/threads/t/remarks", {"type": "thread.noted", "text": "a note"}),
    ("POST", "/v1/threads/t/fork", {"at": "1"}),
    ("POST", "/v1/threads/t/redact", {"reason": "asked"}),
    ("POST", "/v1/keys", {"name": "n", "scopes": ["read"]}),
    ("POST", "/v1/projections/messages/rebuild", None),
    ("POST", "/v1/projections/messages/pause", None),
    ("POST", "/v1/projections/messages/resume", None),
    ("POST", "/v1/subscriptions", {"name": "s"}),
    ("POST", "/v1/imports", {"paths": ["a.jsonl"]}),
    ("POST", "/v1/imports/01JD8Z3Q5N7V2M4K6H8G0F1E2D/run", {}),
    ("PUT", "/v1/filters/f", {"place": "list", "filter": "failed"}),
]
READS = [
    "/v1/threads",
    "/v1/threads/t",
    "/v1/threads/t/events",
    "/v1/threads/t/views/kernel",
    "/v1/log",
    "/v1/log/events",
    "/v1/search?q=a",
    "/v1/summaries",
    "/v1/analytics/models",
]


@pytest.fixture
def reader_app(url_with_tables: str) -> Iterator[FastAPI]:
    """An application in whose sessions nothing can be written; `writer` has its database too."""
    url = make_conninfo(url_with_tables, options="-c default_transaction_read_only=on")
    with Database(url, pool_size=4, write_access=WriteAccess(writer_url=WRITER)) as database:
        app = app_over(database, threads_over(database))
        yield app
        end_following(app)


@pytest.fixture
def url_with_tables(database_with_tables: Database) -> str:
    """The URL of the same."""
    with database_with_tables.connection() as connection:
        return connection.info.dsn


@pytest.fixture
def reader(reader_app: FastAPI) -> Iterator[TestClient]:
    """A client of it."""
    with TestClient(reader_app) as client:
        yield client


@pytest.fixture
def writer(database_with_tables: Database) -> Iterator[TestClient]:
    """A client of a service that writes to the same database."""
    app = app_over(database_with_tables, threads_over(database_with_tables))
    with TestClient(app) as client:
        yield client
    end_following(app)


def _append(writer: TestClient, text: str = "hello") -> int:
    answer = writer.post("/v1/threads/t/messages", json={"type": "reply", "text": text})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["position"])


def check_refusal(answer: Response) -> None:
    """Check that a write was refused with the address of the writer."""
    assert answer.status_code == 503, (answer.url, answer.text)
    problem = problem_in(answer, 503, "database-read-only", f"send it to {WRITER}")
    assert problem["writer"] == WRITER, answer.url
    assert answer.headers["retry-after"] == "1"


def test_every_write_is_refused_at_once_with_the_address_of_the_writer(
    reader: TestClient, writer: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    _append(writer)
    for method, path, body in WRITES:
        check_refusal(reader.request(method, path, json=body))
    line = json.dumps({"threadId": "t", "messages": [{"type": "tick"}]})
    refused = reader.post("/v1/log", content=line).json()["problem"]
    assert (refused["status"], refused["writer"]) == (503, WRITER)
    assert not caplog.text  # nothing was tried again


def test_a_file_that_is_there_already_is_as_good_as_kept(
    reader: TestClient, writer: TestClient
) -> None:
    path = f"/v1/blobs/{DIGEST}"
    problem_in(reader.put(path, content=FILE), 503, "database-read-only")
    assert writer.put(path, content=FILE).status_code == 201
    assert reader.put(path, content=FILE).json() == {"sha256": DIGEST, "bytes": len(FILE)}


def test_a_service_says_what_it_is(reader: TestClient, writer: TestClient) -> None:
    _append(writer)
    ready = {"status": "ready", "lagSeconds": None}
    assert writer.get("/readyz").json() == {**ready, "kind": "writer"}
    assert reader.get("/readyz").json() == {**ready, "kind": "read-only"}
    assert "agentlog_writable 1.0" in writer.get("/metrics").text
    assert "agentlog_replay_lag_seconds NaN" in writer.get("/metrics").text
    assert "agentlog_writable 0.0" in reader.get("/metrics").text


def _waiting(app: FastAPI) -> list[tuple[str, str]]:
    """Return method and path of each route that waits for a position, with parameters filled in."""
    filled = {"thread_id": "t", "view": "kernel", "name": "messages", "digest": DIGEST}
    waiting = []
    for path, item in app.openapi()["paths"].items():
        asked = re.sub(r"{(\w+)}", lambda name: filled.get(name[1], "1"), path)
        for method, operation in item.items():
            names = [parameter["name"] for parameter in operation.get("parameters", ())]
            if "wait" in names and path != "/v1/imports/{import_id}":  # which waits for its run
                waiting.append((method.upper(), asked))
    return waiting


def test_every_read_of_the_log_waits_for_a_position(app: FastAPI, client: TestClient) -> None:
    waiting = _waiting(app)
    assert {path for _, path in waiting} >= {
        "/v1/threads",
        "/v1/threads/t",
        "/v1/log",
        "/v1/compare",
        "/v1/compare/sets",
        "/v1/search",
        "/v1/summaries",
        "/v1/threads/t/views/kernel",
        "/v1/analytics/sql",
    }
    assert len(waiting) > 35
    for method, path in waiting:
        asked = client.request(method, path, params={"wait": 5})
        problem_in(asked, 404, "future-moment", "position 5 is not there yet")
        asked = client.request(method, path, params={"wait": "soon"})
        problem_in(asked, 422, "invalid-wait", "wait=soon is no position")


def test_a_read_that_waits_for_what_is_there_is_as_one_that_does_not_wait(
    writer: TestClient, database_with_tables: Database
) -> None:
    position = _append(writer)
    build_all(database_with_tables)
    for method, path in _waiting(cast("FastAPI", writer.app)):
        if method != "GET":
            continue
        given = {"follow": "false"} if path.endswith("/events") else {}
        plain = writer.get(path, params=given)
        waited = writer.get(path, params={**given, "wait": position})
        assert waited.status_code == plain.status_code, (path, waited.text)


@pytest.mark.parametrize("path", ["/v1/threads", "/v1/threads/t", "/v1/log"])
def test_a_read_waits_until_the_log_is_there(
    reader: TestClient, writer: TestClient, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_wait(reader, writer, path, monkeypatch)


def check_wait(
    reader: TestClient, writer: TestClient, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that a read of `path` waits for an append that comes later."""
    position = _append(writer)
    asking = threading.Event()

    def asked(database: Database) -> int:
        asking.set()
        return log_position(database)

    monkeypatch.setattr(f"{wait_for_position.__name__}.log_position", asked)
    answers = []

    def ask() -> None:
        answers.append(reader.get(path, params={"wait": position + 1}))

    thread = threading.Thread(target=ask)
    thread.start()
    assert asking.wait(WAIT_SECONDS)
    _append(writer)
    thread.join()
    assert [answer.status_code for answer in answers] == [200]
    assert answers[0].json() == reader.get(path).json()


def test_a_log_that_does_not_come_there_in_time_is_behind(
    reader: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wait_for_position, "WAIT_SECONDS", 0.1)
    answer = reader.get("/v1/threads", params={"wait": 7})
    problem_in(answer, 503, "log-behind", "stands at position 0 here, not at 7 yet")
    assert answer.headers["retry-after"] == "1"


def test_a_log_that_another_fills_is_not_served(
    client: TestClient, database: Database, server_url: str, template_database: str
) -> None:
    with database.connect() as session:
        with (
            new_database(server_url, template=template_database) as publisher_url,
            subscribed(session.info.dsn, publisher_url),
        ):
            database.write_access.look(session)
            for path in (*READS, "/readyz"):
                problem_in(client.get(path), 503, "log-subscribed", "drop the subscription")
            tick = client.post("/v1/threads/t/messages", json={"type": "tick"})
            problem_in(tick, 503, "log-subscribed")
            key = {"Authorization": f"Bearer {KeyText.made_of(bytes(40)).reveal()}"}
            answer = client.get("/v1/log", headers=key)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
            assert client.get("/metrics").status_code == client.get("/healthz").status_code == 200
        database.write_access.look(session)
    assert client.get("/v1/log").status_code == 200


def test_followers_see_events_without_notifications(
    reader_app: FastAPI, reader: TestClient, writer: TestClient
) -> None:
    _append(writer)
    seen = threading.Event()
    hub = reader_app.state.tenants[TENANT].hub
    hub.start()
    off = hub.attach(lambda entries: seen.set() if entries else None)
    try:
        _append(writer, "again")
        assert seen.wait(WAIT_SECONDS)
    finally:
        off()
    assert reader.get("/v1/log").json()["items"][-1]["message"]["text"] == "again"
