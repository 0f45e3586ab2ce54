"""Langfuse's SDK of today, with the address of the service and a key alone."""

import os
import subprocess
import sys
from base64 import b64encode

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.keyholders import make_key
from tests.api.servers import running
from tests.infrastructure.appends import TENANT

PROGRAM = """
from langfuse import get_client, propagate_attributes
client = get_client()
assert client.auth_check()
question = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "where?"}]
call = {"id": "c1", "type": "function", "function": {"name": "track", "arguments": '{"parcel": 1}'}}
asked = {"role": "assistant", "content": None, "tool_calls": [call]}
told = {"role": "tool", "tool_call_id": "c1", "content": "Hamburg"}
def begin(kind, name, **more):
    return client.start_as_current_observation(as_type=kind, name=name, **more)
with propagate_attributes(session_id="desk-7", user_id="ada"), begin("agent", "desk"):
    with begin("generation", "llm", model="gpt-x", input=question) as span:
        span.update(output=asked, usage_details={"input": 11, "output": 7})
    with begin("tool", "track", input={"parcel": 1}) as span:
        span.update(output="Hamburg")
    with begin("generation", "llm", model="gpt-x", input=[*question, asked, told]) as span:
        span.update(output={"role": "assistant", "content": "In Hamburg."})
        span.score(name="brief", value="yes", data_type="CATEGORICAL")
    client.score_current_trace(name="right", value=0.5, comment="no street")
client.create_score(name="mood", value="calm", session_id="desk-7")
client.flush()
"""


@pytest.fixture
def database(own_database: Database) -> Database:
    """Keys are made in it."""
    return own_database


@pytest.fixture
def key(app: FastAPI) -> KeyText:
    return make_key(app, "append")


def test_a_run_is_on_record(app: FastAPI, client: TestClient, key: KeyText) -> None:
    with running(app) as (_, address):
        variables = {
            "LANGFUSE_BASE_URL": address,
            "LANGFUSE_PUBLIC_KEY": "any",
            "LANGFUSE_SECRET_KEY": key.reveal(),
        }
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, **variables},
            check=True,
            timeout=120,
        )
    reader = {"X-Api-Key": make_key(app, "read").reveal()}
    shown = client.get("/v1/threads/desk-7/views/openai?bare=true", headers=reader).json()
    assert [message["role"] for message in shown] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert shown[2]["tool_calls"][0]["function"]["arguments"] == '{"parcel": 1}'
    assert shown[3]["content"] == "Hamburg"
    assert shown[4]["content"] == "In Hamburg."
    remarks = client.get("/v1/threads/desk-7/views/remarks", headers=reader).json()["state"]
    verdicts = {verdict["criterion"]: verdict for verdict in remarks["verdicts"]}
    last = client.get("/v1/threads/desk-7/messages?filter=type:reply", headers=reader).json()[
        "items"
    ][-1]
    assert (verdicts["brief"]["verdict"], verdicts["brief"]["on"]) == ("yes", last["version"])
    assert [verdicts["right"][key] for key in ("score", "comment", "on")] == [
        0.5,
        "no street",
        None,
    ]
    assert (verdicts["mood"]["verdict"], verdicts["mood"]["on"]) == ("calm", None)


def test_scores_are_answered_one_by_one(
    client: TestClient, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentlog.extensions.traces.api.langfuse.router._PAUSE", 0)
    threads.append("desk-7", [{"type": "reply", "text": "x"}])
    good = {"id": "a", "name": "mood", "value": 1, "sessionId": "desk-7"}
    flawed = [
        7,
        {**good, "sessionId": "none"},
        {"name": "n", "value": 1},
        {**good, "traceId": "0f"},
    ]
    assert client.post("/api/public/scores", json=[good, good]).status_code == 202
    answer = client.post("/api/public/scores", json=[good, *flawed])
    assert answer.status_code == 207
    assert (answer.json()["accepted"], answer.json()["rejected"]) == (1, 4)
    assert "send it first" in answer.json()["errors"][-1]["message"]
    assert client.post("/api/public/scores", json=good).json() == {"id": "a"}
    assert client.post("/api/public/scores", json=flawed[0]).status_code == 422
    events = [
        {"id": "e1", "type": "score-create", "body": {**good, "value": 2}},
        {"id": "e2", "type": "trace-create", "body": {}},
        {"id": "e3", "type": "score-create", "body": flawed[1]},
    ]
    told = client.post("/api/public/ingestion", json={"batch": events}).json()
    assert [success["id"] for success in told["successes"]] == ["e1"]
    assert [error["id"] for error in told["errors"]] == ["e2", "e3"]
    assert "@langfuse/tracing" in told["errors"][0]["message"]
    assert threads.head("desk-7").judgements == [{"criterion": "mood", "verdict": None, "score": 2}]
    assert threads.head("desk-7").version == 3


def test_a_key_sees_the_project_of_its_tenant_alone(client: TestClient, app: FastAPI) -> None:
    for tenant in (TENANT, "strangers"):
        text = make_key(app, "append", tenant=tenant).reveal()
        pair = b64encode(f"pk:{text}".encode()).decode()
        answer = client.get("/api/public/projects", headers={"Authorization": f"Basic {pair}"})
        assert [project["id"] for project in answer.json()["data"]] == [tenant]


def test_the_keys_of_langfuse_itself_are_refused(client: TestClient, key: KeyText) -> None:
    del key  # one is made: every request needs one
    pair = b64encode(b"pk-lf-1:sk-lf-2").decode()
    for method, path in (("GET", "/projects"), ("POST", "/otel/v1/traces")):
        answer = client.request(
            method, f"/api/public{path}", headers={"Authorization": f"Basic {pair}"}
        )
        assert answer.status_code == 401
