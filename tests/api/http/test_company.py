"""Every route, asked by another key of the same tenant: what it may not read comes out nowhere."""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.domain.access import SCOPES, Scope
from agentlog.domain.events import Event
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.http.everything import HEADERS, OURS, PARAMETERS, PATH, THREAD, fill, question
from tests.api.keyholders import bearing, make_key
from tests.api.routes import NEEDS, ROUTES
from tests.infrastructure.appends import STORY, given

SEEN = {"team": OURS}
"""The metadata of the thread: a client that sends it again changes nothing."""
BODIES: list[dict[str, Any]] = [
    {},
    {"content": b"no JSON"},
    *(
        {"json": body}
        for body in (
            {"metadata": SEEN},
            {"metadata": {"team": "other"}},
            {"threadId": THREAD, "goal": OURS, "policy": "record", "metadata": SEEN},
            {"threadId": THREAD, "goal": "mine"},
            {"type": "tick"},
            {"messages": [{"type": "reply", "id": given(9), "text": OURS}]},
            {"messages": [{"type": "reply", "id": given(9), "text": "mine"}]},
            {"messages": [{"role": "user", "content": "mine"}]},
            {"message": {"role": "user", "content": "mine"}},
            {"items": [{"type": "message", "role": "user", "content": "mine"}]},
            {"threadId": "copy", "at": "9"},
            {"edits": [{"at": 2, "message": {"type": "input", "text": "mine"}}]},
            {"edits": [{"drop": 9}], "threadId": THREAD},
            {"type": "thread.noted", "text": "mine", "on": 9},
            {"type": "thread.judged", "verdict": "pass", "criterion": OURS},
            {"reason": "mine"},
            {"name": "mine", "value": 1, "traceId": THREAD},
            {"filter": "x"},
            {"input": "mine", "conversation": THREAD, "model": "m"},
            {"input": "mine", "previous_response_id": f"{THREAD}~4", "model": "m"},
        )
    ),
    {"content": f'{{"threadId":"{THREAD}","messages":[{{"type":"tick"}}]}}\n'},
]
"""Bodies that are sent to every route: most refuse most of them."""
LAST = {"item_id": given(9), "answer_id": THREAD, "run_id": f"run-1-{THREAD}"}
WORDS = (OURS, "parcel", "Let me look", "hurrying", "too late")
"""What is in the log of others."""
RESTING: dict[str, set[Scope]] = {
    "append": {"append"},
    "all but read": {*SCOPES} - {"read"},
}
"""Scopes of keys that may not read."""
TAKES_READ = {"keys", "subscriptions", "parked", "accesses"}
"""Parts of routes of the scope `admin`, which show what administrators set up."""


@pytest.fixture
def database(own_database: Database) -> Database:
    """Keys are made in it."""
    return own_database


@pytest.fixture
def ours(
    app: FastAPI, client: TestClient, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> KeyText:
    """The key of who put everything in."""
    key = make_key(app, *SCOPES)
    monkeypatch.setitem(PARAMETERS, "import_id", fill(client, key))
    assert threads.version_at(THREAD, None) == len(STORY)
    return key


def destroys(name: str) -> bool:
    """Return whether a route ends what the others are asked about."""
    return name.startswith("DELETE") or name.endswith(("/close", "/undo", "/redact"))


def in_order(*needs: str) -> list[str]:
    """Return the routes of these needs that are no streams; those that destroy are last."""
    names = [route.name for route in ROUTES if route.need in needs and not route.stream]
    return sorted(names, key=destroys)


def answers_to(
    client: TestClient, key: KeyText, ours: KeyText, name: str
) -> Iterator[tuple[int, str]]:
    """Yield the status and the text of what a route answers a key to each of the bodies."""
    method, path, more = question(name, ours, {**PARAMETERS, **LAST})
    headers = bearing(key, *HEADERS.get(name, ()))
    bodies = BODIES if method in {"POST", "PUT", "PATCH"} else [{}]
    for body in (more, *({"params": more.get("params"), **body} for body in bodies)):
        answer = client.request(method, path, headers=headers, **body)
        text = answer.text.replace(THREAD, "").replace(PATH, "")
        # what a client sent itself it may get again
        yield answer.status_code, text.replace(OURS, "") if OURS in str(body.get("json")) else text


@pytest.mark.parametrize("scopes", RESTING.values(), ids=RESTING)
def test_a_key_without_read_gets_nothing_of_what_others_put_in(
    app: FastAPI, client: TestClient, ours: KeyText, scopes: set[Scope]
) -> None:
    key = make_key(app, *scopes)
    told: dict[str, set[str]] = {}
    taken: dict[str, bool] = {}
    for name in in_order("append", "any key", *(scopes - {"admin"})):
        answers = [*answers_to(client, key, ours, name)]
        taken[name] = any(status < 300 for status, _ in answers)
        if words := {word for _, text in answers for word in WORDS if word in text}:
            told[name] = words
    assert told == {}
    assert sum(taken.values()) > 10


def test_all_that_a_key_appends_by_any_route_names_it(
    app: FastAPI, client: TestClient, ours: KeyText, threads: Threads
) -> None:
    key = make_key(app, *SCOPES)
    before = len(threads.log())
    wrong: dict[str, set[str]] = defaultdict(set)
    writing: set[str] = set()
    for name in in_order("append", "redact", "admin", "read", "any key"):
        for _ in answers_to(client, key, ours, name):
            pass
        if "/run" in name:
            client.get(f"/v1/imports/{PARAMETERS['import_id']}?wait=60", headers=bearing(key))
        events = threads.log()
        for event in events[before:]:
            if event.origin_version is not None:
                continue  # a copy has the author of its original
            writing.add(name)
            if appended_by(event) != key.key_id:
                wrong[name].add(event.type)
        before = len(events)
    assert wrong == {}
    assert {name for name, need in NEEDS.items() if need == "append"} & writing
    assert len(writing) > 8


def appended_by(event: Event) -> Any:
    return (event.metadata or {}).get("appendedBy")


def begun_by(client: TestClient, key: KeyText, text: str) -> str:
    """Return the id of an import that a key began, and sent a file of."""
    headers = bearing(key)
    begun = client.post("/v1/imports", json={"paths": [PATH]}, headers=headers).json()["id"]
    line = json.dumps({"threadId": f"of-{begun}", "messages": [{"type": "reply", "text": text}]})
    files = {"headers": headers, "params": {"path": PATH}, "content": f"{line}\nno JSON {text}\n"}
    assert client.put(f"/v1/imports/{begun}/files", **files).status_code == 200
    return str(begun)


def ran(client: TestClient, key: KeyText, import_id: str) -> Any:
    """Return the report of a run that a key asks for."""
    url, headers = f"/v1/imports/{import_id}", bearing(key)
    answer = client.post(f"{url}/run", headers=headers)
    assert answer.status_code == 202, answer.text
    return client.get(url, headers=headers, params={"wait": 60}).json()["report"]


OF_IMPORTS = [route.name for route in ROUTES if "{import_id}" in route.template]


@pytest.mark.parametrize("has_run", [False, True])
def test_an_import_of_another_key_is_not_there(
    app: FastAPI, client: TestClient, ours: KeyText, threads: Threads, *, has_run: bool
) -> None:
    alice, bob = make_key(app, "append", "read"), make_key(app, "append", "read")
    begun = begun_by(client, alice, "hers")
    if has_run:
        assert ran(client, alice, begun)["threads"] == 1
    before = [event.raw for event in threads.log()]
    for name in OF_IMPORTS:
        method, path, more = question(name, ours, {**PARAMETERS, "import_id": begun})
        headers = bearing(bob, *HEADERS.get(name, ()))
        answer = client.request(method, path, headers=headers, **more)
        assert answer.status_code == 404, (name, answer.text)
        assert "hers" not in answer.text
        gone = client.request(method, path.replace(begun, given(8)), headers=headers, **more)
        assert answer.json() | {"detail": "", "instance": ""} == gone.json() | {
            "detail": "",
            "instance": "",
        }
    assert [event.raw for event in threads.log()] == before
    assert ran(client, alice, begun)["appended"] == (0 if has_run else 2)


def test_what_an_administrator_runs_of_another_names_the_administrator(
    app: FastAPI, client: TestClient, threads: Threads
) -> None:
    alice, admin = make_key(app, "append"), make_key(app, "append", "admin")
    begun = begun_by(client, alice, "hers")
    assert ran(client, admin, begun)["appended"] == 2
    (_, event) = threads.messages(f"of-{begun}")
    assert appended_by(event) == admin.key_id
    undone = client.post(f"/v1/imports/{begun}/undo", headers=bearing(alice))
    assert undone.status_code == 404
    assert client.post(f"/v1/imports/{begun}/undo", headers=bearing(admin)).json()["threads"] == 1
    assert appended_by(threads.log()[-1]) == admin.key_id
