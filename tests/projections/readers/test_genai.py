"""OpenTelemetry's GenAI messages: parts, and other shapes."""

import json

import pytest

from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.registry import FORMATS
from tests.projections.readers.of_format import noted, of_type, read, types
from tests.test_golden import GOLDEN

SOURCES = GOLDEN / "readers" / "genai"
ROUND = json.loads((SOURCES / "round.json").read_bytes())
SPARSE = [json.loads(line) for line in (SOURCES / "sparse.jsonl").read_bytes().splitlines()]


def test_every_part_becomes_a_message() -> None:
    assert types(read("genai", ROUND)) == {
        "system": 1,
        "input": 2,
        "genai.uri": 1,
        "llm_response": 2,
        "reasoning": 1,
        "tool_calls": 2,
        "tool_results": 2,
        "genai.server_tool_call": 1,
        "reply": 1,
        "genai.weather_map": 1,
    }


def test_messages_of_one_answer_share_its_id() -> None:
    ids = [draft.get("metadata", {}).get("responseId") for draft in read("genai", ROUND).drafts]
    assert ids == [*[None] * 4, *["import-2"] * 4, *[None] * 2, *["import-5"] * 4]


def test_results_stand_under_either_name() -> None:
    results = [draft["results"][0] for draft in of_type(read("genai", ROUND), "tool_results")]
    assert results == [
        {"callId": "call_VSPygqKT", "output": "rainy, 57°F"},
        {"callId": "call_8sjfyXLw", "output": {"sky": "clear"}, "name": "get_weather"},
    ]


def test_unknown_parts_and_roles_are_noted_with_their_place() -> None:
    assert noted(read("genai", ROUND)) == ["[5].parts[1].confidence", "[5].parts[2]"]
    assert noted(read("genai", SPARSE)) == ["[3].parts[0]"]


def test_a_call_without_an_id_is_named_by_its_place() -> None:
    (call,) = of_type(read("genai", SPARSE), "tool_calls")
    assert call["calls"][0]["id"] == "at:[1].parts[0]"


@pytest.mark.parametrize(
    "other",
    [
        {"role": "user", "parts": [{"text": "of Gemini"}]},
        {"role": "user", "parts": [{"type": "text", "text": "of a page"}]},
        {"role": "user", "parts": []},
        {"parts": [{"type": "text", "content": "x"}]},
    ],
)
def test_other_messages_with_parts_are_not_taken(other: JsonValue) -> None:
    assert not FORMATS["genai"].is_item(other)
