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


def test_what_is_not_there_or_no_object_is_refused(client: TestClient) -> None:
    problem_in(client.post("/agui/t", json={}), 404, "unknown-thread")
    problem_in(client.post("/agui/t", json=[]), 422, "invalid-message")


def test_a_stranger_sees_nothing(app: FastAPI, client: TestClient) -> None:
    ours, theirs = (bearing(make_key(app, *SCOPES, tenant=name)) for name in (TENANT, "strangers"))
    client.post("/v1/threads/t/messages", json=STORY, headers=ours).raise_for_status()
    assert client.post("/agui/t", json={}, headers=ours).status_code == 200
    problem_in(client.post("/agui/t", json={}, headers=theirs), 404, "unknown-thread")
