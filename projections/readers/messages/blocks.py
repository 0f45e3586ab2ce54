"""Blocks of content as messages of chat and of LangChain have them.

They have texts and files of their own; calls, results and thoughts are those of the APIs.
"""

from collections.abc import Collection
from functools import partial

from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, file_of, file_of_uri
from agentlog.projections.readers.messages import ai_sdk, anthropic, bedrock, responses_items
from agentlog.projections.readers.messages.calls import call_of, is_nested, read_call
from agentlog.projections.readers.messages.content import Kinds, read_content
from agentlog.projections.readers.reading import Entry
from agentlog.projections.view import Item

_KEPT = frozenset({"reasoning", "image_url", "file"})
"""Kinds of blocks without a message, where they have no text and no bytes."""


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
                return anthropic.draft_of(block, says)
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
        case {"type": "image", "image": str(data), "mediaType": str(mime)}:
            file, taken = file_of(data, mime), ("image", "mediaType")
        case {"type": "file", "data": str(data), "mediaType": str(mime)}:
            file, taken = file_of(data, mime), ("data", "mediaType")
        case {"type": str(), "source_type": "base64", "data": data, "mime_type": mime}:
            file, taken = file_of(data, mime), ("source_type", "data", "mime_type")
        case _:
            return None
    return None if file is None else (file, taken)


def _read_block(entry: Entry, block: Fields, *, called: Collection[str]) -> None:
    match block.item:
        case {"type": "tool_use" | "tool_call", "id": str(call_id)} if call_id in called:
            pass
        case {"type": "reasoning", "reasoning": str(text)} | {
            "type": "reasoning",
            "text": str(text),
        } if text:
            block.drop("type", "reasoning" if "reasoning" in block.item else "text")
            entry.add({"type": "reasoning", "title": "", "summary": text}, block)
        case {"type": "reasoning", "summary": list()}:
            responses_items.read_item(entry, block)
        case {"type": "function_call", "call_id": str(call_id), "name": str(), "arguments": _} if (
            call_id not in called
        ):
            responses_items.read_item(entry, block)
        case item if is_nested(item) and call_of(item) is not None:
            read_call(entry, block)
        case item if ai_sdk.is_result(item) or ai_sdk.is_call(item):
            ai_sdk.read_part(entry, block)
        case {"type": str(kind)} if kind in _KEPT:
            entry.keep(block, kind, is_known=True)
        case item:
            read = bedrock.read_block if bedrock.is_block(item) else anthropic.read_block
            read(entry, block)
