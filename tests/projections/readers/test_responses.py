"""OpenAI's Responses: every kind of item is read or kept, figures are those of the answers."""

from typing import Any

import pytest

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import parse
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.history import History
from agentlog.projections.readers.messages.responses import FORMAT
from agentlog.projections.readers.registry import UnclearFormat, recognise
from tests.test_golden import GOLDEN

SOURCES = GOLDEN / "readers" / "responses"


def read(document: Any) -> History:
    return next(FORMAT.read(document))


def conversation() -> History:
    return read(parse((SOURCES / "conversation.json").read_bytes()))


def answers() -> History:
    lines = (SOURCES / "answers.jsonl").read_bytes().splitlines()
    return read([parse(line) for line in lines])


def of_type(history: History, name: str) -> list[Draft]:
    return [draft for draft in history.drafts if draft["type"] == name]


def test_calls_and_results_are_those_of_the_source() -> None:
    history = conversation()
    calls = [call["id"] for draft in of_type(history, "tool_calls") for call in draft["calls"]]
    assert calls == [
        *["call_1", "call_2", "mcp_1", "ws_1", "fs_1"],
        *["ci_1", "call_3", "call_4", "call_5"],
    ]
    results = [result for draft in of_type(history, "tool_results") for result in draft["results"]]
    assert {result["callId"]: result.get("error", "unsaid") for result in results} == {
        "call_1": "unsaid",
        "call_2": "unsaid",
        "mcp_1": "bad gateway",
        "ws_1": None,
        "fs_1": "failed",
        "ci_1": None,
        "call_3": "unsaid",
        "call_4": "no such file",
        "call_5": "unsaid",
    }


def test_raw_arguments_are_kept() -> None:
    first, second = of_type(conversation(), "tool_calls")[:2]
    assert first["calls"][0]["argumentsText"] == '{"parcel": 7}'
    assert second["calls"][0] == {"id": "call_2", "name": "shell", "argumentsText": "ls 'late"}


def test_usage_and_latency_are_those_of_each_answer() -> None:
    first, second, third = of_type(answers(), "llm_response")
    assert first["usage"] == {
        "inputTokens": 11,
        "outputTokens": 7,
        "totalTokens": 18,
        "cachedInputTokens": 3,
        "cacheWriteTokens": 0,
        "reasoningTokens": 2,
    }
    assert first["latencyMs"] == 2500
    assert "usage" not in second
    assert [draft["finishReason"] for draft in (first, second, third)] == [
        "completed",
        "max_output_tokens",
        "failed",
    ]
    assert [draft["error"] for draft in of_type(answers(), "runtime_error")] == [
        "The server had an error."
    ]


def test_instructions_that_come_again_are_read_once() -> None:
    assert len(of_type(answers(), "system")) == 1


def test_an_approval_is_asked_for_and_answered() -> None:
    (asked,), (told,) = (
        of_type(conversation(), f"approval_{kind}") for kind in ("request", "response")
    )
    assert (asked["callId"], asked["tool"], asked["args"]) == ("mcpr_1", "send", {"to": "ada"})
    assert (told["callId"], told["approved"], told["reason"]) == (
        "mcpr_1",
        False,
        "Not on a Friday.",
    )


def test_what_is_not_known_is_kept_with_its_place() -> None:
    assert [(aside.place, aside.what) for aside in conversation().unmapped] == [
        ("data[23]", "kind 'hologram_call'"),
        ("data[24].mood", "field 'mood'"),
        ("data[24].content[2]", "kind 'scent'"),
    ]


@pytest.mark.parametrize(
    "item",
    [
        {"type": "message", "role": "tool", "content": "?"},
        {"type": "message", "role": "user", "content": []},
        {"type": "function_call", "call_id": "", "name": "f", "arguments": "{}"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "a"}, 5]},
        {"type": ["message"]},
        {},
    ],
)
def test_an_item_that_cannot_be_read_is_kept_whole(item: Any) -> None:
    (draft,) = read([item]).drafts
    assert draft["payload"] == item


@pytest.mark.parametrize(
    "line",
    [
        {"type": "user", "content": "hi"},
        {"type": "message", "id": "a", "parentId": None, "message": {"role": "user"}},
    ],
)
def test_lines_of_other_programs_are_not_taken_for_items(line: Any) -> None:
    summary = {"type": "compaction", "id": "c1", "parentId": "a1", "summary": "hi"}
    with pytest.raises(UnclearFormat):
        recognise([line, summary])
    with pytest.raises(InvalidMessage, match=f"by its type '{line['type']}'"):
        read([{"type": "reasoning", "summary": []}, line])


def test_a_call_without_output_yet_has_no_result() -> None:
    call = {"type": "web_search_call", "id": "ws", "status": "searching", "action": {}}
    assert [draft["type"] for draft in read([call]).drafts] == ["tool_calls"]


@pytest.mark.parametrize(
    ("kind", "tool"),
    [
        ("web_search_call", "web_search"),
        ("file_search_call", "file_search"),
        ("code_interpreter_call", "code_interpreter"),
    ],
)
def test_a_call_that_the_provider_ran_needs_no_id(kind: str, tool: str) -> None:
    # Codex's rollouts leave it out
    call, result = read([{"type": kind, "status": "completed"}]).drafts
    assert (call["type"], result["type"]) == ("tool_calls", "tool_results")
    assert call["calls"][0]["name"] == tool
    assert result["results"][0]["callId"] == call["calls"][0]["id"]


def test_plain_messages_are_left_to_chat() -> None:
    plain = {"role": "user", "content": "Hello."}
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    assert recognise([plain]).name == "openai"
    assert recognise([plain, call]).name == "responses"


@pytest.mark.parametrize("key", ["instructions", "tools", "temperature", "previous_response_id"])
def test_a_request_with_a_text_is_known_by_a_field_of_its_api(key: str) -> None:
    request: Any = {"model": "gpt-4o", "input": "Where is parcel 7?", key: None}
    assert recognise([request]) is FORMAT
    (history,) = FORMAT.read(request)
    assert [draft["type"] for draft in history.drafts][-1] == "input"


@pytest.mark.parametrize("other", ["dimensions", "voice", "user"])
def test_a_text_that_another_api_is_sent_is_no_request(other: str) -> None:
    with pytest.raises(UnclearFormat):
        recognise([{"model": "text-embedding-3-small", "input": "parcel", other: 8}])
