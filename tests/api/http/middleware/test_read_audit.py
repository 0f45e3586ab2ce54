"""Reads on record: each before its answer, and none without."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.api.http.routing import Route
from agentlog.domain.access import SCOPES
from agentlog.infrastructure.keys.accesses import RecordedAccess
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.keyholders import bearing, empty_keys, make_key
from tests.api.listeners import followed, listening
from tests.api.refusals import problem_in
from tests.api.routes import NEEDS, ROUTES
from tests.infrastructure.appends import STORY, TENANT, calls, reply, results
from tests.infrastructure.readmodels.tables import catch_up


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


def _written(template: str, values: Mapping[str, object]) -> str:
    return template.replace(":path}", "}").format_map(values)


def test_every_read_of_data_is_audited(app: FastAPI, client: TestClient) -> None:
    key = make_key(app, "read")
    reads = [name for name, need in NEEDS.items() if need == "read"]
    for name in reads:
        method, _, template = name.partition(" ")
        names = dict.fromkeys(re.findall(r"{(\w+)", template), "x")
        path = _written(template, {**names, "view": "kernel", "digest": "0" * 64})
        client.request(method, path, headers=bearing(key), params={"follow": "false"})
    routes = [f"{access.method} {access.route}" for access in reversed(recorded(app))]
    assert routes == reads


WRITTEN = {"answer_id": "{}~7", "run_id": "run-2-{}", "a": "{}@1", "filter": "thread:{}"}
"""How parameters name a thread that do not by its id alone."""
OTHERS = {"view": "kernel", "digest": "0" * 64, "by": "metadata.task", "follow": "false"}
"""What parameters are that name no thread, where a route needs them."""
NAMELESS = {"q", "query_text", "summary_search", "after", *OTHERS}
"""Parameters of words, which ids of threads have too, and cursors, which read nothing of theirs."""
NAMING = [(route, name) for route in ROUTES if route.audited for name in route.threads]
AUDITED = [route for route in ROUTES if route.audited and route.method == "GET"]


def asked_of(route: Route, values: Mapping[str, str | list[str]]) -> tuple[str, str, Any]:
    """Return the method, path and query of a request of a route, with these parameters."""
    usual = {"thread_id": "one", "a": "one", "b": "two", **OTHERS, "name": "tools", **values}
    names = re.findall(r"{(\w+)", route.template)
    path = _written(route.template, {name: usual.get(name, "x") for name in names})
    query = {name: usual[name] for name in route.query if name in usual}
    return route.method, path, query


@pytest.mark.parametrize(("route", "name"), NAMING, ids=lambda part: getattr(part, "name", part))
def test_every_thread_that_a_parameter_names_is_on_record(
    app: FastAPI, client: TestClient, route: Route, name: str
) -> None:
    named = ["this"] if f"{{{name}}}" in route.template else ["this", "that"]
    values = [WRITTEN.get(name, "{}").format(thread_id) for thread_id in named]
    method, path, query = asked_of(route, {name: values if len(named) > 1 else values[0]})
    client.request(method, path, params=query, headers=bearing(make_key(app, *SCOPES)))
    assert {*named} <= {access.thread_id for access in recorded(app)}


def test_every_parameter_whose_thread_makes_the_answer_says_that_it_names_one(
    database_with_tables: Database,
) -> None:
    threads = threads_over(database_with_tables)
    for thread_id, tools in (("one", ["find"]), ("two", ["book", "pay"])):
        threads.append(thread_id, [reply(" ".join(tools)), calls(*tools), results(*tools), *STORY])
    threads.start("child", {"parent": "one"})
    for model in READ_MODELS.values():
        catch_up(database_with_tables, model)
    app = app_over(database_with_tables, threads)
    client = TestClient(app)
    naming = set()
    for route in AUDITED:
        for name in route.query:
            if name in NAMELESS:
                continue
            written = WRITTEN.get(name, "{}")
            answers = []
            for thread_id in ("one", "two"):
                method, path, query = asked_of(route, {name: written.format(thread_id)})
                answer = client.request(method, path, params=query, headers={"X-Request-Id": "r"})
                refused = answer.status_code == 422  # it takes no such text
                answers.append(None if refused else answer.text.replace(thread_id, "it"))
            if answers[0] != answers[1]:
                assert name in route.threads, f"{route.name}: does {name} name a thread?"
                naming.add(f"{route.template} {name}")
    assert naming >= {"/v1/compare/matrix thread", "/v1/analytics/{name} filter", "/v1/compare a"}
    end_following(app)


def test_what_an_answer_was_found_in_is_on_record(
    app: FastAPI, client: TestClient, threads: Threads
) -> None:
    pytest.importorskip("agentlog.extensions.facades")
    told = {"type": "llm_response", "model": "m", "metadata": {"responseId": "resp_1"}}
    threads.append("t", [told, reply("hello", metadata={"responseId": "resp_1"})])
    headers = bearing(make_key(app, "read", "append"))
    body = {"input": "x", "previous_response_id": "resp_1"}
    for method, path in (
        ("GET", "chat/completions/resp_1"),
        ("GET", "chat/completions/resp_1/messages"),
        ("POST", "chat/completions/resp_1"),
        ("GET", "responses/resp_1"),
        ("GET", "responses/resp_1/input_items"),
        ("POST", "responses/resp_1/cancel"),
    ):
        before = len(recorded(app))
        client.request(method, f"/openai/v1/{path}", headers=headers)
        assert "t" in {access.thread_id for access in recorded(app)[: -before or None]}, path
    before = len(recorded(app))
    assert client.post("/openai/v1/responses", json=body, headers=headers).status_code == 501
    assert len(recorded(app)) == before


def test_every_thread_that_is_compared_or_searched_is_on_record(
    app: FastAPI, client: TestClient, key: KeyText
) -> None:
    client.get("/v1/search?q=parcel&filter=thread:t", headers=bearing(key))
    client.get("/v1/search?q=parcel", headers=bearing(key))
    client.get("/v1/compare?a=t@1&b=u&b=t&view=kernel", headers=bearing(key))
    client.get("/v1/compare/sets?by=metadata.task", headers=bearing(key))
    client.get("/v1/analytics/models?filter=model:m (thread:t or parent:u)", headers=bearing(key))
    assert [(access.route, access.thread_id) for access in recorded(app)] == [
        ("/v1/analytics/{name}", "u"),
        ("/v1/analytics/{name}", "t"),
        ("/v1/compare/sets", None),
        ("/v1/compare", "u"),
        ("/v1/compare", "t"),
        ("/v1/search", None),
        ("/v1/search", "t"),
    ]
