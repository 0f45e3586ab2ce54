"""004: Maria's messages, events and routes, as the document writes them."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from agentlog.projections.readers.wires.maria import READER
from agentlog.projections.view import render
from agentlog.projections.views.maria.view import MariaView
from tests.commission.kernels import Item
from tests.histories import history

CALL = {
    "id": "call_123",
    "type": "function",
    "function": {"name": "read_file", "arguments": '{ "path": "README.md" }'},
}
CONTENTS: dict[str, Any] = {
    "a text": "Write a unit test for foo()",
    "an empty text": "",
    "parts": [{"type": "text", "text": "Let me inspect the file first."}],
    "parts without a type": [{"text": "a"}, {"text": "b"}],
    "no parts": [],
}
USAGES: list[Any] = [
    None,
    [{"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "cache_read_tokens": None}],
    [{"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}],
    [{"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}],
]


def said_back(*items: Item) -> list[Item]:
    """Return what the view makes of events that were imported; the ids are the view's own."""
    shown = render(MariaView(), history(*READER.read(items))).items
    return [{key: placed.item[key] for key in placed.item if key != "id"} for placed in shown]


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("role", ["system", "user"])
def test_a_message_that_was_added_comes_back(role: str, content: Any) -> None:
    added = {"msg": "MessageAdded", "message": {"role": role, "content": content}}
    assert said_back(added) == [added]


@pytest.mark.parametrize("usage", USAGES)
@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("calls", [[], [CALL], [CALL, {**CALL, "id": "call_124"}]])
def test_a_completed_request_comes_back(calls: Any, content: Any, usage: Any) -> None:
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    event = {"msg": "RequestCompleted", "usage": usage, "message": message}
    assert said_back(event)[0] == event


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_a_tool_message_is_the_result_of_its_call(content: Any) -> None:
    turn = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    tool = {"role": "tool", "content": content, "tool_call_id": "call_123"}
    shown = said_back(
        {"msg": "RequestCompleted", "usage": None, "message": turn},
        {"msg": "MessageAdded", "message": tool},
    )
    assert shown[-1] == {"msg": "MessageAdded", "message": tool}


@pytest.mark.parametrize("prefix", ["/maria/v1", "/maria"])
def test_the_routes_of_the_document_are_there(client: TestClient, prefix: str) -> None:
    message = {"role": "user", "content": "Write a unit test for foo()"}
    task = client.post(f"{prefix}/task", json={"message": message}).json()["task"]["id"]
    sent = client.post(f"{prefix}/task/{task}/message", json={"message": message})
    assert sent.json().keys() == {"id", "queued"}
    queued = {"type": "maria.MessageQueued", "payload": {"message": {"id": "q", **message}}}
    client.post(f"/v1/threads/{task}/messages", content=json.dumps(queued))
    assert client.get(f"{prefix}/queued_messages").json() == [{"id": "q", "message": message}]
    with client.stream("GET", f"{prefix}/task/{task}/events?follow=false") as stream:
        lines = [line for line in stream.iter_lines() if line]
    assert lines[:2] == [
        "event: maria.queued_messages.synchronized",
        f"data: {json.dumps([{'id': 'q', 'message': message}], separators=(',', ':'))}",
    ]
    assert set(lines[2::2]) == {"event: maria"}
    added = json.loads(lines[3].removeprefix("data: "))
    assert (added["msg"], added["message"]) == ("MessageAdded", message)
