"""A chat completions request in the words of Anthropic's Messages API."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.extensions.runs.projections.anthropic_request import anthropic_request
from agentlog.projections.exchanges.answers import answers_of
from agentlog.projections.exchanges.reconstruction import NothingToAsk, frozen_call
from agentlog.projections.views.repair.anthropic import BEGINNING
from tests.histories import examples, histories, history

Item = dict[str, Any]

HELLO: Item = {"role": "user", "content": "hello"}
SCHEMA: Item = {"type": "object", "properties": {"a": {"type": "integer"}}}


def _called(name: str, arguments: str) -> Item:
    function = {"name": name, "arguments": arguments}
    return {"id": "c", "type": "function", "function": function}


def _turn(*calls: Item, text: str | None = None) -> Item:
    return {"role": "assistant", "content": text, "tool_calls": [*calls]}


def _request(*messages: Item, **fields: Any) -> Any:
    return anthropic_request({"messages": [*messages], **fields})[0]


def _text(text: str) -> Item:
    return {"type": "text", "text": text}


def test_the_system_prompt_stands_apart_and_turns_are_merged() -> None:
    request = _request(
        {"role": "system", "content": "one"},
        {"role": "developer", "content": "two"},
        HELLO,
        {"role": "system", "content": "amid"},
        {"role": "assistant", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "  "},
        {"role": "user", "content": "c"},
    )
    assert request["system"] == [_text("one"), _text("two")]
    assert request["messages"] == [
        {"role": "user", "content": [_text("hello"), _text("amid")]},
        {"role": "assistant", "content": [_text("a"), _text("b")]},
        {"role": "user", "content": [_text("c")]},
    ]


def test_calls_and_results_are_blocks() -> None:
    request = _request(
        HELLO,
        _turn(_called("f", '{"a": 1}'), text="I look."),
        {"role": "tool", "tool_call_id": "c", "content": "done"},
        HELLO,
    )
    call = {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "done"}
    assert request["messages"][1:] == [
        {"role": "assistant", "content": [_text("I look."), call]},
        {"role": "user", "content": [result, _text("hello")]},
    ]
    assert request["tools"] == [{"name": "f", "input_schema": {"type": "object"}}]


@pytest.mark.parametrize("arguments", ["[1]", "not json", '"text"', ""])
def test_arguments_that_are_no_object_are_put_in_one(arguments: str) -> None:
    request = _request(_turn(_called("f", arguments)))
    (call,) = request["messages"][1]["content"]
    assert call["input"] == ({"INVALID_JSON": arguments} if arguments else {})
    assert request["messages"][0] == {"role": "user", "content": [_text(BEGINNING)]}


def test_tools_and_parameters_have_its_names() -> None:
    tool = {"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA}}
    request, notes = anthropic_request(
        {
            "model": "gpt-4o",
            "messages": [HELLO],
            "tools": [tool],
            "tool_choice": "required",
            "max_completion_tokens": 9,
            "temperature": 0.5,
            "stop": "END",
            "seed": 1,
        }
    )
    assert request == {
        "max_tokens": 9,
        "messages": [{"role": "user", "content": [_text("hello")]}],
        "tools": [{"name": "f", "description": "d", "input_schema": SCHEMA}],
        "tool_choice": {"type": "any"},
        "temperature": 0.5,
        "stop_sequences": ["END"],
    }
    assert notes == ["left out: seed"]


def test_what_the_api_requires_and_the_record_lacks_is_said() -> None:
    request, notes = anthropic_request({"messages": [HELLO, _turn(_called("f", "{}"))]})
    assert request["max_tokens"] == 4096
    assert notes == ["max_tokens is 4096", "tools without a definition take any arguments: f"]


def test_files_of_a_user_are_blocks_or_named() -> None:
    def image(url: str) -> Item:
        return {"type": "image_url", "image_url": {"url": url}}

    parts: list[Any] = [
        _text("look"),
        image("data:image/png;base64,QQ=="),
        image("https://example.org/a.png"),
        image("data:image/tiff;base64,QQ=="),
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,QQ=="}},
        {"type": "file", "file": {"file_data": "data:a/b;base64,QQ==", "filename": "b.doc"}},
        {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}},
    ]
    png = {"type": "base64", "media_type": "image/png", "data": "QQ=="}
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "QQ=="}
    (message,) = _request({"role": "user", "content": parts})["messages"]
    assert message["content"] == [
        _text("look"),
        {"type": "image", "source": png},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        _text("[image/tiff, 1 bytes]"),
        {"type": "document", "source": pdf},
        _text("[a/b b.doc, 1 bytes]"),
        _text("[input_audio]"),
    ]


GOLDEN = Path(__file__).parents[3] / "golden"
IMPORTED = sorted((GOLDEN / "readers").glob("*/*.histories.json"))


@examples(40, long=1000)
@given(events=histories(), version=st.integers(0, 13))
def test_the_api_takes_the_request_whatever_is_odd(events: list[Event], version: int) -> None:
    _check_call(events, version)


@pytest.mark.parametrize("file", IMPORTED, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_api_takes_every_call_of_an_imported_run(file: Path) -> None:
    for read in json.loads(file.read_bytes()):
        events = history(*read["drafts"])
        for answer in answers_of(events):
            _check_call(events, answer.first)


def _check_call(events: list[Event], version: int) -> None:
    try:
        call = frozen_call(events, version)
    except NothingToAsk:
        return
    _check(anthropic_request(call.request)[0])


def _check(request: Any) -> None:
    roles = [message["role"] for message in request["messages"]]
    assert roles == [("user", "assistant")[n % 2] for n in range(len(roles))]
    tools = {tool["name"] for tool in request.get("tools", ())}
    waiting: list[str] = []
    seen: list[str] = []
    for message in request["messages"]:
        blocks = message["content"]
        assert blocks
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert sorted(results) == sorted(waiting)
        assert all(block["type"] == "tool_result" for block in blocks[: len(results)])
        asked = [block for block in blocks if block["type"] == "tool_use"]
        waiting = [block["id"] for block in asked]
        seen += waiting
        assert all(isinstance(block["input"], dict) and block["name"] in tools for block in asked)
        assert all(block["text"].strip() for block in blocks if block["type"] == "text")
    assert waiting == []
    assert len(set(seen)) == len(seen)
