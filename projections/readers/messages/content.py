"""Content of messages: a text, or an array of parts; and its parts in chat and in LangChain."""

from collections.abc import Callable, Collection
from functools import partial
from typing import NamedTuple

from agentlog.domain.json.values import JsonValue, array_of
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, text_of
from agentlog.projections.readers.files import file_of, file_of_uri
from agentlog.projections.readers.messages.calls import (
    add_call,
    add_result,
    call_of,
    is_nested,
    read_call,
)
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

_KEPT = frozenset({"thinking", "reasoning", "redacted_thinking", "image_url", "image", "file"})
"""Kinds of blocks without a message, where they have no text and no bytes."""


class Kinds(NamedTuple):
    """The kinds of parts of a format.

    `draft_of` takes a part and the type of a message, and returns the part's `text` or `files`, or
    None where it has neither; it may return another `type`. `other` adds such a part.
    """

    draft_of: Callable[[Fields, str], Draft | None]
    other: Callable[[Entry, Fields], None]


def read_content(entry: Entry, content: JsonValue, place: str, says: str, kinds: Kinds) -> None:
    """Add a message of the type `says` for each part with text, and what other parts make.

    Files of an input stand in one message with the text beside them. What is no object is kept.
    """
    if isinstance(content, str):
        entry.add({"type": says, "text": content})
        return
    held: Draft = {}
    parts: list[Fields] = []
    for n, value in enumerate(content if isinstance(content, list) else [content]):
        is_object = isinstance(value, dict)
        part = Fields(value if is_object else {"value": value}, f"{place}[{n}]")
        draft = kinds.draft_of(part, says) if is_object else None
        if held and not (draft is not None and _belongs({"type": says, **draft}, held)):
            entry.add(held, *parts)
            held, parts = {}, []
        if draft is not None:
            files = [*array_of(held.get("files")), *array_of(draft.get("files"))]
            held = {**held, "type": says, **draft}
            if files:
                held["files"] = files
            parts.append(part)
        elif is_object:
            kinds.other(entry, part)
        else:
            entry.keep(part, "part")
    if held:
        entry.add(held, *parts)


def _belongs(draft: Draft, held: Draft) -> bool:
    """Return whether files and one text make one input."""
    kinds = (draft["type"], held["type"])
    return kinds == ("input", "input") and not ("text" in held and "text" in draft)


def add_prompt(
    reading: Reading, whole: Fields, key: str, parts: JsonValue, *, is_all: bool = True
) -> None:
    """Add the prompt of a request, and take it where a text is all of it; else it is kept too."""
    text = text_of(parts)
    if text is None:
        return
    if is_all and parts == [{"text": text}]:
        whole.take(key)
    reading.add({"type": "system", "text": text})


def read_blocks(
    entry: Entry, content: JsonValue, place: str, says: str, *, called: Collection[str] = ()
) -> None:
    """Add messages for `content`; `says` is the type of those with text.

    Blocks of the calls `called` are left out: the caller adds them with the calls.
    """
    if isinstance(content, list):
        content = [{"text": part} if isinstance(part, str) else part for part in content]
    read_content(entry, content, place, says, Kinds(_draft_of, partial(_read_block, called=called)))


def _draft_of(block: Fields, says: str) -> Draft | None:
    """Take the text or file of a block; None where it has neither."""
    match block.item:
        case {"type": "text" | "input_text" | "output_text", "text": str(text)}:
            block.drop("type", "text")
            return {"text": text}
        case {"text": str(text), **rest} if not rest:
            block.take("text")
            return {"text": text}
        case _:
            read = _file(block.item) if says == "input" else None
            if read is None:
                return None
            file, taken = read
            block.drop("type", *taken)
            return {"files": [file]}


def _file(block: Item) -> tuple[Item, tuple[str, ...]] | None:
    """Return the file of a block, and the fields that it is made of."""
    taken: tuple[str, ...]
    match block:
        case {"type": "image_url", "image_url": str(uri)}:
            file, taken = file_of_uri(uri), ("image_url",)
        case {"type": "image_url", "image_url": {"url": str(uri), **rest}} if not rest:
            file, taken = file_of_uri(uri), ("image_url",)
        case {"type": "image" | "audio" | "video" | "file", "base64": data, "mime_type": mime}:
            file, taken = file_of(data, mime), ("base64", "mime_type")
        case {"type": str(), "source_type": "base64", "data": data, "mime_type": mime}:
            file, taken = file_of(data, mime), ("source_type", "data", "mime_type")
        case {
            "type": "image" | "document",
            "source": {"data": data, "media_type": mime, **rest},
        } if rest == {"type": "base64"}:
            file, taken = file_of(data, mime), ("source",)
        case _:
            return None
    return None if file is None else (file, taken)


def _read_block(entry: Entry, block: Fields, *, called: Collection[str]) -> None:
    match block.item:
        case {"type": "thinking" | "reasoning" as key, **rest} if (
            isinstance(text := rest.get(key), str) and text
        ):
            block.drop("type", key)
            entry.add({"type": "reasoning", "title": "", "summary": text}, block)
        case {"type": "reasoning", "summary": summary} if text := text_of(summary):
            entry.add({"type": "reasoning", "title": "", "summary": text}, block)
        case {"type": "tool_use" | "tool_call", "id": str(call_id)} if call_id in called:
            pass
        case {"type": "function_call", "call_id": str(call_id), "name": str(), "arguments": _} if (
            call_id not in called
        ):
            block.take("type")
            read_call(entry, block, key="call_id")
        case {"type": "tool_use", "name": str(name), "input": args}:
            block.drop("type", "name", "input")
            add_call(entry, block, name, args)
        case item if is_nested(item) and call_of(item) is not None:
            read_call(entry, block)
        case {"type": "tool_result", "tool_use_id": str(call_id), "content": output}:
            block.drop("type", "tool_use_id", "content")
            result = {"callId": call_id, "output": output, **_failure(block, output)}
            add_result(entry, block, result)
        case {"type": str(kind)}:
            entry.keep(block, kind, is_known=kind in _KEPT)
        case _:
            entry.keep(block, "block")


def _failure(block: Fields, output: JsonValue) -> Item:
    if not isinstance(block.item.get("is_error"), bool):
        return {}
    return {"error": value_text(output) if block.take("is_error") else None}
