"""Blocks of content as messages of chat and of LangChain have them, calls, results and files."""

from collections.abc import Collection, Iterable, Iterator
from functools import partial

from agentlog.domain.errors import InvalidJson, InvalidMessage
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, text_of
from agentlog.projections.readers.files import file_of, file_of_uri
from agentlog.projections.readers.history import items_in
from agentlog.projections.readers.messages.chat_calls import named_call
from agentlog.projections.readers.messages.content import Kinds, read_content
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

_KEPT = frozenset({"thinking", "reasoning", "redacted_thinking", "image_url", "image", "file"})
"""Kinds of blocks without a message, where they have no text and no bytes."""

UNNAMED = "at:"
"""How the ids begin that calls get which have none: the place of the call follows."""


def messages_of(reading: Reading, document: JsonValue) -> Iterator[Fields]:
    """Yield the messages of an array, or of an object with `messages`, whose rest is kept.

    Raises:
        InvalidMessage: the document has none.
    """
    items = items_in(document)
    if items is None:
        raise InvalidMessage.at("", "has no messages")
    rest = (
        {key: value for key, value in document.items() if key != "messages"}
        if isinstance(document, dict)
        else {}
    )
    if rest:
        whole = Fields(rest, "")
        reading.keep(whole, "document", is_known=True)
        reading.note(whole, rest)
    place = "" if isinstance(document, list) else "messages"
    for n, item in enumerate(items):
        yield Fields(item, f"{place}[{n}]")


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
        case {"type": "function_call", "call_id": str(call_id), "name": str(name)} if (
            call_id not in called and "arguments" in block.item
        ):
            block.drop("type", "name")
            add_call(entry, block, name, block.take("arguments"), key="call_id")
        case {"type": "tool_use", "name": str(name), "input": args}:
            block.drop("type", "name", "input")
            add_call(entry, block, name, args)
        case {"type": "function", "function": {"name": str(), "arguments": _}}:
            read_function(entry, block)
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


def read_function(entry: Entry, call: Fields) -> None:
    """Add a call as OpenAI has it: an id, and a function with name and arguments, or both flat."""
    match call.item:
        case {"function": {"name": str(name), "arguments": _}}:
            if call.item.get("type") == "function":
                call.take("type")
            function = call.inner("function") or call
            function.drop("name")
            add_call(entry, call, name, function.take("arguments"))
        case {"name": str(name), "arguments": _}:  # flat, as tau2-bench and Ollama have it
            call.drop("name")
            add_call(entry, call, name, call.take("arguments"))
        case _:
            entry.keep(call, "call")


def add_call(
    entry: Entry,
    call: Fields,
    name: str,
    args: JsonValue,
    *beside: Fields,
    key: str = "id",
) -> None:
    """Add a call, its id under `key`; a string of arguments is kept as it is, null is none.

    What is left of the objects `beside` is kept with it.
    """
    call_id = text_of_id(call.take(key)) or UNNAMED + call.place
    asked: Item = {"id": call_id, **named_call(name, args)}
    entry.add({"type": "tool_calls", "calls": [asked]}, call, *beside)


def add_result(entry: Entry, part: Fields, result: Item, **of_draft: JsonValue) -> None:
    """Add the result of a call; an empty call id is none."""
    fields = {key: value for key, value in result.items() if key != "callId" or value}
    entry.add({"type": "tool_results", **of_draft, "results": [fields]}, part)


def answer_unnamed(drafts: Iterable[Draft]) -> None:
    """Give results without a call id that of the first open call without one, of the same name."""
    waiting: dict[str, str] = {}
    for draft in drafts:
        match draft:
            case {"type": "tool_calls", "calls": [{"id": str(call_id), "name": str(name)}]} if (
                call_id.startswith(UNNAMED)
            ):
                waiting[call_id] = name
            case {"type": "tool_results", "results": [dict(result)]} if "callId" not in result:
                fitting = (k for k, name in waiting.items() if result.get("name", name) == name)
                if (asked := next(fitting, None)) is not None:
                    result["callId"] = asked
                    del waiting[asked]
            case _:
                pass


def text_of_id(value: JsonValue) -> str | None:
    """Return an id that may be any JSON as text; None for none."""
    return None if value in (None, "") else value_text(value)


def number(value: JsonValue) -> int | float | None:
    """Return a number from 0, or the one that a text has; None for anything else."""
    if isinstance(value, str):
        try:
            value = parse(value)
        except InvalidJson:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return None
    return value
