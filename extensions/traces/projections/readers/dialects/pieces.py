"""Answers as Gemini CLI tells them: in the pieces of their stream, and with ids of their own."""

import re
from collections.abc import Iterable

from agentlog.domain.json.values import JsonValue, array_of, object_at, object_of, objects_of
from agentlog.projections.view import Item


def joined(messages: Iterable[Item]) -> list[Item]:
    """Return an answer with the texts, and the thoughts, of messages that follow each other in one.

    Messages have parts, as Gemini's and those of the conventions; their calls get `own_id`.
    """
    whole: list[Item] = []
    for message in map(_with_ids, messages):
        key, text = _piece(message)
        if not whole or key != _piece(whole[-1])[0] or key is None:
            whole.append(message)
        else:
            (part,) = objects_of(whole[-1]["parts"])
            (of_text,) = (name for name in ("text", "content") if name in part)
            whole[-1] = {**message, "parts": [{**part, of_text: f"{part[of_text]}{text}"}]}
    return [message for message in whole if _piece(message)[1] != ""] or whole[:1]


def _piece(message: Item) -> tuple[tuple[JsonValue, ...] | None, str | None]:
    """Return the kind and the text of a message with one part of text; else None for both."""
    match array_of(message.get("parts")):
        case [{"text": str(text), **more}] if not {*more} - {"thought", "thoughtSignature", "type"}:
            return (bool(more.get("thought")), message.get("role")), text
        case [{"type": "text" | "reasoning" as kind, "content": str(text)}]:
            return (kind, message.get("role")), text
        case _:
            return None, None


def own_id(name: str, call_id: str | None) -> str | None:
    """Return the id of a call as the next request tells it, where an answer has `NAME__ID`."""
    return call_id and re.sub(rf"^{re.escape(name)}__(?={re.escape(name)}_)", "", call_id)


def _with_ids(message: Item) -> Item:
    parts = [_with_id(part) for part in array_of(message.get("parts"))]
    return {**message, "parts": parts} if parts else message


def _with_id(part: JsonValue) -> JsonValue:
    item = object_of(part)
    match item:
        case {"functionCall": {"id": str(call_id), "name": str(name)}}:
            call = {**object_at(item, "functionCall"), "id": own_id(name, call_id)}
            return {**item, "functionCall": call}
        case {"type": "tool_call", "id": str(call_id), "name": str(name)}:
            return {**item, "id": own_id(name, call_id)}
        case _:
            return part
