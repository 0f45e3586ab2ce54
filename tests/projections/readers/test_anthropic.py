"""Anthropic's messages: each block is a message, figures are those of the answer."""

from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.json.text import parse
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.history import History
from agentlog.projections.readers.messages.anthropic import FORMAT
from agentlog.projections.readers.registry import recognise
from tests.test_golden import GOLDEN

SOURCES = GOLDEN / "readers" / "anthropic"


def read(document: Any) -> History:
    return next(FORMAT.read(document))


def request() -> History:
    return read(parse((SOURCES / "request.json").read_bytes()))


def answers() -> History:
    lines = Path(SOURCES / "answers.jsonl").read_bytes().splitlines()
    return read([parse(line) for line in lines])


def of_type(history: History, name: str) -> list[Draft]:
    return [draft for draft in history.drafts if draft["type"] == name]


def test_calls_and_results_are_those_of_the_source() -> None:
    history = answers()
    calls = [call["id"] for draft in of_type(history, "tool_calls") for call in draft["calls"]]
    assert calls == ["srvtoolu_1", "srvtoolu_2", "mcptoolu_1"]
    results = [result for draft in of_type(history, "tool_results") for result in draft["results"]]
    assert [result.get("error", "unsaid") for result in results] == [
        "unsaid",
        "max_uses_exceeded",
        None,
    ]
    failed = [draft["results"][0].get("error") for draft in of_type(request(), "tool_results")]
    assert failed == [None, "no such parcel"]


def test_cached_tokens_are_among_the_input() -> None:
    first, second = of_type(answers(), "llm_response")
    assert first["usage"] == {
        "inputTokens": 100,
        "outputTokens": 25,
        "cachedInputTokens": 70,
        "cacheWriteTokens": 0,
        "reasoningTokens": 4,
        "webSearches": 1,
    }
    assert second["usage"] == {"inputTokens": 40, "outputTokens": 1}
    assert second["finishReason"] == "max_tokens"
    assert of_type(request(), "llm_response") == []


def test_messages_of_one_answer_share_its_id() -> None:
    ids = [draft.get("metadata", {}).get("responseId") for draft in answers().drafts]
    assert ids == [None, *["msg_01"] * 10, None, "msg_02", "msg_02"]


def test_what_is_not_known_is_kept_with_its_place() -> None:
    assert [(aside.place, aside.what) for aside in answers().unmapped] == [
        ("[1].mood", "field 'mood'"),
        ("[1].content[8]", "kind 'crystal_ball'"),
    ]


@pytest.mark.parametrize("content", [[], None, 5, {"type": "text"}, [[]], ["plain"]])
def test_no_message_turns_blank(content: Any) -> None:
    (draft,) = read([{"role": "user", "content": content}]).drafts
    assert "payload" in draft


def test_a_picture_without_a_text_is_an_input() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "QUJD"}
    (draft,) = read([{"role": "user", "content": [{"type": "image", "source": source}]}]).drafts
    assert draft == {"type": "input", "files": [{"data": "QUJD", "mimeType": "image/png"}]}


def test_plain_messages_are_left_to_chat() -> None:
    assert recognise([{"role": "user", "content": "Hello."}]).name == "openai"
    called = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    assert recognise([{"role": "assistant", "content": [called]}]).name == "anthropic"
