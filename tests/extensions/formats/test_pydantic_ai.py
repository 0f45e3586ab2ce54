"""Pydantic AI's messages: figures, outcomes of tools, and parts that are not known."""

import json
from typing import Any

from agentlog.projections.readers.registry import FORMATS
from tests.projections.readers.of_format import noted, of_type, read, types
from tests.test_golden import GOLDEN

SOURCES = GOLDEN / "readers" / "pydantic-ai"
TOOLS = json.loads((SOURCES / "tools.json").read_bytes())
OLD = json.loads((SOURCES / "old.json").read_bytes())


def request(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"kind": "request", "parts": list(parts), **fields}


def test_calls_results_and_tokens_are_those_of_the_source() -> None:
    history = read("pydantic-ai", TOOLS)
    assert types(history) == {
        "system": 2,
        "input": 2,
        "pydantic-ai.image-url": 1,
        "pydantic-ai.thinking": 1,
        "reasoning": 1,
        "reply": 2,
        "llm_response": 2,
        "tool_calls": 3,
        "approval_request": 1,
        "approval_response": 1,
        "tool_results": 3,
    }
    first, second = of_type(history, "llm_response")
    assert first["usage"] == {"inputTokens": 356, "outputTokens": 61, "cachedInputTokens": 128}
    assert float(first["costUsd"]) == 0.00182
    assert second["usage"] == {"inputTokens": 402, "outputTokens": 18}
    assert history.id is None  # the last response names no conversation


def test_an_outcome_says_whether_a_tool_failed() -> None:
    errors = [draft["results"][0] for draft in of_type(read("pydantic-ai", TOOLS), "tool_results")]
    assert [error["error"] for error in errors] == [
        None,
        "no such parcel",
        "The user did not allow this call.",
    ]
    old = {"part_kind": "tool-return", "tool_name": "t", "content": 1, "tool_call_id": "c"}
    (result,) = of_type(read("pydantic-ai", [request(old)]), "tool_results")
    assert "error" not in result["results"][0]


def test_arguments_stay_as_the_model_wrote_them() -> None:
    calls = [draft["calls"][0] for draft in of_type(read("pydantic-ai", TOOLS), "tool_calls")]
    assert [call.get("argumentsText") for call in calls] == ['{ "parcel": 4711 }', None, None]
    assert [call.get("args") for call in calls] == [{"parcel": 4711}, {"parcel": 4712}, None]


def test_figures_that_are_all_zero_are_not_known() -> None:
    assert of_type(read("pydantic-ai", OLD), "llm_response") == [
        {"model": "gpt-4o", "usage": {"inputTokens": 42, "outputTokens": 7, "totalTokens": 49}},
        {},
    ]


def test_unknown_parts_and_fields_are_noted_with_their_place() -> None:
    assert noted(read("pydantic-ai", OLD)) == ["[3].sparkle", "[3].parts[2]"]


def test_instructions_are_told_where_they_change() -> None:
    prompt = {"part_kind": "user-prompt", "content": "hello"}
    told = ["brief", "brief", "long", None, "long"]
    history = read("pydantic-ai", [request(prompt, instructions=text) for text in told])
    assert [draft["text"] for draft in of_type(history, "system")] == ["brief", "long", "long"]


def test_bytes_in_the_alphabet_of_urls_become_a_file() -> None:
    image = {"kind": "binary", "data": "-_8=", "media_type": "image/png"}
    prompt = {"part_kind": "user-prompt", "content": [image]}
    (message,) = of_type(read("pydantic-ai", [request(prompt)]), "input")
    assert message == {"files": [{"data": "+/8=", "mimeType": "image/png"}]}


def test_one_conversation_names_the_thread() -> None:
    prompt = {"part_kind": "user-prompt", "content": "hello"}
    one, other = (request(prompt, conversation_id=name) for name in ("a", "b"))
    assert read("pydantic-ai", [one, one]).id == "a"
    assert read("pydantic-ai", [one, other]).id is None


def test_a_prompt_without_content_is_kept_whole() -> None:
    empty = request({"part_kind": "user-prompt", "content": []}, run_id="r")
    assert [*types(read("pydantic-ai", [empty, request()]))] == [
        "pydantic-ai.user-prompt",
        "pydantic-ai.request",
    ]


def test_other_messages_of_kinds_are_not_taken() -> None:
    assert not FORMATS["pydantic-ai"].is_item({"kind": "request", "parts": [{"type": "text"}]})
