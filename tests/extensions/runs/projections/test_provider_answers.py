"""Answers as providers send them."""

from typing import Any

import pytest

from agentlog.domain.errors import InvalidMessage
from agentlog.extensions.runs.projections.provider_answers import read_answer
from agentlog.projections.prices import price_list


def test_an_answer_of_the_chat_api_is_read() -> None:
    function = {"name": "f", "arguments": '{"a": 1}'}
    message = {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [{"id": "c", "type": "function", "function": function}],
    }
    document = {
        "id": "chatcmpl-1",
        "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
    }
    answer = read_answer(document, "openai", model="gpt-4o", now=1_767_600_000_000)
    assert (answer.model, answer.text) == ("gpt-4o-2024-08-06", "I look.")
    assert [(call.id, call.name, call.args) for call in answer.calls] == [("c", "f", {"a": 1})]
    assert (answer.usage.input_tokens, answer.finish_reason) == (1000, "tool_calls")
    assert answer.cost == (0.0035, price_list())


def test_an_answer_of_anthropic_is_read() -> None:
    document = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [
            {"type": "thinking", "thinking": "so", "signature": "s"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 90},
    }
    answer = read_answer(document, "anthropic", model="m", now=1_767_600_000_000)
    assert (answer.model, answer.text) == ("claude-sonnet-4-5", "I look.")
    assert [(call.id, call.name, call.args) for call in answer.calls] == [("c", "f", {"a": 1})]
    assert (answer.usage.input_tokens, answer.finish_reason) == (100, "tool_use")


@pytest.mark.parametrize("document", [None, [], {}, "text", {"choices": []}, {"error": {}}])
@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_what_is_no_answer_is_refused(document: Any, dialect: Any) -> None:
    with pytest.raises(InvalidMessage):
        read_answer(document, dialect, model="m", now=0)
