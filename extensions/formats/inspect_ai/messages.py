"""Chat messages of inspect_ai, with the parts of their content."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from agentlog.domain.json.values import JsonValue, array_of, object_of
from agentlog.projections.call_texts import call_fields
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, file_of_uri
from agentlog.projections.readers.reading import Entry
from agentlog.projections.view import Item

_FILES = ("image", "audio", "video", "document")
"""Kinds of parts that hold a file, under a field of the same name."""
_KEPT = frozenset({*_FILES, "data", "reasoning"})
_SAYS: Mapping[str, str] = {"system": "system", "user": "input", "assistant": "reply"}


class ToolCall(NamedTuple):
    """A call of inspect_ai (`inspect_ai/tool/_tool_call.py`), a shape of its own.

    Its `function` is the name of the tool, not an object as in OpenAI's; its arguments are parsed.
    """

    id: str
    function: str
    arguments: JsonValue


def call_of(value: JsonValue) -> ToolCall | None:
    """Return the call that a value is, None if it is none."""
    match call := object_of(value):
        case {"id": str(call_id), "function": str(name)} if call_id:
            return ToolCall(call_id, name, call.get("arguments"))
        case _:
            return None


def read_message(entry: Entry, message: Fields, event: Fields | None, answer: Draft | None) -> None:
    """Add the messages for one, after the `answer` of the model which it is of.

    What is left of its `event` is kept with the first.
    """
    role = message.item.get("role")
    role = role if isinstance(role, str) else "message"
    says, is_result = _SAYS.get(role), role == "tool"
    parts: list[Fields] = []
    calls: list[Fields] = []
    if says is not None:
        parts, calls = list(_parts(message)), list(message.items("tool_calls"))
    result = _result(message) if is_result else None
    if says is not None or is_result:
        message.take("role")
    beside = [] if event is None else [event]
    if answer is not None:
        entry.add(answer, *beside)
        beside = []
    if result is not None:
        entry.add({"type": "tool_results", "results": [result]}, *beside)
    elif says is None or not (parts or calls):
        entry.keep(message, role, is_known=says is not None)
    else:
        _say(entry, parts, says, beside)
        _call(entry, calls)


def _say(entry: Entry, content: Sequence[Fields], says: str, beside: Sequence[Fields]) -> None:
    """Add a message for each part of the content; `says` is the type of those with text.

    Files of an input stand in one message with the text before them.
    """
    held: Draft = {}
    parts = [*beside]
    for part in content:
        draft = _draft_of(part, says)
        if held and (draft is None or says != "input" or "text" in draft):
            entry.add(held, *parts)
            held, parts = {}, []
        if draft is None:
            _add_part(entry, part)
            continue
        files = [*array_of(held.get("files")), *array_of(draft.get("files"))]
        held = {**held, "type": says, **draft, **({"files": files} if files else {})}
        part.drop("text", "filename", str(part.take("type")))
        parts.append(part)
    if held:
        entry.add(held, *parts)


def _parts(message: Fields) -> Iterator[Fields]:
    """Take the content, and yield its parts but for empty texts; a text is one."""
    content = message.take("content")
    for n, part in enumerate(content if isinstance(content, list) else [content]):
        wrapped: Item = {"type": "text", "text": part} if isinstance(part, str) else {"value": part}
        item: Item = part if isinstance(part, dict) else wrapped
        item = {key: value for key, value in item.items() if value is not None}
        if item and (item.get("type") != "text" or item.get("text") != ""):
            yield Fields(item, f"{message.place}.content[{n}]")


def _draft_of(part: Fields, says: str) -> Draft | None:
    """Return the text of a part, or an input's file; None where it has neither."""
    match part.item:
        case {"type": "text", "text": str(text)}:
            return {"text": text}
        case {"type": str(kind)} if kind in _FILES and says == "input":
            file = file_of_uri(part.item.get(kind), part.item.get("filename"))
            return None if file is None else {"files": [file]}
        case _:
            return None


def _add_part(entry: Entry, part: Fields) -> None:
    match part.item:
        case {"type": "reasoning", "redacted": True, "summary": str(text)} if text:
            part.take("summary")
        case {"type": "reasoning", "reasoning": str(text)} if text and not part.item.get(
            "redacted"
        ):
            part.take("reasoning")
        case {
            "type": "tool_use",
            "id": str(call_id),
            "name": str(name),
            "arguments": str(args),
        } if call_id:
            _tool_use(entry, part, {"id": call_id, **call_fields(name, args)})
            return
        case _:
            named = part.item.get("type")
            kind = named if isinstance(named, str) else "part"
            entry.keep(part, kind, is_known=kind in _KEPT)
            return
    part.take("type")
    entry.add({"type": "reasoning", "title": "", "summary": text}, part)


def _tool_use(entry: Entry, part: Fields, call: Item) -> None:
    """Add a call that the model's provider ran, with its result."""
    for key in ("id", "name", "arguments"):
        part.take(key)
    error = part.item.get("error")
    failed = isinstance(error, str)
    result = {"callId": call["id"], "name": call["name"], "output": part.take("result")}
    if failed:
        part.take("error")
    entry.add({"type": "tool_calls", "calls": [call]})
    result["error"] = error if failed else None
    entry.add({"type": "tool_results", "results": [result]}, part)


def _call(entry: Entry, asked: Sequence[Fields]) -> None:
    """Add the calls of an answer as one message."""
    calls: list[JsonValue] = []
    parts: list[Fields] = []
    for part in asked:
        call = call_of(part.item)
        if call is None:
            entry.keep(part, "tool_call")
            continue
        part.drop(*ToolCall._fields)
        part.take_equal({"type": "function"})
        calls.append({"id": call.id, "name": call.function, "args": call.arguments})
        parts.append(part)
    if calls:
        entry.add({"type": "tool_calls", "calls": calls}, *parts)


def _result(message: Fields) -> Item:
    """Return a tool's result, which failed where it has an error, and only there."""
    draft: Item = {}
    if call_id := message.text("tool_call_id"):
        draft["callId"] = call_id
    if (name := message.text("function")) is not None:
        draft["name"] = name
    draft["output"] = message.take("content")
    match message.item.get("error"):
        case {"type": str(kind), "message": str(text), **rest} if not rest:
            draft["error"] = {"name": kind, "message": text}
        case None:
            draft["error"] = None
        case _:
            draft["error"] = "unknown"
            return draft
    message.take("error")
    return draft
