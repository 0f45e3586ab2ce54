"""Threads as training examples in the format of OpenAI's supervised fine-tuning.

A line is `{"messages": […], "tools"?: […], "parallel_tool_calls"?: …}`, its messages those of the
chat API, an assistant's with a `weight` of 0 where it is not trained on (the API reference's
FineTuneChatRequestInput). Its last message is the assistant's, which may leave its calls open.
"""

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import ClassVar

from agentlog.domain.json.values import JsonValue, array_of, object_of
from agentlog.projections.view import Item
from agentlog.projections.views.openai import OpenAIOptions, OpenAIView
from agentlog.projections.views.repair.wire import MARK


class TrainingView(OpenAIView):
    """The chat messages, with the weights that an import had."""

    also: ClassVar[frozenset[str]] = frozenset({"weight"})
    changes: ClassVar[bool] = False


VIEW = TrainingView(OpenAIOptions(repair=True, mark=True))
"""The view that examples come from; `mark` marks calls that the view made."""

FEWEST = 10
"""OpenAI's minimum number of examples in a file."""

_KEYS: Mapping[str, frozenset[str]] = {
    "system": frozenset({"role", "content", "name"}),
    "developer": frozenset({"role", "content", "name"}),
    "user": frozenset({"role", "content", "name"}),
    "assistant": frozenset({"role", "content", "name", "refusal", "tool_calls", "weight"}),
    "tool": frozenset({"role", "content", "tool_call_id"}),
}
_PARTS: Mapping[str, frozenset[str]] = {
    "user": frozenset({"text", "image_url"}),
    "assistant": frozenset({"text", "refusal"}),
}
_ONLY_TEXT = frozenset({"text"})
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class LeftOut(Enum):
    """Reasons why a thread gives no example."""

    OPEN = "still open: --open takes them"
    NOTHING_TO_LEARN = "no message of the assistant"
    EMPTY_MESSAGE = "a message without content"
    OTHER_MEDIA = "media that are not trained on: only texts, and images of users"
    ODD_CALL = "a tool call that OpenAI's API does not take"


def example_of(items: Sequence[Item], metadata: Mapping[str, JsonValue]) -> Item | LeftOut:
    """Return the line for a thread, from its items in `VIEW`, or why there is none.

    `tools` and `parallel_tool_calls` come from the thread's metadata, where given; messages after
    the assistant's last one are left out.
    """
    messages = [_message(item) for item in items]
    while messages and not _teaches(messages[-1]):
        messages.pop()
    if not messages:
        return LeftOut.NOTHING_TO_LEARN
    for message in messages:
        if (flaw := _flaw(message)) is not None:
            return flaw
    line: Item = {"messages": [*messages]}
    match metadata.get("tools"):
        case [*tools] if tools and all(_is_tool(tool) for tool in tools):
            line["tools"] = tools
            if isinstance(parallel := metadata.get("parallel_tool_calls"), bool):
                line["parallel_tool_calls"] = parallel
        case _:
            pass
    return line


def _message(item: Item) -> Item:
    """Return an item with the keys of training data; weight 0 for an item that the view made."""
    message = {key: value for key, value in item.items() if key in _KEYS[str(item["role"])]}
    if item["role"] == "assistant" and MARK in item:
        message["weight"] = 0
    elif message.get("weight") not in {0, 1}:
        message.pop("weight", None)
    return message


def _teaches(message: Item) -> bool:
    return bool(message["role"] == "assistant" and message.get("weight") != 0)


def _flaw(message: Item) -> LeftOut | None:
    role, content, calls = message["role"], message.get("content"), message.get("tool_calls")
    if calls is not None and not (calls and all(map(_is_call, array_of(calls)))):
        return LeftOut.ODD_CALL
    match content:
        case [*parts] if parts:
            known = _PARTS.get(str(role), _ONLY_TEXT)
            types = {object_of(part).get("type") for part in parts}
            return None if types <= known else LeftOut.OTHER_MEDIA
        case str(text) if text or role == "tool":
            return None
        case _:
            silent = role == "assistant" and (calls or message.get("refusal"))
            return None if silent else LeftOut.EMPTY_MESSAGE


def _is_call(call: JsonValue) -> bool:
    match call:
        case {
            "id": str(),
            "type": "function",
            "function": {"name": str(name), "arguments": str()},
        }:
            return _TOOL_NAME.match(name) is not None
        case _:
            return False


def _is_tool(tool: JsonValue) -> bool:
    match tool:
        case {"type": "function", "function": {"name": str()}}:
            return True
        case _:
            return False
