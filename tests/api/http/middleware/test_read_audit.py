"""Reads on record: each before its answer, and none without."""

import re
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.infrastructure.keys.accesses import RecordedAccess
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.keyholders import bearing, empty_keys, make_key
from tests.api.listeners import followed, listening
from tests.api.refusals import problem_in
from tests.api.routes import NEEDS
from tests.infrastructure.appends import TENANT, reply


@pytest.fixture
def database(database: Database) -> Iterator[Database]:
    """A database without any key or access; nor has it one for the next test."""
    yield database
    empty_keys(database)


@pytest.fixture
def app(database: Database, threads: Threads) -> Iterator[FastAPI]:
    """An application that puts reads on record."""
    app = app_over(database, threads, audited=True)
    yield app
    end_following(app)


@pytest.fixture
def key(app: FastAPI, threads: Threads) -> KeyText:
    """A key that reads a thread."""
    threads.append("t", [reply("hello")])
    return make_key(app, "read")


def recorded(app: FastAPI, tenant: str = TENANT) -> list[RecordedAccess]:
    """Return what is on record, the latest first."""
    accesses: list[RecordedAccess] = app.state.accesses.page(tenant)
    return accesses


def test_a_read_is_on_record_with_who_what_and_what_came_of_it(
    app: FastAPI, client: TestClient, key: KeyText
) -> None:
    answer = client.get("/v1/threads/t", headers=bearing(key, ("X-Request-ID", "r-1")))
    assert answer.status_code == 200
    (access,) = recorded(app)
    assert (access.key_id, access.method, access.status) == (key.key_id, "GET", 200)
    assert (access.route, access.thread_id) == ("/v1/threads/{thread_id}", "t")
    assert access.request_id == "r-1"


def test_what_was_not_there_is_on_record_too(
    app: FastAPI, client: TestClient, key: KeyText
) -> None:
    for path in ("/v1/threads/none", "/v1/threads/%00", "/v1/threads/" + "x" * 200):
        assert client.get(path, headers=bearing(key)).status_code in {404, 422}
    statuses = [(access.status, access.thread_id) for access in recorded(app)]
    assert statuses == [(422, None), (422, None), (404, "none")]


def test_who_was_refused_is_on_record_as_far_as_it_is_known(
    app: FastAPI, client: TestClient, key: KeyText
) -> None:
    appending = make_key(app, "append", tenant="other")
    assert client.get("/v1/log").status_code == 401
    assert client.get("/v1/log", headers=bearing(KeyText("a" * 12, key.secret))).status_code == 401
    assert client.get("/v1/log", headers=bearing(appending)).status_code == 403
    ours = [(access.status, access.key_id, access.route) for access in recorded(app)]
    assert ours == [(401, None, "/v1/log")] * 2
    theirs = [(access.status, access.key_id) for access in recorded(app, "other")]
    assert theirs == [(403, appending.key_id)]


def test_writes_and_what_is_no_data_are_not_reads(app: FastAPI, client: TestClient) -> None:
    key = make_key(app, "read", "append", "admin")
    client.post("/v1/threads/t/messages", json=reply("x"), headers=bearing(key))
    for path in ("/healthz", "/metrics", "/openapi.json", "/v1/projections", "/v1/nowhere"):
        client.get(path, headers=bearing(key))
    assert recorded(app) == []


def test_without_a_key_reads_are_on_record_as_nobodys(
    app: FastAPI, client: TestClient, threads: Threads
) -> None:
    threads.append("t", [reply("hello")])
    assert client.get("/v1/threads/t").status_code == 200
    (access,) = recorded(app)
    assert (access.key_id, access.tenant, access.thread_id) == (None, TENANT, "t")


def test_a_stream_is_on_record_when_it_begins(app: FastAPI, key: KeyText) -> None:
    path = "/v1/threads/t/events"
    with followed(app) as address, listening(address, path, headers=bearing(key)) as stream:
        assert "hello" in str(stream.next().data)
        (access,) = recorded(app)
        assert (access.route, access.thread_id) == ("/v1/threads/{thread_id}/events", "t")
        assert (access.key_id, access.status) == (key.key_id, 200)


@pytest.fixture
def unwritable(own_database: Database) -> Iterator[TestClient]:
    """A client of a service that can read everything and put nothing on record."""
    threads = threads_over(own_database)
    threads.append("t", [reply("hello")])
    app = app_over(own_database, threads, audited=True)
    with own_database.connection() as connection:
        connection.execute("ALTER TABLE agentlog.accesses ADD CHECK (status = 0)")
    with TestClient(app) as client:
        yield client
    end_following(app)


@pytest.mark.parametrize(
    "path",
    ["/v1/threads/t", "/v1/log", "/v1/threads/t/views/kernel", "/v1/log/events?follow=false"],
)
def test_what_cannot_be_put_on_record_is_not_read(unwritable: TestClient, path: str) -> None:
    answer = unwritable.get(path)
    problem_in(answer, 503, "access-not-recorded", "AGENTLOG_READ_AUDIT")
    assert "hello" not in answer.text
    assert answer.headers["retry-after"] == "1"


def test_what_is_no_read_needs_no_record(unwritable: TestClient) -> None:
    assert unwritable.post("/v1/threads/t/messages", json=reply("x")).status_code == 201


def test_the_record_is_listed_for_admin_and_reading_it_is_on_it(
    app: FastAPI, client: TestClient, key: KeyText
) -> None:
    admin = make_key(app, "admin")
    make_key(app, "admin", tenant="other")
    for path in ("/v1/threads/t", "/v1/log", "/v1/threads/t"):
        client.get(path, headers=bearing(key))
    asked = {"key": key.key_id, "thread": "t", "limit": "1"}
    first = client.get("/v1/accesses", params=asked, headers=bearing(admin)).json()
    (shown,) = first["items"]
    assert shown["route"] == "/v1/threads/{thread_id}"
    after = {**asked, "after": first["next"]}
    rest = client.get("/v1/accesses", params=after, headers=bearing(admin)).json()
    assert len(rest["items"]) == 1
    assert rest["next"] is None
    assert rest["items"][0]["number"] < shown["number"]
    assert [access.key_id for access in recorded(app)[:2]] == [admin.key_id] * 2
    assert client.get("/v1/accesses", headers=bearing(key)).status_code == 403


def test_without_the_setting_nothing_is_on_record(database: Database, threads: Threads) -> None:
    app = app_over(database, threads)
    with TestClient(app) as client:
        assert client.get("/v1/threads").status_code == 200
    assert recorded(app) == []
    end_following(app)


def test_every_read_of_data_is_audited(app: FastAPI, client: TestClient) -> None:
    key = make_key(app, "read")
    reads = [name for name, need in NEEDS.items() if need == "read"]
    for name in reads:
        method, _, template = name.partition(" ")
        names = dict.fromkeys(re.findall(r"{(\w+)}", template), "x")
        path = template.format_map({**names, "view": "kernel", "digest": "0" * 64})
        client.request(method, path, headers=bearing(key), params={"follow": "false"})
    routes = [f"{access.method} {access.route}" for access in reversed(recorded(app))]
    assert routes == reads


def test_the_thread_of_an_answer_is_on_record(app: FastAPI, client: TestClient) -> None:
    key = make_key(app, "read")
    client.get("/openai/v1/responses/t~7", headers=bearing(key))
    assert [access.thread_id for access in recorded(app)] == ["t"]


def test_every_thread_that_is_compared_or_searched_is_on_record(
    app: FastAPI, client: TestClient, key: KeyText
) -> None:
    client.get("/v1/search?q=parcel&thread=t", headers=bearing(key))
    client.get("/v1/search?q=parcel", headers=bearing(key))
    client.get("/v1/compare?a=t@1&b=u&b=t&view=kernel", headers=bearing(key))
    client.get("/v1/compare/sets?by=metadata.task", headers=bearing(key))
    assert [(access.route, access.thread_id) for access in recorded(app)] == [
        ("/v1/compare/sets", None),
        ("/v1/compare", "u"),
        ("/v1/compare", "t"),
        ("/v1/search", None),
        ("/v1/search", "t"),
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/letta/v1/agents/t/messages",
        "/letta/v1/conversations/?agent_id=t",
        "/letta/v1/conversations/t",
        "/letta/v1/runs/?agent_id=t",
        "/letta/v1/runs/run-2-t/messages",
        "/letta/v1/steps/r1?agent_id=t",
        "/letta/v1/messages/m?agent_id=t",
        "/maria/v1/task/t",
        "/maria/v1/task/t/events?follow=false",
    ],
)
def test_a_thread_that_is_read_by_another_name_is_on_record(
    app: FastAPI, client: TestClient, key: KeyText, path: str
) -> None:
    client.get(path, headers=bearing(key))
    assert [access.thread_id for access in recorded(app)] == ["t"]
