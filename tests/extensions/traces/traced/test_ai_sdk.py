"""Vercel's AI SDK, versions 4 to 7: what its provider was asked and answered stands in threads."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from agentlog.projections.readers.history import History
from agentlog.projections.readers.registry import FORMATS
from tests.extensions.traces.traced.test_recordings import RECORDINGS

Item = dict[str, Any]
NAMES = sorted(path.name for path in RECORDINGS.glob("ai-sdk-*.json.gz"))
ERROR = "no station in Oslo"
CALLS = [("call_lima", {"city": "Lima"}), ("call_oslo", {"city": "Oslo"})]


def recording(name: str) -> Any:
    """Return a recording: `asked` are the requests to the provider, with its answers."""
    return json.loads(gzip.decompress((RECORDINGS / name).read_bytes()))


def histories(name: str) -> list[History]:
    return list(FORMATS["otlp"].read(recording(name)["spans"]))


def said(history: History) -> list[Any]:
    """Return what a thread says, a line a text, call or result."""
    return [line for draft in history.drafts for line in _lines(draft)]


def _lines(draft: Item) -> Iterator[Any]:
    match draft:
        case {"type": "system" | "input" | "reply" as kind, "text": text}:
            yield kind, text
        case {"calls": calls}:
            yield from ((call["id"], call["name"], call["args"]) for call in calls)
        case {"results": [result]}:
            yield result["callId"], str(result["output"] or result.get("error"))[-18:]
        case _:
            pass


def sent(asked: Item) -> list[Any]:
    """Return the same of a request to the provider, and its answer."""
    kinds = {"system": "system", "developer": "system", "user": "input", "assistant": "reply"}
    lines: list[Any] = []
    for message in [*asked["messages"], {"role": "assistant", **asked["answer"]}]:
        content = message["content"]
        if isinstance(content, list):
            content = "".join(part["text"] for part in content)
        if message["role"] == "tool":
            lines.append((message["tool_call_id"], str(_output(content))[-18:]))
            continue
        lines += [(kinds[message["role"]], content)] if content else []
        for call in message.get("tool_calls", ()):
            function = call["function"]
            lines.append((call["id"], function["name"], json.loads(function["arguments"])))
    return lines


def _output(content: str) -> Any:
    """Return the output in a request; version 7 sends errors as objects, and traces their text."""
    value = content if content.endswith(ERROR) else json.loads(content)
    return value.get("error", value) if isinstance(value, dict) else value


@pytest.mark.parametrize("name", NAMES)
def test_all_that_the_provider_was_asked_and_answered_is_in_a_thread(name: str) -> None:
    threads = [said(history) for history in histories(name)]
    for asked in recording(name)["asked"]:
        lines = [line for line in sent(asked) if not str(line[1]).startswith("JSON schema")]
        assert any(all(line in thread for line in lines) for thread in threads), lines


@pytest.mark.parametrize("name", NAMES)
def test_a_run_with_tools_is_told_as_the_model_was_sent_it(name: str) -> None:
    asked = recording(name)["asked"]
    streamed = sorted(map(str, sent(asked[4])))
    assert streamed in [sorted(map(str, said(history))) for history in histories(name)]


@pytest.mark.parametrize("name", NAMES)
def test_each_model_call_is_counted_once_with_its_tokens(name: str) -> None:
    drafts = [draft for history in histories(name) for draft in history.drafts]
    responses = [draft for draft in drafts if draft["type"] == "llm_response"]
    assert len(responses) == len(recording(name)["asked"])
    for response in responses:
        usage = response["usage"]
        assert (usage["inputTokens"], usage["outputTokens"]) == (150, 30)
        assert usage.get("cachedInputTokens", 40) == 40
        assert response["model"] == "gpt-4o-2024-08-06"


@pytest.mark.parametrize("name", NAMES)
def test_a_failed_tool_says_why(name: str) -> None:
    results = [
        result
        for history in histories(name)
        for draft in history.drafts
        for result in draft.get("results", ())
    ]
    errors = {result["callId"]: result.get("error") for result in results}
    assert errors["call_lima"] is None
    assert name.startswith("ai-sdk-4") or str(errors["call_oslo"]).endswith(ERROR)
    assert {result["callId"] for result in results} == {call_id for call_id, _ in CALLS}
