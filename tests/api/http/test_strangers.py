"""Every route, asked by a stranger: what is ours is nowhere to be found."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.domain.access import SCOPES
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.api.http.everything import FILE, HEADERS, OURS, PARAMETERS, THREAD, fill, question
from tests.api.keyholders import bearing, make_key
from tests.api.routes import NEEDS
from tests.infrastructure.appends import STORY, TENANT
from tests.infrastructure.readmodels.tables import catch_up


@pytest.fixture
def database(own_database: Database) -> Database:
    """Tables of projections are made in it, and keys."""
    return own_database


@pytest.fixture
def ours(
    app: FastAPI,
    client: TestClient,
    threads: Threads,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> KeyText:
    """Our key, to a log in which every kind of thing is."""
    key = make_key(app, *SCOPES)
    monkeypatch.setitem(PARAMETERS, "import_id", fill(client, key))
    for model in READ_MODELS.values():
        catch_up(database, model)
    assert threads.version_at(THREAD, None) == len(STORY)
    return key


NOT_THERE = {
    "GET /v1/threads/{thread_id}",
    "GET /v1/threads/{thread_id}/messages",
    "GET /v1/threads/{thread_id}/messages/{message_id}",
    "GET /v1/threads/{thread_id}/messages/{message_id}/proof",
    "GET /v1/threads/{thread_id}/views/{view}",
    "GET /v1/threads/{thread_id}/diff",
    "GET /v1/threads/{thread_id}/outline",
    "GET /v1/threads/{thread_id}/why",
    "GET /v1/threads/{thread_id}/matches",
    "GET /v1/threads/{thread_id}/events",
    "GET /v1/threads/{thread_id}/forks",
    "GET /v1/threads/{thread_id}/workers",
    "GET /v1/threads/{thread_id}/hazards",
    "GET /v1/threads/{thread_id}/model-calls/{version}",
    "GET /v1/threads/{thread_id}/audit",
    "GET /v1/threads/{thread_id}/chain",
    "GET /v1/threads/{thread_id}/evidence",
    "GET /v1/blobs/{digest}",
    "GET /v1/compare",
    "POST /v1/threads/{thread_id}/close",
    "POST /v1/threads/{thread_id}/annotate",
    "POST /v1/threads/{thread_id}/remarks",
    "POST /v1/threads/{thread_id}/fork",
    "POST /v1/threads/{thread_id}/redact",
    "POST /v1/threads/{thread_id}/messages/{message_id}/redact",
    "POST /v1/blobs/{digest}/redact",
    "DELETE /v1/keys/{key_id}",
    "GET /v1/subscriptions/{name}",
    "GET /v1/subscriptions/{name}/parked",
    "POST /v1/subscriptions/{name}/pause",
    "POST /v1/subscriptions/{name}/resume",
    "POST /v1/subscriptions/{name}/pull",
    "POST /v1/subscriptions/{name}/ack",
    "POST /v1/subscriptions/{name}/nack",
    "POST /v1/subscriptions/{name}/parked/retry",
    "POST /v1/subscriptions/{name}/parked/discard",
    "DELETE /v1/subscriptions/{name}",
    "GET /v1/imports/{import_id}",
    "DELETE /v1/imports/{import_id}",
    "GET /v1/imports/{import_id}/files",
    "PUT /v1/imports/{import_id}/files",
    "PATCH /v1/imports/{import_id}/files",
    "POST /v1/imports/{import_id}/run",
    "GET /v1/imports/{import_id}/findings",
    "POST /v1/imports/{import_id}/undo",
    "POST /v1/imports/{import_id}/redo",
}
"""What names something of ours is not there, for a stranger who made nothing of that name yet."""
EMPTY = {
    "GET /v1/threads",
    "GET /v1/compare/sets",
    "GET /v1/log",
    "GET /v1/search",
    "GET /v1/summaries",
    "GET /v1/checkpoints",
    "GET /v1/accesses",
    "GET /v1/subscriptions",
    "GET /v1/imports",
}


def _operations(app: FastAPI) -> Iterator[str]:
    """Yield every operation of the document, reads and erasures before what makes threads."""
    routes = {
        f"{method.upper()} {path}"
        for path, item in app.openapi()["paths"].items()
        for method in item
    }
    yield from sorted(routes, key=lambda name: (name not in NOT_THERE, name))


def test_a_strangers_key_finds_nothing_of_ours(
    app: FastAPI, client: TestClient, ours: KeyText, threads: Threads
) -> None:
    stranger = make_key(app, *SCOPES, tenant="strangers")
    before = [event.raw for event in threads.log()]
    asked = 0
    for name in _operations(app):
        method, path, more = question(name, ours)
        headers = bearing(stranger, *HEADERS.get(name, ()))
        answer = client.request(method, path, headers=headers, **more)
        text = answer.text.replace(THREAD, "")  # which he named himself
        assert OURS not in text, name
        assert answer.status_code not in {401, 403}, (name, answer.text)
        assert answer.status_code < 500 or name.startswith("POST /v1/projections"), answer.text
        if name in NOT_THERE:
            assert answer.status_code == 404, (name, answer.text)
        if name in EMPTY:
            assert answer.json()["items"] == [], name
        asked += 1
    assert asked == len(list(_operations(app))) > 35
    assert [event.raw for event in threads.log()] == before
    assert client.get(f"/v1/blobs/{PARAMETERS['digest']}", headers=bearing(ours)).content == FILE


def test_the_same_questions_find_it_with_our_own_key(
    app: FastAPI, client: TestClient, ours: KeyText
) -> None:
    """Else the test above could not fail."""
    told = {}
    for name in _operations(app):
        if not name.startswith("GET") and name != "POST /v1/analytics/sql":
            continue
        method, path, more = question(name, ours)
        answer = client.request(method, path, headers=bearing(ours), **more)
        told[name] = OURS in answer.text.replace(THREAD, "")
    silent = {name for name, ours_told in told.items() if not ours_told}
    assert (
        silent
        == {
            "GET /healthz",
            "GET /readyz",
            "GET /metrics",
            "GET /v1/accesses",  # audited nowhere here
            "GET /v1/analytics",
            "GET /v1/analytics/sql/tables",
            "GET /v1/checkpoints",  # nobody signed one
            "GET /v1/threads/{thread_id}/hazards",  # no run was recorded
            "GET /v1/threads/{thread_id}/model-calls/{version}",  # what is ours was said after it
            "GET /v1/threads/{thread_id}/outline",  # shows no contents
            "GET /v1/checkpoints/consistency",
            "GET /v1/checkpoints/latest",
            "GET /v1/keys",  # their names are not ours
            "GET /v1/keys/self",
            "GET /v1/projections",
            "GET /v1/projections/{name}",
            "GET /v1/subscriptions/{name}/parked",  # nothing failed
            "GET /v1/threads/{thread_id}/audit",  # whole: nothing to say
            "GET /v1/threads/{thread_id}/chain",  # contents in base64
            "GET /v1/threads/{thread_id}/evidence",  # not signed
            "GET /v1/threads/{thread_id}/messages/{message_id}/proof",
        }
        & told.keys()
    )  # some are of extensions


def test_without_a_key_every_route_says_so(app: FastAPI, client: TestClient, ours: KeyText) -> None:
    for name in _operations(app):
        method, path, more = question(name, ours)
        answer = client.request(method, path, **more)
        free = NEEDS[name] == "nothing"
        assert answer.status_code == (200 if free else 401), name
        assert OURS not in answer.text.replace(THREAD, "")


def test_with_all_scopes_but_its_own_every_route_is_forbidden(
    app: FastAPI, client: TestClient, ours: KeyText, threads: Threads
) -> None:
    including = {"metrics": {"admin"}}
    keys = {
        scope: bearing(make_key(app, *(set(SCOPES) - {scope} - including.get(scope, set()))))
        for scope in SCOPES
    }
    before = len(threads.log())
    refused = 0
    for name in _operations(app):
        need = NEEDS[name]
        if need == "nothing" or need == "any key":  # noqa: PLR1714 - mypy narrows by these
            continue
        method, path, more = question(name, ours)
        answer = client.request(method, path, headers=keys[need], **more)
        assert answer.status_code == 403, (name, answer.text)
        assert f"'{need}'" in answer.json()["detail"]
        assert OURS not in answer.text.replace(THREAD, "")
        refused += 1
    assert refused > 35
    assert len(threads.log()) == before
    assert client.get("/v1/keys", headers=bearing(ours)).json()["items"][0]["revokedAt"] is None


def test_a_key_lists_the_keys_of_its_tenant(
    app: FastAPI, client: TestClient, ours: KeyText
) -> None:
    make_key(app, tenant="strangers")
    listed = client.get("/v1/keys", headers=bearing(ours)).json()["items"]
    assert {key["tenant"] for key in listed} == {TENANT}
