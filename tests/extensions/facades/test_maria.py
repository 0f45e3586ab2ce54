"""Maria's user interface shows and follows threads as tasks of its daemon."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.keyholders import make_key
from tests.api.listeners import followed, heard, listening
from tests.api.routes import NEEDS
from tests.infrastructure.appends import TENANT, record

Item = dict[str, Any]
EXAMPLES = Path(__file__).parents[3] / "examples"
SYNCHRONIZED = "maria.queued_messages.synchronized"
HEARD = {"RequestCompleted", "PreToolCall", "PostToolCall", "MessageAdded"}
"""The events of a task that the user interface shows."""


@pytest.fixture
def database(own_database: Database) -> Database:
    """Keys are made in it."""
    return own_database


def taken(threads: Threads, task_id: str, messages: list[Item], **metadata: str) -> None:
    facts: Item = {"goal": f"Goal of {task_id}", "policy": "record", "metadata": metadata}
    threads.start(task_id, facts)
    threads.append(task_id, messages)


def said(text: str) -> Item:
    return {"type": "input", "text": text}


@pytest.mark.parametrize(
    ("path", "dialect"),
    [
        *((path, "2025-12") for path in sorted(EXAMPLES.glob("*.json"))),
        (EXAMPLES / "unruly.json", "2026-03"),
    ],
    ids=lambda value: getattr(value, "stem", value),
)
def test_every_example_is_heard_as_its_view_has_it(
    app: FastAPI, client: TestClient, threads: Threads, path: Path, dialect: str
) -> None:
    taken(threads, "desk", json.loads(path.read_bytes())["messages"])
    shown = client.get(f"/v1/threads/desk/views/maria?bare=true&dialect={dialect}").json()
    with followed(app) as address:
        first, *events = heard(
            address, f"/maria/v1/task/desk/events?follow=false&dialect={dialect}"
        )
    assert (first.event, first.value) == (SYNCHRONIZED, [])
    assert {(frame.event, frame.id) for frame in events} == {("maria", None)}
    assert [frame.value for frame in events] == shown
    if dialect == "2025-12":
        assert {event["msg"] for event in shown} <= HEARD
        assert len({event["id"] for event in shown}) == len(shown)


def test_a_task_is_a_thread(client: TestClient, threads: Threads) -> None:
    taken(threads, "desk", [said("Where?"), {"type": "reply", "text": "Here."}], cwd="/srv")
    (task,) = client.get("/maria/v1/tasks").json()["tasks"]
    assert (task["id"], task["name"], task["cwd"]) == ("desk", "Goal of desk", "/srv")
    assert task["status"] == "idle"
    assert abs(task["created"] / 1000 - threads.head("desk").started_at.timestamp()) < 1
    one = client.get("/maria/v1/task/desk").json()["task"]
    assert one == {**task, "queued_messages": []}


@pytest.mark.parametrize(
    ("last", "status"),
    [
        (said("And now?"), "generating"),
        ({"type": "tool_calls", "calls": [{"id": "c", "name": "f"}]}, "generating"),
        ({"type": "approval_request", "callId": "c", "tool": "f"}, "idle"),
        ({"type": "exit", "reason": "complete"}, "idle"),
        ({"type": "log", "text": "x"}, "idle"),
    ],
)
def test_a_task_is_generating_while_its_last_step_waits_for_the_agent(
    client: TestClient, threads: Threads, last: Item, status: str
) -> None:
    taken(threads, "desk", [said("Where?"), {"type": "reply", "text": "Here."}, last])
    threads.annotate("desk", {"more": "y"})
    assert client.get("/maria/v1/task/desk").json()["task"]["status"] == status
    threads.close("desk")
    assert client.get("/maria/v1/task/desk").json()["task"]["status"] == "idle"


def test_the_list_of_tasks_is_followed(app: FastAPI, threads: Threads) -> None:
    taken(threads, "desk", [said("Where?")])
    with followed(app) as address, listening(address, "/maria/v1/events") as stream:
        first = stream.next()
        assert first.event == "daemon.tasks.synchronized"
        assert [task["id"] for task in first.value["tasks"]] == ["desk"]
        taken(threads, "other", [said("Who?")])
        threads.append("desk", [{"type": "reply", "text": "Here."}])
        changed: dict[str, str] = {}
        while changed != {"other": "generating", "desk": "idle"}:
            frame = stream.next()
            assert frame.event == "daemon.task.changed"
            task: Any = frame.value["task"]
            changed[task["id"]] = task["status"]


def test_a_task_is_followed_while_a_message_is_sent_to_it(
    app: FastAPI, client: TestClient, threads: Threads
) -> None:
    taken(threads, "desk", [said("Where?")])
    with followed(app) as address, listening(address, "/maria/v1/task/desk/events") as stream:
        assert stream.next().event == SYNCHRONIZED
        assert stream.next().value["message"]["content"] == "Where?"
        content = [{"type": "text", "text": "And "}, {"type": "text", "text": "now?"}]
        message = {"role": "user", "content": content}
        body = {"message": message, "web_search": False}
        answer = client.post("/maria/v1/task/desk/message", json=body).json()
        event: Any = stream.next().value
        assert event["message"] == {"role": "user", "content": "And now?"}
    assert answer == {"id": event["id"], "queued": False}


def test_what_was_queued_and_not_taken_waits(
    app: FastAPI, client: TestClient, threads: Threads
) -> None:
    queued = [
        {"type": "maria.MessageQueued", "payload": {"message": {"id": own_id, **message}}}
        for own_id, message in (
            ("a", {"role": "user", "content": "First"}),
            ("b", {"role": "user", "content": "Second"}),
        )
    ]
    unqueued = {"type": "maria.MessageUnqueued", "payload": {"message": {"id": "a"}}}
    taken(threads, "desk", [said("Where?"), *queued, unqueued])
    waiting = [{"id": "b", "message": {"role": "user", "content": "Second"}}]
    for name in ("queued_messages", "queued-messages"):
        assert client.get(f"/maria/v1/task/desk/{name}").json() == waiting
        assert client.get(f"/maria/v1/task/desk/{name}?at=3").json()[0]["id"] == "a"
        assert client.get(f"/maria/v1/{name}").json() == waiting
    assert client.get("/maria/v1/task/desk").json()["task"]["queued_messages"] == waiting
    with followed(app) as address:
        first, *_ = heard(address, "/maria/v1/task/desk/events?follow=false")
    assert first.value == waiting


def test_what_needs_the_daemon_is_refused(client: TestClient, threads: Threads) -> None:
    taken(threads, "desk", [said("Where?")])
    answer = client.post("/maria/v1/task/desk/cancel", json={})
    assert answer.status_code == 501
    assert answer.headers["x-should-retry"] == "false"
    assert answer.json()["error"]["code"] == -1
    assert "runs no agent" in answer.json()["error"]["message"]


@pytest.mark.parametrize("prefix", ["/maria/v1", "/maria"])
@pytest.mark.parametrize("content", ["Where?", [{"type": "text", "text": "Where?"}]])
def test_a_task_begins_with_its_first_message(
    app: FastAPI, client: TestClient, prefix: str, content: Any
) -> None:
    message = {"role": "user", "content": content}
    asked = {"name": "Find it", "model": "m", "cwd": "/srv", "message": message}
    answer = client.post(f"{prefix}/task", json=asked)
    assert answer.status_code == 201
    task = answer.json()["task"]
    assert (task["name"], task["cwd"], task["status"]) == ("Find it", "/srv", "generating")
    assert client.get(f"{prefix}/task/{task['id']}").json()["task"]["id"] == task["id"]
    with followed(app) as address:
        _, event = heard(address, f"{prefix}/task/{task['id']}/events?follow=false")
    assert (event.value["msg"], event.value["id"]) == (
        "MessageAdded",
        answer.json()["message"]["id"],
    )
    assert event.value["message"] == {"role": "user", "content": "Where?"}


def test_a_task_may_begin_without_a_word(client: TestClient) -> None:
    answer = client.post("/maria/v1/task", json={})
    assert (answer.status_code, answer.json().keys()) == (201, {"task"})
    refused = client.post("/maria/v1/task", json={"message": {"role": "tool", "content": "x"}})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, -1)
    assert len(client.get("/maria/v1/tasks").json()["tasks"]) == 1


OURS = "our-own-words-4f9c"
ROUTES = [(*name.split(),) for name in NEEDS if " /maria/" in name]


def test_a_strangers_key_finds_nothing_of_ours(app: FastAPI, client: TestClient) -> None:
    ours, stranger = (
        {"Authorization": f"Bearer {make_key(app, 'read', 'append', tenant=tenant).reveal()}"}
        for tenant in (TENANT, "strangers")
    )
    queued = {"type": "maria.MessageQueued", "payload": {"message": {"id": OURS}}}
    body = {"threadId": OURS, "goal": OURS}
    assert client.post("/v1/threads", json=body, headers=ours).status_code == 201
    path = f"/v1/threads/{OURS}/messages"
    assert client.post(path, json=[said(OURS), queued], headers=ours).status_code == 201
    silent = set()
    for method, template in ROUTES:
        named = template.format(thread_id=OURS)
        sent = {"message": {"role": "user", "content": "x"}} if method == "POST" else None
        asked: Item = {"params": {"follow": "false"}, "json": sent}
        answer = client.request(method, named, headers=stranger, **asked)
        assert OURS not in answer.text.replace(f"no thread '{OURS}'", ""), named
        assert client.request(method, named, **asked).status_code == 401
        if OURS not in client.request(method, named, headers=ours, **asked).text:
            silent.add(template.removeprefix("/maria").removeprefix("/v1"))
    assert silent == {
        "/task",
        "/task/{thread_id}/cancel",
        "/task/{thread_id}/message",
    }


def test_a_hidden_thread_is_not_there(client: TestClient, threads: Threads) -> None:
    taken(threads, "desk", [said(OURS)])
    record(threads, "desk", "thread.hidden")
    sent = {"message": {"role": "user", "content": "x"}}
    for method, template in ROUTES:
        path, query = template.format(thread_id="desk"), {"follow": "false"}
        answer = client.request(method, path, params=query, json=sent)
        assert OURS not in answer.text
        assert "desk" not in answer.text or answer.status_code == 404, (template, answer.text)


texts = st.text(max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["message", "role", "content"]) | texts, inner, max_size=3
        )
    ),
    max_leaves=8,
)
queries = st.dictionaries(
    st.sampled_from(["limit", "at", "dialect", "follow"]),
    texts | st.sampled_from(["1", "0", "false", "2026-03", "1001"]),
    max_size=3,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    route=st.sampled_from(ROUTES),
    name=texts,
    query=queries,
    value=values
    | st.builds(lambda content: {"message": {"role": "user", "content": content}}, values),
)
def test_bad_input_is_refused_in_the_shape_of_the_client(
    client: TestClient, *, route: tuple[str, str], name: str, query: dict[str, str], value: Any
) -> None:
    method, template = route
    body = None if method == "GET" else value
    path = template.format(thread_id=quote(name, safe=""))
    finite = {**query, "follow": "false"} if path.endswith("/events") else query
    answer = client.request(method, path, params=finite, json=body)
    assert answer.status_code < 500 or answer.status_code == 501, answer.text
    if answer.status_code >= 400 and answer.status_code != 405:
        assert isinstance(answer.json()["error"]["message"], str)
