"""Every message comes back equal from its kernel messages and its residue."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from agentlog.domain.catalogue import validate_message
from agentlog.domain.json.text import parse
from agentlog_client.adapters.langgraph.cut import Cut, cut, digest_of, restored, with_ids
from agentlog_client.identifiers import new_id

SERDE = JsonPlusSerializer()
_TEXTS = st.text() | st.text(min_size=40) | st.just("long " * 20)
_INTEGERS = st.integers(-(2**63), 2**64 - 1)
"""Those that LangGraph's serializer takes."""
_VALUES = st.recursive(
    st.none() | st.booleans() | _INTEGERS | st.floats(allow_nan=False) | _TEXTS,
    lambda inside: st.lists(inside) | st.dictionaries(_TEXTS, inside) | st.tuples(inside, inside),
    max_leaves=6,
)
_OBJECTS = st.dictionaries(_TEXTS, _VALUES, max_size=3)
_IMAGE = st.builds(
    lambda data: {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
    st.sampled_from(["AAAA", "QUJD" * 20]),
)
_BLOCKS = st.lists(
    st.builds(lambda text: {"type": "text", "text": text}, _TEXTS)
    | st.builds(lambda text: {"type": "thinking", "thinking": text, "signature": "s"}, _TEXTS)
    | _IMAGE
    | _TEXTS
    | st.just({"type": "vendor", "of": [1.0, None]})
)
_CALLS = st.lists(
    st.fixed_dictionaries(
        {"name": _TEXTS, "args": _OBJECTS, "id": st.none() | _TEXTS, "type": st.just("tool_call")}
    ),
    max_size=2,
)
_INVALID = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.none() | _TEXTS,
            "args": st.none() | _TEXTS,
            "id": st.none() | _TEXTS,
            "error": st.none() | _TEXTS,
            "type": st.just("invalid_tool_call"),
        }
    ),
    max_size=2,
)
_USAGE = st.none() | st.fixed_dictionaries(
    {"input_tokens": _INTEGERS, "output_tokens": _INTEGERS, "total_tokens": _INTEGERS},
    optional={
        "input_token_details": st.fixed_dictionaries(
            {}, optional={"cache_read": st.integers(0, 2**63)}
        )
    },
)
_COMMON: dict[str, Any] = {
    "content": _TEXTS | _BLOCKS,
    "id": st.none() | _TEXTS,
    "name": st.none() | _TEXTS,
    "response_metadata": st.just({})
    | _OBJECTS
    | st.just({"model_name": "m", "finish_reason": "stop"}),
}
_ANSWER = {
    **_COMMON,
    "tool_calls": _CALLS,
    "invalid_tool_calls": _INVALID,
    "usage_metadata": _USAGE,
}
MESSAGES = st.one_of(
    st.builds(HumanMessage, **_COMMON),
    st.builds(SystemMessage, **_COMMON),
    st.builds(AIMessage, **_ANSWER),
    st.builds(
        ToolMessage,
        **_COMMON,
        tool_call_id=_TEXTS,
        status=st.sampled_from(["success", "error"]),
        artifact=_VALUES,
    ),
)


@given(MESSAGES)
def test_a_message_comes_back_equal(message: BaseMessage) -> None:
    pieces = cut(message, SERDE)
    stored = json.loads(json.dumps([pieces.drafts, pieces.residue], allow_nan=False))
    read = restored(Cut(tuple(stored[0]), stored[1]), SERDE)
    assert type(read) is type(message)
    assert read == message
    assert digest_of(read, SERDE) == digest_of(message, SERDE)


@given(MESSAGES)
def test_its_kernel_messages_are_valid(message: BaseMessage) -> None:
    pieces = cut(message, SERDE)
    for draft in with_ids(pieces, new_id()):
        sent = parse(json.dumps({**draft, "timestamp": 0}).encode())
        assert isinstance(sent, dict)
        sent.pop("metadata")
        validate_message(sent)


def test_long_texts_and_files_stand_in_it_once() -> None:
    data, text = "QUJD" * 1000, "look " * 1000
    url = f"data:image/png;base64,{data}"
    blocks: list[str | dict[Any, Any]] = [
        {"type": "text", "text": text},
        {"type": "image_url", "image_url": {"url": url}},
    ]
    pieces = cut(HumanMessage(blocks), SERDE)
    assert len(json.dumps(with_ids(pieces, new_id()))) < len(data) + len(text) + 500


@pytest.mark.parametrize(
    "message", [AIMessageChunk(content="said in pieces"), AIMessage("a lone surrogate \ud800")]
)
def test_unusual_messages_have_a_kernel_message(message: BaseMessage) -> None:
    assert [draft["type"] for draft in cut(message, SERDE).drafts] == ["reply"]


def test_a_message_without_its_residue_says_what_the_kernel_message_says() -> None:
    read = restored(Cut(({"type": "reply", "text": "[redacted]"},), {}), SERDE)
    assert read == AIMessage("[redacted]")
