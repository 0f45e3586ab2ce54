"""Parts of a request: by tools, prompt and roles, whatever the API."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.exchanges.model_call import pieces_of, request_parts
from tests.histories import json_values

RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "x"}


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ({"role": "developer", "content": "x"}, "system"),
        ({"role": "user", "content": "x"}, "user"),
        ({"role": "model", "parts": [{"text": "x"}]}, "assistant"),
        ({"type": "reasoning", "summary": []}, "assistant"),
        ({"role": "tool", "content": "x"}, "tool"),
        ({"type": "function_call_output", "output": "x"}, "tool"),
        ({"role": "user", "content": [RESULT]}, "tool"),
        ({"role": "user", "content": [RESULT, {"type": "text", "text": "x"}]}, "user"),
        ({"role": "user", "parts": [{"functionResponse": {}}]}, "tool"),
        ({"type": "item_reference", "id": "x"}, "other"),
    ],
)
def test_a_message_is_of_the_part_that_wrote_it(message: dict[str, Any], part: str) -> None:
    (only,) = request_parts(pieces_of(None, None, [message]), input_tokens=None)
    assert (only.part, only.messages, only.tokens) == (part, [0], None)


@given(
    tools=json_values,
    prompt=json_values,
    messages=st.lists(st.dictionaries(st.sampled_from(["role", "content", "type"]), json_values)),
    tokens=st.integers(0, 10**6),
)
def test_each_message_is_of_one_part_and_tokens_are_shared_out(
    tools: Any, prompt: Any, messages: list[dict[str, Any]], tokens: int
) -> None:
    parts = request_parts(pieces_of(tools, prompt, messages), input_tokens=tokens)
    assert sorted(place for part in parts for place in part.messages) == [*range(len(messages))]
    assert all(part.characters > 0 for part in parts)
    if parts:
        shared = sum(part.tokens or 0 for part in parts)
        assert abs(shared - tokens) <= len(parts)
