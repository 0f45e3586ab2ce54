"""Langfuse's observations: sessions and traces, token figures, and both spellings of fields."""

import json
from typing import Any

import pytest

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.registry import FORMATS
from tests.projections.readers.of_format import noted, of_type, read, types
from tests.test_golden import GOLDEN

SOURCES = GOLDEN / "readers" / "langfuse"
TRACE = json.loads((SOURCES / "trace.json").read_bytes())
ROWS = [json.loads(line) for line in (SOURCES / "observations.jsonl").read_bytes().splitlines()]


def generation(**fields: Any) -> dict[str, Any]:
    return {
        "id": "o",
        "traceId": "t",
        "type": "GENERATION",
        "startTime": "2026-05-20T10:00:00Z",
        "input": "hello",
        "output": "hi",
        **fields,
    }


def test_calls_results_and_figures_are_those_of_the_trace() -> None:
    history = read("langfuse", TRACE)
    assert types(history) == {
        "langfuse.trace": 1,
        "langfuse.generation": 3,
        "langfuse.tool": 2,
        "langfuse.context_rewritten": 1,
        "langfuse.span": 1,
        "langfuse.agent": 1,
        "langfuse.event": 1,
        "system": 2,
        "input": 2,
        "llm_request": 3,
        "llm_response": 2,
        "tool_calls": 2,
        "tool_results": 2,
        "reply": 1,
        "runtime_error": 1,
    }
    first, second = of_type(history, "llm_response")
    assert float(first.pop("costUsd")) == 0.00009
    assert first == {
        "model": "gpt-4o-mini-2024-07-18",
        "provider": "openai",
        "finishReason": "tool_call",
        "latencyMs": 1900,
        "usage": {
            "inputTokens": 265,
            "outputTokens": 73,
            "totalTokens": 338,
            "cachedInputTokens": 0,
            "reasoningTokens": 5,
        },
    } | {"finishReason": "tool_calls"}
    assert second["usage"] == {
        "inputTokens": 140,
        "outputTokens": 20,
        "totalTokens": 160,
        "cachedInputTokens": 40,
        "reasoningTokens": 6,
    }
    assert history.id == TRACE["trace"]["id"]
    assert history.metadata["score.funny"] == 0.8


def test_errors_are_those_of_the_observations() -> None:
    history = read("langfuse", TRACE)
    assert of_type(history, "runtime_error") == [{"error": "overloaded, try later"}]
    results = [draft["results"][0]["error"] for draft in of_type(history, "tool_results")]
    assert results == [None, "no permission"]


def test_rows_of_an_export_are_a_thread_a_session() -> None:
    session, trace = FORMATS["langfuse"].read(ROWS)
    assert (session.id, trace.id) == ("session-9", "trace-four")
    assert [draft["text"] for draft in of_type(session, "input")] == [
        "hello there",
        "look at this",
        "hello there",
    ]
    assert of_type(session, "tool_calls")[0]["calls"] == [
        {
            "id": "call_9",
            "name": "look",
            "args": {"at": "this"},
            "argumentsText": '{ "at": "this" }',
        }
    ]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"usageDetails": {"input": 10, "output": 2}}, {"inputTokens": 10, "outputTokens": 2}),
        (
            {"usageDetails": {"input": 10, "output": 2, "total": 12, "input_cached_tokens": 4}},
            {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12, "cachedInputTokens": 4},
        ),
        (
            {"usageDetails": {"input": 6, "output": 2, "input_cached_tokens": 4}},
            {"inputTokens": 10, "outputTokens": 2, "cachedInputTokens": 4},
        ),
        (
            {"usage": {"input": 1, "output": 2, "total": 3, "unit": "TOKENS"}},
            {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
        ),
        (
            {"promptTokens": 5, "completionTokens": 6, "totalTokens": 11},
            {"inputTokens": 5, "outputTokens": 6, "totalTokens": 11},
        ),
        ({"promptTokens": 0, "completionTokens": 0, "totalTokens": 0}, None),
        ({"usageDetails": {}, "inputUsage": 0, "outputUsage": 0}, None),
    ],
)
def test_tokens_are_read_from_where_a_version_has_them(told: JsonValue, expected: object) -> None:
    (response,) = of_type(read("langfuse", [generation(**told)]), "llm_response")
    assert response.get("usage") == expected


def test_a_page_of_the_api_is_read_and_its_rest_is_a_fact() -> None:
    history = read("langfuse", {"data": [generation()], "meta": {"cursor": "next"}})
    assert history.metadata["meta"] == {"cursor": "next"}


def test_an_unknown_field_or_type_is_noted_with_its_place() -> None:
    assert noted(read("langfuse", [generation(sparkle=1)])) == ["[0].sparkle"]
    assert noted(read("langfuse", [generation(type="HOLOGRAM")])) == ["[0]"]


def test_a_text_that_looks_like_json_stays_a_text() -> None:
    (reply,) = of_type(read("langfuse", [generation(output='{"a": 1}')]), "reply")
    assert reply["text"] == '{"a": 1}'


def test_what_is_no_observation_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidMessage, match=r"\[1\]: no observation"):
        list(FORMATS["langfuse"].read([generation(), {"id": "x"}]))


def test_other_objects_are_not_taken() -> None:
    known = FORMATS["langfuse"]
    assert not known.is_item(generation(type="message"))
    assert not known.is_document({"data": [{"id": "a", "type": "SPAN"}]})
    assert not known.is_document({"id": "a", "observations": []})
