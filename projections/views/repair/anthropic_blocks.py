"""Blocks of Anthropic's API: which of them a message may have, and what stands for the others."""

from collections.abc import Sequence

from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at
from agentlog.projections.api_rules.anthropic import (
    IN_RESULTS,
    KEYS,
    LIMITS,
    SERVER_ID,
    UNMARKED,
    is_server_result,
    takes_block,
)
from agentlog.projections.call_texts import value_text
from agentlog.projections.view import Item
from agentlog.projections.views.repair.media import Media, media_in, parts_in
from agentlog.projections.views.repair.names import as_object
from agentlog.projections.views.repair.wire import RESULT

_KNOWN = {kind: keys | {RESULT} for kind, keys in KEYS.items()}


def blocks_of(item: Item) -> list[Item]:
    """Return the blocks of a message's content; a text is one."""
    content = item.get("content")
    return [text_block(content)] if isinstance(content, str) else objects_of(content)


def text_block(text: str) -> Item:
    """Return the block of a text."""
    return {"type": "text", "text": text}


def taken_blocks(role: str, blocks: Sequence[Item]) -> list[Item]:
    """Return the blocks that a message of a role has, as the API takes them."""
    servers: set[JsonValue] = set()
    taken: list[Item] = []
    for block in blocks:
        kind = block.get("type")
        if kind == "server_tool_use":
            fits = SERVER_ID.takes(block.get("id")) and LIMITS.tool_name.takes(block.get("name"))
            if role != "assistant" or not fits:
                continue
            servers.add(block["id"])
        elif isinstance(kind, str) and is_server_result(kind):
            call_id = block.get("tool_use_id")
            if not (isinstance(call_id, str) and call_id in servers):
                continue
        cleaned = _block(role, block)
        if cleaned is not None:
            taken.append(_with_known_keys(cleaned))
    if taken and taken[0].get("type") not in UNMARKED:  # thoughts come first, or not at all
        return [block for block in taken if block.get("type") not in UNMARKED]
    return taken


def _block(role: str, block: Item) -> Item | None:
    kind = block.get("type")
    if kind == "text":
        text = block.get("text")
        return block if isinstance(text, str) and text.strip() else None
    if kind in UNMARKED:
        key = "signature" if kind == "thinking" else "data"
        if role != "assistant" or text_at(block, key) is None:
            return None
        return block
    media = media_in(block)
    if media is not None and not (takes_block(role, kind) and _is_taken(media, block)):
        return _kept_mark(text_block(media.words), block)
    if not takes_block(role, kind):
        text = text_at(block, "text")
        return text_block(text) if text is not None and text.strip() else None
    if kind == "tool_use" and not isinstance(block.get("input"), dict):
        return {**block, "input": as_object(block.get("input"))}
    return _result(block) if kind == "tool_result" else block


def _result(block: Item) -> Item:
    content = block.get("content")
    media = parts_in(content) if isinstance(content, str) else None
    if media is not None:
        parts: JsonValue = [cleaned for part in media for cleaned in _part(part)]
        return {**block, "content": parts}
    if content is None or isinstance(content, str):
        return block
    if not isinstance(content, list):
        return {**block, "content": value_text(content)}
    cleaned: list[JsonValue] = []
    for value in content:
        part = value if isinstance(value, dict) else text_block(value_text(value))
        kind = part.get("type")
        if not (isinstance(kind, str) and kind in IN_RESULTS):
            part = text_block(text_at(part, "text") or value_text(value))
        block_in = _block("user", part)
        if block_in is not None:
            cleaned.append(_with_known_keys(block_in))
    return block if cleaned == content else {**block, "content": cleaned}


def _part(part: str | Media) -> list[Item]:
    if isinstance(part, str):
        return [text_block(part)] if part.strip() else []
    return [block_of(part)]


def block_of(media: Media) -> Item:
    """Return the block of an image or a document; of another file, words."""
    source: Item = {"type": "base64", "media_type": media.media_type, "data": media.data}
    if media.url is not None:
        source = {"type": "url", "url": media.url}
    is_file = media.media_type in {*LIMITS.documents, "file", "document"}
    block: Item = {"type": "document" if is_file else "image", "source": source}
    return block if _is_taken(media, block) else text_block(media.words)


def _is_taken(media: Media, block: Item) -> bool:
    """Return whether an image is one that the API sees, and a document one that it reads."""
    if object_at(block, "source").get("type") != "base64":
        return True
    known = LIMITS.images if block.get("type") == "image" else LIMITS.documents
    return media.media_type in known


def _kept_mark(block: Item, marked: Item) -> Item:
    mark = marked.get("cache_control")
    return block if mark is None else {**block, "cache_control": mark}


def _with_known_keys(block: Item) -> Item:
    known = _KNOWN.get(str(block.get("type")))
    if known is None or block.keys() <= known:
        return block
    return {key: value for key, value in block.items() if key in known}
