"""Shared by the chat wires: the assistant's turn, its calls, and the files of inputs."""

from base64 import b64decode
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Self

from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at
from agentlog.domain.messages import FileAttachment, InputMessage, ToolCall
from agentlog.projections.call_texts import arguments_text
from agentlog.projections.item_content import (
    CallPlaces,
    ItemContent,
    arguments_of,
    call_content,
    content_of,
)
from agentlog.projections.view import Item


@dataclass(slots=True)
class AssistantTurn:
    """An assistant message that further messages of the same response may extend.

    Immutable by convention; a frozen dataclass would take 3x as long to construct.
    """

    response_id: str | None
    content: str | None
    calls: tuple[Item, ...]

    def joined(
        self, response_id: str | None, content: str | None, calls: tuple[Item, ...]
    ) -> Self | None:
        """Return the turn with this added, or None where this begins a new turn."""
        if response_id is None or response_id != self.response_id:
            return None
        if content is not None and self.content is not None:
            return None
        both = self.content if content is None else content
        return replace(self, content=both, calls=self.calls + calls)


def wire_call(call: ToolCall) -> Item:
    """Return a call in the shape of OpenAI's `tool_calls`."""
    function: Item = {"name": call.name, "arguments": arguments_text(call)}
    return {"id": call.id, "type": "function", "function": function}


def called_tool(call: Item) -> JsonValue:
    """Return the tool of a call in the shape of OpenAI's `tool_calls`."""
    return object_at(call, "function").get("name")


def called_with(call: Item) -> str:
    """Return the arguments of a call in that shape: a text, empty where there is none."""
    return text_at(object_at(call, "function"), "arguments") or ""


def file_text(file: FileAttachment) -> str | None:
    """Return the text of a file, or None where it is not UTF-8 text."""
    if not (file.mime_type or "").startswith("text/"):
        return None
    try:
        return b64decode("".join(file.data.split()), validate=True).decode()
    except ValueError:
        return None


def user_content(message: InputMessage) -> JsonValue:
    """Return the `content` of an input in OpenAI's shape: its text, and its files as parts."""
    if not message.files:
        return message.text
    parts: list[JsonValue] = []
    if message.text is not None:
        parts.append({"type": "text", "text": message.text})
    return [*parts, *map(_file_part, message.files)]


def _file_part(file: FileAttachment) -> Item:
    text = file_text(file)
    if text is not None:
        return {"type": "text", "text": text}
    mime_type = file.mime_type or "application/octet-stream"
    uri = f"data:{mime_type};base64,{''.join(file.data.split())}"
    if mime_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": uri}}
    return {"type": "file", "file": {"file_data": uri, "filename": file.filename or "file"}}


def call_ids(calls: object) -> Sequence[object]:
    """Return the ids of a list of calls, not validated; None for a call without one."""
    listed = calls if isinstance(calls, list) else ()
    return [call.get("id") if isinstance(call, dict) else None for call in listed]


def turn_content(
    type_name: str, turn: Item, calls: CallPlaces, unsaid: AbstractSet[str]
) -> ItemContent:
    """Return what a message says, with its calls where it has some."""
    content = content_of(turn, unsaid | {"tool_calls"})
    tool_calls = objects_of(turn.get("tool_calls"))
    if not tool_calls:
        return ItemContent(type_name, content)
    called = call_content(type_name, calls, map(_id_name_and_arguments, tool_calls))
    silent = content in ({"content": None}, {"content": ""}, "")
    return called if silent else called._replace(content={"said": content, "calls": called.content})


def _id_name_and_arguments(call: Item) -> tuple[JsonValue, JsonValue, JsonValue]:
    function = call.get("function")
    if not isinstance(function, dict):
        return call.get("id"), None, content_of(call, {"id"})
    return call.get("id"), function.get("name"), arguments_of(function.get("arguments"))
