"""The messages of Anthropic's API, as the repair reads and writes them."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from typing_extensions import override

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
from agentlog.projections.api_rules.rule import Limits
from agentlog.projections.call_texts import value_text
from agentlog.projections.view import Item
from agentlog.projections.views.repair.arguments import as_object
from agentlog.projections.views.repair.media import Media, media_in, parts_in
from agentlog.projections.views.repair.pairing import Call
from agentlog.projections.views.repair.wire import RESULT, Result, Wire, plain, recorded_of

FILLER = "[no result]"
BEGINNING = "[the beginning is not on record]"


class AnthropicWire(Wire):
    """Messages of blocks; a unit is a block `tool_result`."""

    limits: ClassVar[Limits] = LIMITS
    begins: ClassVar[Item | None] = {"role": "user", "content": BEGINNING}

    @override
    def clean(self, item: Item) -> Item | None:
        if item.get("role") == "system":
            return item
        role = "assistant" if item.get("role") == "assistant" else "user"
        content = item.get("content")
        if isinstance(content, str):
            cleaned: JsonValue = content if content.strip() else None
        else:
            cleaned = [*_taken(role, objects_of(content))]
        if not cleaned:
            return None
        if cleaned == content and item.keys() == {"role", "content"} and item["role"] == role:
            return item
        return {"role": role, "content": cleaned}

    @override
    def says(self, item: Item) -> bool:
        return bool(_taken("assistant", blocks_of(item)))

    @override
    def is_answer(self, item: Item) -> bool:
        return item.get("role") == "assistant"

    @override
    def calls(self, item: Item) -> Sequence[Call]:
        return [
            Call(str(block.get("id")), str(block.get("name")))
            for block in blocks_of(item)
            if block.get("type") == "tool_use"
        ]

    @override
    def with_calls(self, item: Item, calls: Sequence[Call]) -> Item:
        named = iter(calls)
        blocks: list[JsonValue] = []
        for block in blocks_of(item):
            if block.get("type") == "tool_use":
                call = next(named)
                blocks.append({**block, "id": call.id, "name": call.name})
            else:
                blocks.append(block)
        return {**item, "content": blocks}

    @override
    def own_ids(self, item: Item) -> Sequence[str]:
        return [
            str(block.get("id"))
            for block in blocks_of(item)
            if block.get("type") == "server_tool_use"
        ]

    @override
    def with_own_ids(self, item: Item, ids: Callable[[str], str]) -> Item:
        keys = {"server_tool_use": "id"}
        blocks: list[JsonValue] = []
        for block in blocks_of(item):
            kind = str(block.get("type"))
            key = "tool_use_id" if is_server_result(kind) else keys.get(kind)
            blocks.append(block if key is None else {**block, key: ids(str(block.get(key)))})
        return {**item, "content": blocks}

    @override
    def results(self, item: Item) -> Sequence[Result]:
        if item.get("role") != "user":
            return ()
        results: list[Result] = []
        for block in blocks_of(item):
            if block.get("type") == "tool_result":
                record = recorded_of(block) or (str(block.get("tool_use_id")), None)
                results.append(Result(*record, block))
        return results

    @override
    def with_call(self, unit: Item, call: Call) -> Item:
        return unit if unit.get("tool_use_id") == call.id else {**unit, "tool_use_id": call.id}

    @override
    def call_for(self, call: Call) -> Item:
        block: Item = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        return {"role": "assistant", "content": [block]}

    @override
    def filler(self, call: Call) -> Item:
        return {"type": "tool_result", "tool_use_id": call.id, "content": FILLER}

    @override
    def joined(self, item: Item, more: Item, *, of_one_response: bool) -> Item | None:
        if not of_one_response:
            return None
        return {**item, "content": [*blocks_of(item), *blocks_of(more)]}

    @override
    def grouped(self, units: Sequence[Item]) -> Item:
        return {"role": "user", "content": [*units]}

    @override
    def words(self, item: Item) -> Item | None:
        blocks: list[JsonValue] = [
            block for block in blocks_of(item) if block.get("type") != "tool_result"
        ]
        return {"role": "user", "content": blocks} if blocks else None

    @override
    def keeps_whole(self, item: Item, calls: Sequence[Call]) -> bool:
        blocks = blocks_of(item)
        first = blocks[: len(calls)]
        ids = [recorded_of(block) or (block.get("tool_use_id"), None) for block in first]
        return (
            all(block.get("type") == "tool_result" for block in first)
            and not any(block.get("type") == "tool_result" for block in blocks[len(calls) :])
            and sorted(str(call_id) for call_id, _ in ids) == sorted(call.id for call in calls)
        )

    @override
    def with_answered(self, item: Item, calls: Sequence[Call]) -> Item:
        blocks = blocks_of(item)
        answered = [
            self.with_call(plain(block), call) for block, call in zip(blocks, calls, strict=False)
        ]
        content: list[JsonValue] = [*answered, *blocks[len(calls) :]]
        return item if content == item.get("content") else {**item, "content": content}

    @override
    def is_lead(self, item: Item) -> bool:
        """Return whether an answer has thoughts alone, which the API refuses at the very end."""
        blocks = _taken("assistant", blocks_of(item)) if self.is_answer(item) else []
        return bool(blocks) and all(block.get("type") in UNMARKED for block in blocks)

    @override
    def leads(self, item: Item) -> bool:
        return bool(item)

    @override
    def as_last(self, item: Item) -> Item:
        blocks = blocks_of(item)
        while blocks and blocks[-1].get("type") in UNMARKED:
            blocks.pop()
        return item if blocks == blocks_of(item) else {**item, "content": [*blocks]}

    @override
    def is_apart(self, item: Item) -> bool:
        return item.get("role") == "system"

    @override
    def marks(self, item: Item) -> int:
        inner = sum(map(self.marks, objects_of(item.get("content"))))
        return inner + (item.get("cache_control") is not None)

    @override
    def without_marks(self, item: Item, most: int) -> Item:
        left = most
        whole = item
        if isinstance(item.get("content"), list):
            blocks: list[JsonValue] = []
            for block in reversed(blocks_of(item)):
                # a mark of the block itself stands behind those in it
                there = self.marks(block)
                keep = min(there, left)
                left -= keep
                blocks.append(self.without_marks(block, keep) if keep < there else block)
            whole = {**item, "content": blocks[::-1]}
        if item.get("cache_control") is not None and left < 1:
            whole = {key: value for key, value in whole.items() if key != "cache_control"}
        return whole


def blocks_of(item: Item) -> list[Item]:
    """Return the blocks of a message's content; a text is one."""
    content = item.get("content")
    return [_text(content)] if isinstance(content, str) else objects_of(content)


def _text(text: str) -> Item:
    return {"type": "text", "text": text}


def _taken(role: str, blocks: Sequence[Item]) -> list[Item]:
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
        return _kept_mark(_text(media.words), block)
    if not takes_block(role, kind):
        text = text_at(block, "text")
        return _text(text) if text is not None and text.strip() else None
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
        part = value if isinstance(value, dict) else _text(value_text(value))
        kind = part.get("type")
        if not (isinstance(kind, str) and kind in IN_RESULTS):
            part = _text(text_at(part, "text") or value_text(value))
        block_in = _block("user", part)
        if block_in is not None:
            cleaned.append(_with_known_keys(block_in))
    return block if cleaned == content else {**block, "content": cleaned}


def _part(part: str | Media) -> list[Item]:
    if isinstance(part, str):
        return [_text(part)] if part.strip() else []
    return [block_of(part)]


def block_of(media: Media) -> Item:
    """Return the block of an image or a document; of another file, words."""
    source: Item = {"type": "base64", "media_type": media.media_type, "data": media.data}
    if media.url is not None:
        source = {"type": "url", "url": media.url}
    is_file = media.media_type in {*LIMITS.documents, "file", "document"}
    block: Item = {"type": "document" if is_file else "image", "source": source}
    return block if _is_taken(media, block) else _text(media.words)


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
    known = KEYS.get(str(block.get("type")))
    if known is None or block.keys() <= known | {RESULT}:
        return block
    return {key: value for key, value in block.items() if key in known or key == RESULT}
