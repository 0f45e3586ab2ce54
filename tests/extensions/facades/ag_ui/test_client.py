"""Threads as the client of AG-UI shows them, `@ag-ui/client` itself."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.values import object_of
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.messages import chat
from agentlog_client.identifiers import new_id
from tests.airline import airline_runs
from tests.api.servers import running
from tests.histories import histories as drawn_histories

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).parents[4] / "examples"
NODE = Path(sys.executable).with_name("node")
PROGRAM = Path(__file__).with_name("show.mjs")
ASKED = [
    {"type": "input", "text": "Pay it."},
    {"type": "tool_calls", "calls": [{"id": "c1", "name": "pay", "args": {"amount": 59.9}}]},
    {"type": "approval_request", "callId": "c1", "tool": "pay", "args": {"amount": 59.9}},
]


def shown(app: FastAPI, *words: str) -> list[Any]:
    with running(app) as (_, address):
        done = subprocess.run(
            [NODE, PROGRAM, address, *words],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


def check_messages(
    app: FastAPI, client: TestClient, threads: Threads, histories: Mapping[str, list[Any]]
) -> list[Any]:
    """The client ends with the messages of the view; return all that it ends with."""
    for name, messages in histories.items():
        threads.start(name, {"policy": "record"})
        if messages:
            threads.append(name, messages)
    ends = shown(app, *histories)
    for name, end in zip(histories, ends, strict=True):
        path = f"/v1/threads/{name}/views/ag-ui?bare=true&limit=10000"
        assert end["messages"] == client.get(path).json()
    return ends


def test_the_client_ends_with_the_messages_of_the_view(
    app: FastAPI, client: TestClient, threads: Threads
) -> None:
    histories = {
        path.stem: json.loads(path.read_bytes())["messages"] for path in EXAMPLES.glob("*.json")
    }
    for number, run in enumerate(airline_runs()):
        histories[f"airline-{number}"] = list(chat.READER.read(run["traj"]))
    ends = check_messages(app, client, threads, histories)
    for name, end in zip(histories, ends, strict=True):
        path = f"/v1/threads/{name}/views/agent-state?history=false&bare=true"
        assert end["state"] == client.get(path).json()
        assert end["pendingInterrupts"] == []


@settings(max_examples=2, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(drawn=st.lists(drawn_histories(), min_size=40, max_size=60))
def test_the_client_takes_any_history(
    app: FastAPI, client: TestClient, threads: Threads, drawn: list[list[Event]]
) -> None:
    read = [[event for event in events if event.message is not None] for events in drawn]
    histories = {
        new_id(): [{**object_of(event.raw), "id": new_id()} for event in events] for events in read
    }
    check_messages(app, client, threads, histories)


@pytest.mark.parametrize("approved", [True, False])
def test_the_client_answers_an_approval(
    app: FastAPI, client: TestClient, threads: Threads, *, approved: bool
) -> None:
    threads.append("t", ASKED)
    answer = {"status": "resolved", "payload": {"approved": approved, "reason": "by the book"}}
    before, after = shown(app, "t", "--", json.dumps(answer))
    (interrupt,) = before["pendingInterrupts"]
    assert (interrupt["toolCallId"], interrupt["message"]) == ("c1", "pay")
    assert after["pendingInterrupts"] == []
    (*_, event) = client.get("/v1/threads/t/views/kernel?bare=true").json()
    assert (event["type"], event["callId"]) == ("approval_response", "c1")
    assert (event["approved"], event["reason"]) == (approved, "by the book")


def test_the_client_gives_an_interrupt_up_and_the_approval_waits_on(
    app: FastAPI, threads: Threads
) -> None:
    threads.append("t", ASKED)
    before, after = shown(app, "t", "--", json.dumps({"status": "cancelled"}))
    assert (len(before["pendingInterrupts"]), after["pendingInterrupts"]) == (1, [])
    assert shown(app, "t")[0]["pendingInterrupts"] == before["pendingInterrupts"]
