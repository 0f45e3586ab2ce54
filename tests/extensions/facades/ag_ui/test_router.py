"""AG-UI: a thread as the run that shows it."""

import json
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.domain.access import SCOPES
from agentlog.infrastructure.postgres.database import Database
from tests.api.keyholders import bearing, make_key
from tests.api.refusals import problem_in
from tests.infrastructure.appends import TENANT

ASKED: list[dict[str, Any]] = [
    {"type": "approval_request", "callId": "c1", "tool": "pay", "args": [5], "reason": "much"},
    {"type": "approval_request", "callId": "c2", "tool": "mail"},
]
STORY = [{"type": "input", "text": "Where is it?"}, {"type": "reply", "text": "On its way."}]


@pytest.fixture
def database(own_database: Database) -> Database:
    """Keys are made in it."""
    return own_database


def events(client: TestClient, body: Any, **query: str) -> list[Any]:
    answer = client.post("/agui/t", json=body, params=query).raise_for_status()
    assert answer.headers["content-type"].startswith("text/event-stream")
    return [json.loads(frame.removeprefix("data: ")) for frame in answer.text.split("\n\n")[:-1]]


def test_a_run_shows_the_messages_and_the_state(client: TestClient) -> None:
    client.post("/v1/threads/t/messages", json=STORY).raise_for_status()
    begun, messages, state, done = events(client, {"threadId": "t", "runId": "r"})
    assert begun == {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    assert done == {**begun, "type": "RUN_FINISHED"}
    shown = client.get("/v1/threads/t/views/ag-ui?bare=true").json()
    assert messages == {"type": "MESSAGES_SNAPSHOT", "messages": shown}
    assert state["snapshot"]["step_count"] == 2
    (_, past, *_) = events(client, {}, at="1")
    assert past["messages"] == shown[:1]


def test_a_run_ends_with_the_approvals_that_wait(client: TestClient) -> None:
    client.post("/v1/threads/t/messages", json=ASKED).raise_for_status()
    *_, done = events(client, {})
    assert done["outcome"]["type"] == "interrupt"
    pay, mail = done["outcome"]["interrupts"]
    answer = {"approved": {"type": "boolean"}, "reason": {"type": "string"}}
    assert pay == {
        "id": pay["id"],
        "reason": "tool_call",
        "message": "pay: much",
        "toolCallId": "c1",
        "responseSchema": {"type": "object", "properties": answer, "required": ["approved"]},
        "metadata": {"tool": "pay", "args": [5]},
    }
    assert (mail["message"], mail["metadata"]["args"]) == ("mail", None)
    assert events(client, {}, at="1")[-1]["outcome"]["interrupts"] == [pay]


def test_answers_are_appended_once_and_others_say_nothing(client: TestClient) -> None:
    client.post("/v1/threads/t/messages", json=ASKED).raise_for_status()
    pay, mail = events(client, {})[-1]["outcome"]["interrupts"]
    granted = {"interruptId": pay["id"], "status": "resolved", "payload": {"approved": True}}
    resume = [granted, {"interruptId": "unknown", "status": "resolved"}]
    for _ in range(2):
        *_, done = events(client, {"resume": resume})
        assert done["outcome"]["interrupts"] == [mail]
    given_up = {"interruptId": mail["id"], "status": "cancelled"}
    assert "outcome" not in events(client, {"resume": [granted, given_up]})[-1]
    (*asked, answered) = client.get("/v1/threads/t/views/kernel?bare=true").json()
    assert len(asked) == 2
    assert (answered["callId"], answered["approved"]) == ("c1", True)


@pytest.mark.parametrize("payload", [None, {}, {"approved": "yes"}, True])
def test_an_answer_of_another_shape_is_refused(client: TestClient, payload: Any) -> None:
    client.post("/v1/threads/t/messages", json=ASKED).raise_for_status()
    (pay, _) = events(client, {})[-1]["outcome"]["interrupts"]
    resume = [{"interruptId": pay["id"], "status": "resolved", "payload": payload}]
    problem = problem_in(client.post("/agui/t", json={"resume": resume}), 422, "invalid-message")
    assert problem["errors"][0]["place"] == "resume[0].payload.approved"
    problem_in(client.post("/agui/t?at=1", json={"resume": resume}), 422, "invalid-message")


def test_an_answer_takes_a_key_that_may_append(app: FastAPI, client: TestClient) -> None:
    ours, reading = (bearing(make_key(app, *scopes)) for scopes in (SCOPES, ("read",)))
    client.post("/v1/threads/t/messages", json=ASKED, headers=ours).raise_for_status()
    entry = {"interruptId": "any", "status": "resolved", "payload": {"approved": True}}
    for headers, status in ((ours, 200), (reading, 403)):
        answer = client.post("/agui/t", json={"resume": [entry]}, headers=headers)
        assert answer.status_code == status
    assert client.post("/agui/t", json={}, headers=reading).status_code == 200


def test_what_is_not_there_or_no_object_is_refused(client: TestClient) -> None:
    problem_in(client.post("/agui/t", json={}), 404, "unknown-thread")
    problem_in(client.post("/agui/t", json=[]), 422, "invalid-message")


def test_a_stranger_sees_nothing(app: FastAPI, client: TestClient) -> None:
    ours, theirs = (bearing(make_key(app, *SCOPES, tenant=name)) for name in (TENANT, "strangers"))
    client.post("/v1/threads/t/messages", json=STORY, headers=ours).raise_for_status()
    assert client.post("/agui/t", json={}, headers=ours).status_code == 200
    problem_in(client.post("/agui/t", json={}, headers=theirs), 404, "unknown-thread")
