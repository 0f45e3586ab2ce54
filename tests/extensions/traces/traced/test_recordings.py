"""What models were sent is what the view shows: from recordings, and from agents run anew."""

import os
from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.extensions.traces.traced.matrix import LACKS, MATRIX, ORDER, Item, Traced
from tests.extensions.traces.traced.provider import ANSWERS
from tests.extensions.traces.traced.recording import Recording, record

RECORDINGS = Path(__file__).parents[3] / "golden" / "spans"
ADD = os.environ.get("AGENTLOG_ADD_GOLDEN") == "1"
_BESIDE = ("tool_calls", "tool_call_id")
BATCHES = ["a request of each span", "one request"]


def sent(recording: Recording) -> list[Item]:
    """Return the story as chat messages: what the model was sent last, and its answer."""
    request = recording.sent
    told: list[Item] = []
    if "instructions" in request:
        told.append({"role": "system", "content": request["instructions"]})
    for item in request.get("messages", request.get("input")):
        match item:
            case {"type": "function_call", "call_id": call_id, "name": name, "arguments": text}:
                if told[-1]["role"] != "assistant":
                    told.append({"role": "assistant", "content": None})
                function = {"name": name, "arguments": text}
                call = {"id": call_id, "type": "function", "function": function}
                told[-1].setdefault("tool_calls", []).append(call)
            case {"type": "function_call_output", "call_id": call_id, "output": output}:
                told.append({"role": "tool", "content": output, "tool_call_id": call_id})
            case {"role": role, **message}:
                content = message.get("content")
                if isinstance(content, list):
                    content = "".join(part["text"] for part in content)
                beside = {key: message[key] for key in _BESIDE if key in message}
                role = "system" if role == "developer" else role
                told.append({"role": role, "content": content, **beside})
            case _:  # a thought
                pass
    return [*told, {"role": "assistant", "content": ANSWERS[-1]["content"]}]


def shown(client: TestClient, recording: Recording, batches: str) -> list[Item]:
    """Return the view of the one thread that the spans become."""
    requests = recording.spans
    if batches == "one request":
        requests = [
            {"resourceSpans": [one for request in requests for one in request["resourceSpans"]]}
        ]
    before = _threads(client)
    for request in requests:
        assert client.post("/otlp/v1/traces", json=request).is_success
    views = [
        client.get(f"/v1/threads/{thread_id}/views/openai?bare=true").json()
        for thread_id in sorted(_threads(client) - before)
    ]
    (view,) = filter(None, views)
    return list(view)


def _threads(client: TestClient) -> set[str]:
    return {item["threadId"] for item in client.get("/v1/threads?limit=1000").json()["items"]}


def without(lacks: Iterable[str], messages: list[Item]) -> list[Item]:
    """Return messages without what a recording lacks."""
    messages = deepcopy(messages)
    for lack in LACKS:
        if lack in lacks:
            LACKS[lack].taken(messages)
    return messages


@pytest.mark.parametrize("batches", BATCHES)
def test_the_view_is_what_the_model_was_sent_but_for_what_spans_lack(
    client: TestClient, batches: str
) -> None:
    differing = {}
    for traced in MATRIX:
        recording = Recording.load(RECORDINGS / f"{traced.name}.json.gz")
        view, story = shown(client, recording, batches), sent(recording)
        if without(traced.lacks, view) != without(traced.lacks, story):
            differing[traced.name] = (story, view)
        for lack in traced.lacks - {ORDER} if batches == BATCHES[0] else ():
            others = traced.lacks - {lack}
            assert without(others, view) != without(others, story), f"{traced.name} has {lack}"
    assert differing == {}


@pytest.mark.slow
@pytest.mark.parametrize("traced", MATRIX, ids=lambda traced: traced.name)
def test_agents_of_today_are_traced_so(client: TestClient, traced: Traced) -> None:
    python = os.environ.get("AGENTLOG_TEST_TRACED")
    if python is None:
        pytest.skip("AGENTLOG_TEST_TRACED does not name a Python; `make test-slow` does")
    recording = record(Path(python), traced)
    path = RECORDINGS / f"{traced.name}.json.gz"
    if ADD and not path.exists():
        recording.save(path)
    lacks = {*traced.lacks, ORDER}  # which tool ends first is chance
    assert without(lacks, shown(client, recording, BATCHES[0])) == without(lacks, sent(recording))
