"""Every route, asked by a stranger: what is ours is nowhere to be found."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.domain.access import SCOPES
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.api.keyholders import bearing, make_key
from tests.api.routes import NEEDS
from tests.infrastructure.appends import STORY, TENANT, given
from tests.infrastructure.readmodels.tables import catch_up

OURS = "our-own-words-4f9c"
FILE = OURS.encode()
THREAD = f"thread-{OURS}"
SUBSCRIPTION = "ours"
PATH = f"{OURS}.jsonl"


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
    headers = bearing(key)
    facts = {"threadId": THREAD, "goal": OURS, "policy": "record", "metadata": {"team": OURS}}
    assert client.post("/v1/threads", json=facts, headers=headers).status_code == 201
    marked = {"type": "reply", "id": given(9), "text": OURS, "metadata": {"actor": OURS}}
    story = [*STORY[:-2], marked]
    answer = client.post(f"/v1/threads/{THREAD}/messages", json=story, headers=headers)
    assert answer.status_code == 201
    digest = sha256(FILE).hexdigest()
    assert client.put(f"/v1/blobs/{digest}", content=FILE, headers=headers).status_code == 201
    wanted = f"thread:{THREAD}* metadata.team:{OURS}"
    subscription = {"name": SUBSCRIPTION, "filter": wanted}
    answer = client.post("/v1/subscriptions", json=subscription, headers=headers)
    assert answer.status_code == 201
    rule = {"value": f"metadata.team:{OURS}"}
    assert client.put("/v1/rules/success", json=rule, headers=headers).status_code == 200
    saved = {"filter": f'"{OURS}"'}
    answer = client.put(f"/v1/filters/{SUBSCRIPTION}", json=saved, headers=headers)
    assert answer.status_code == 200
    begun = client.post("/v1/imports", json={"paths": [PATH]}, headers=headers).json()["id"]
    monkeypatch.setitem(PARAMETERS, "import_id", begun)
    url, asked = f"/v1/imports/{begun}", {"headers": headers, "params": {"path": PATH}}
    line = f'{{"threadId":"imported","messages":[{{"type":"reply","text":"{OURS}"}}]}}\n'
    assert client.put(f"{url}/files", content=f"{line}no JSON", **asked).status_code == 200
    assert client.post(f"{url}/run", headers=headers).status_code == 202
    assert client.get(url, headers=headers, params={"wait": 60}).json()["report"]["threads"] == 1
    for model in READ_MODELS.values():
        catch_up(database, model)
    assert threads.version_at(THREAD, None) == len(story) + 1
    return key


PARAMETERS = {
    "thread_id": THREAD,
    "message_id": given(9),
    "digest": sha256(FILE).hexdigest(),
    "view": "kernel",
    "version": 9,
}
NAMES = {
    "/v1/analytics/{name}": "tools",
    "/v1/projections/{name}": "messages",
    "/v1/subscriptions/{name}": SUBSCRIPTION,
    "/v1/rules/{name}": "success",
    "/v1/filters/{name}": SUBSCRIPTION,
}
LEASE = {"json": {"lease": "0123456789abcdef"}}
SQL = "SELECT * FROM events"
BODIES: dict[str, Any] = {
    "POST /v1/threads": {"json": {"threadId": THREAD}},
    "POST /v1/threads/{thread_id}/messages": {"json": {"type": "tick"}},
    "POST /v1/threads/{thread_id}/close": {"json": {}},
    "POST /v1/threads/{thread_id}/annotate": {"json": {"metadata": {"team": "x"}}},
    "POST /v1/threads/{thread_id}/remarks": {"json": {"type": "thread.noted", "text": "x"}},
    "POST /v1/threads/{thread_id}/fork": {"json": {}},
    "POST /v1/threads/{thread_id}/redact": {"json": {"reason": "mine"}},
    "POST /v1/threads/{thread_id}/messages/{message_id}/redact": {"json": {"reason": "mine"}},
    "POST /v1/blobs/{digest}/redact": {"json": {"reason": "mine"}},
    "POST /v1/log": {"content": f'{{"threadId":"{THREAD}","messages":[{{"type":"tick"}}]}}\n'},
    "POST /otlp/v1/traces": {"json": {}},
    "POST /otlp/v1/logs": {"json": {}},
    "PUT /v1/blobs/{digest}": {"content": b"another"},
    "POST /v1/imports": {"json": {"paths": ["x"]}},
    "POST /v1/imports/{import_id}/run": {"json": {}},
    "PUT /v1/imports/{import_id}/files": {"content": b"another"},
    "PATCH /v1/imports/{import_id}/files": {"content": b"another"},
    "POST /v1/analytics/sql": {"json": {"sql": SQL}},
    "PUT /v1/rules/{name}": {"json": {"value": "exit:complete"}},
    "PUT /v1/filters/{name}": {"json": {"filter": "x"}},
    "POST /v1/keys": {"json": {"name": "x", "scopes": ["read"]}},
    "POST /v1/subscriptions": {"json": {"name": "theirs", "from": "start"}},
    "POST /v1/subscriptions/{name}/ack": LEASE,
    "POST /v1/subscriptions/{name}/nack": LEASE,
}
QUERIES: dict[str, dict[str, str]] = {
    "GET /v1/threads/{thread_id}/events": {"follow": "false"},
    "GET /v1/log/events": {"follow": "false"},
    "GET /v1/analytics/{name}": {"by": "metadata.team"},
    "GET /v1/threads": {"filter": f"metadata.team:{OURS}"},
    "GET /v1/search": {"q": OURS},
    "GET /v1/threads/{thread_id}/matches": {"filter": OURS},
    "GET /v1/summaries": {"filter": f"metadata.team:{OURS}"},
    "GET /v1/threads/{thread_id}/changes": {"path": "$.history"},
    "GET /v1/checkpoints/consistency": {"from": "1", "to": "2"},
    "GET /v1/compare": {"a": f"{THREAD}@0", "b": THREAD},
    "GET /v1/compare/matrix": {"thread": THREAD, "steps": "all"},
    "GET /v1/compare/sets": {"by": "metadata.team"},
    "GET /v1/imports/{import_id}/files": {"path": PATH},
    "PUT /v1/imports/{import_id}/files": {"path": PATH},
    "PATCH /v1/imports/{import_id}/files": {"path": PATH},
}
HEADERS = {"PATCH /v1/imports/{import_id}/files": [("Upload-Offset", "0")]}
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


def _asked(name: str, key: KeyText) -> tuple[str, str, dict[str, Any]]:
    """Return how a route is asked about what is ours."""
    method, _, template = name.partition(" ")
    given = {**PARAMETERS, "key_id": key.key_id}
    given["name"] = next((NAMES[name] for name in NAMES if template.startswith(name)), "")
    return (
        method,
        template.format_map(given),
        {**BODIES.get(name, {}), "params": QUERIES.get(name)},
    )


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
        method, path, more = _asked(name, ours)
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
        method, path, more = _asked(name, ours)
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
        method, path, more = _asked(name, ours)
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
        method, path, more = _asked(name, ours)
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
