"""Answers as Gemini CLI tells them: in the pieces of their stream, and with ids of their own."""

import re
from collections.abc import Iterable
from itertools import groupby

from agentlog.domain.json.values import (
    JsonValue,
    array_of,
    object_at,
    object_of,
    objects_of,
    text_at,
)
from agentlog.projections.view import Item


def joined(messages: Iterable[Item]) -> list[Item]:
    """Return an answer with the texts, and the thoughts, of messages that follow each other in one.

    Messages have parts, as Gemini's and those of the conventions; their calls get `own_id`.
    """
    whole: list[Item] = []
    for kind, pieces in groupby(map(_with_ids, messages), _kind):
        several = list(pieces)
        if kind is None:
            whole += several
        elif text := "".join(map(_text, several)):
            (part,) = objects_of(several[-1]["parts"])
            of_text = "content" if "content" in part else "text"
            whole.append({**several[-1], "parts": [{**part, of_text: text}]})
    return whole


def _kind(message: Item) -> JsonValue:
    """Return what a message with one part of text is, a thought or not; None for others."""
    match array_of(message.get("parts")):
        case [{"text": str(), **more}] if not {*more} - {"thought", "thoughtSignature", "type"}:
            return bool(more.get("thought"))
        case [{"type": "text" | "reasoning" as kind, "content": str()}]:
            return kind
        case _:
            return None


def _text(message: Item) -> str:
    (part,) = objects_of(message["parts"])
    return text_at(part, "content", "text") or ""


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
