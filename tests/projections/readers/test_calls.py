"""OpenAI's calls in each shape that programs write, read by one reader."""

import pytest

from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.messages.calls import call_of, take_call
from agentlog.projections.readers.registry import FORMATS
from agentlog.projections.view import Item
from tests.projections.readers.of_format import of_type

FIELDS: Item = {"name": "find", "args": {"n": 1}}
TEXT = '{"n":1}'


@pytest.mark.parametrize(
    ("call", "fields"),
    [
        ({"type": "function", "function": {"name": "find", "arguments": TEXT}}, FIELDS),
        ({"function": {"name": "find", "arguments": {"n": 1}}}, FIELDS),
        ({"function": {"name": "find"}}, {"name": "find"}),
        ({"function": {"name": "find", "arguments": None}}, {"name": "find"}),
        ({"name": "find", "arguments": TEXT}, FIELDS),
        ({"name": "find", "arguments": {"n": 1}}, FIELDS),
        (
            {"name": "find", "arguments": "{ }"},
            {"name": "find", "args": {}, "argumentsText": "{ }"},
        ),
        ({"name": "find", "arguments": "{"}, {"name": "find", "argumentsText": "{"}),
        (
            {"type": "custom", "custom": {"name": "find", "input": TEXT}},
            {"name": "find", "argumentsText": TEXT},
        ),
    ],
)
def test_a_call_is_read_and_taken_in_each_shape(call: Item, fields: Item) -> None:
    read = call_of({"id": "c", **call})
    assert read is not None
    assert (read.id, read.fields) == ("c", fields)
    source = Fields({"id": "c", **call, "index": 0}, "calls[0]")
    assert take_call(source) == {"id": "c", **fields}
    kind = {"type": "custom"} if read.is_custom else {}
    assert source.left() == {**kind, "index": 0}


@pytest.mark.parametrize(
    "value", [None, "find", {}, {"name": "find"}, {"function": {}}, {"function": "find"}]
)
def test_what_is_no_call_is_left_as_it_is(value: JsonValue) -> None:
    assert call_of(value) is None
    if isinstance(value, dict):
        source = Fields(value, "")
        assert take_call(source) is None
        assert source.left() == value


def test_a_call_without_an_id_is_named_by_its_place() -> None:
    call = Fields({"id": "", "name": "find", "arguments": "{}"}, "messages[2].tool_calls[0]")
    assert take_call(call) == {
        "id": "at:messages[2].tool_calls[0]",
        "name": "find",
        "args": {},
    }


@pytest.mark.parametrize("format_name", ["langchain", "anthropic"])
def test_an_anthropic_block_is_read_the_same_wherever_it_stands(format_name: str) -> None:
    content: JsonValue = [
        {"type": "thinking", "thinking": "Where?", "signature": "c2ln"},
        {"type": "tool_use", "name": "find", "input": TEXT},
    ]
    message: Item = {"role": "assistant", "content": content}
    if format_name == "langchain":
        message = {"type": "ai", "content": content, "additional_kwargs": {}}
    (history,) = FORMATS[format_name].read([message])
    assert of_type(history, "reasoning") == [{"title": "", "summary": "Where?"}]
    (draft,) = of_type(history, "tool_calls")
    assert draft["calls"] == [{**FIELDS, "id": draft["calls"][0]["id"]}]
    assert draft["calls"][0]["id"].startswith("at:")
