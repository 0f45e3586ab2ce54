"""A log in which every kind of thing is, and a request for each route about what is in it."""

import re
from hashlib import sha256
from typing import Any

from fastapi.testclient import TestClient

from agentlog.infrastructure.keys.key import KeyText
from tests.api.keyholders import bearing
from tests.infrastructure.appends import STORY, given

OURS = "our-own-words-4f9c"
FILE = OURS.encode()
THREAD = f"thread-{OURS}"
SUBSCRIPTION = "ours"
PATH = f"{OURS}.jsonl"

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
_PARAMETER = re.compile(r"\{(\w+)(?::path)?\}")


def fill(client: TestClient, key: KeyText) -> str:
    """Put every kind of thing into a log; return the id of the import."""
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
    url, asked = f"/v1/imports/{begun}", {"headers": headers, "params": {"path": PATH}}
    line = f'{{"threadId":"imported","messages":[{{"type":"reply","text":"{OURS}"}}]}}\n'
    assert client.put(f"{url}/files", content=f"{line}no JSON", **asked).status_code == 200
    assert client.post(f"{url}/run", headers=headers).status_code == 202
    assert client.get(url, headers=headers, params={"wait": 60}).json()["report"]["threads"] == 1
    return str(begun)


def question(
    name: str, key: KeyText, parameters: dict[str, Any] = PARAMETERS
) -> tuple[str, str, dict[str, Any]]:
    """Return the method, the path and more of a request for a route about what is in the log."""
    method, _, template = name.partition(" ")
    given = {**parameters, "key_id": key.key_id}
    given["name"] = next((NAMES[name] for name in NAMES if template.startswith(name)), "")
    path = _PARAMETER.sub(lambda parameter: str(given.get(parameter[1], "x")), template)
    return method, path, {**BODIES.get(name, {}), "params": QUERIES.get(name)}
