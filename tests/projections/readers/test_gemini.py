"""Gemini: contents of the API."""

from typing import Any

from agentlog.domain.json.text import parse
from agentlog.projections.readers.history import History
from tests.projections.readers.of_format import of_type, read
from tests.test_golden import GOLDEN


def _source(name: str, file: str) -> Any:
    data = (GOLDEN / "readers" / name / file).read_bytes()
    return [parse(line) for line in data.splitlines()] if file.endswith("l") else parse(data)


def _results(history: History) -> list[tuple[Any, Any, Any]]:
    return [
        (result.get("callId"), result["output"], result.get("error"))
        for draft in of_type(history, "tool_results")
        for result in draft["results"]
    ]


def test_a_response_without_an_id_answers_the_call_of_its_name() -> None:
    history = read("gemini", _source("gemini", "request.json"))
    assert _results(history) == [
        ("at:contents[1].parts[2].functionCall", {"output": ["8:04", "8:34"]}, None),
        ("fc-2", {"error": "no such station"}, "no such station"),
        (None, {"output": "late"}, None),
    ]


def test_a_thought_is_no_word_to_the_user() -> None:
    history = read("gemini", _source("gemini", "request.json"))
    assert [draft["summary"] for draft in of_type(history, "reasoning")] == ["I need the table."]
    assert next(draft["text"] for draft in of_type(history, "reply")) == "One moment."


def test_the_role_of_a_system_instruction_says_nothing() -> None:
    prompt = {"role": "user", "parts": [{"text": "Be careful."}]}
    contents = [{"parts": [{"text": "do it"}]}]
    history = read("gemini", {"systemInstruction": prompt, "contents": contents})
    assert [draft["type"] for draft in history.drafts] == ["system", "input"]


def test_an_answer_may_have_no_parts() -> None:
    content = {"role": "model"}
    history = read("gemini", {"candidates": [{"content": content, "finishReason": "MAX_TOKENS"}]})
    (response,) = history.drafts
    assert response["finishReason"] == "MAX_TOKENS"
