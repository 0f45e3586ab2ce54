"""The messages of Anthropic's API, as the repair reads and writes them."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from typing_extensions import override

from agentlog.domain.json.values import JsonValue, objects_of
from agentlog.projections.api_rules.anthropic import LIMITS, UNMARKED, is_server_result
from agentlog.projections.api_rules.rule import Limits
from agentlog.projections.view import Item
from agentlog.projections.views.repair.anthropic_blocks import blocks_of, taken_blocks
from agentlog.projections.views.repair.pairing import Call
from agentlog.projections.views.repair.wire import Result, Wire, plain, recorded_of

FILLER = "[no result]"
BEGINNING = "[the beginning is not on record]"
_PLAIN = 2
"""Keys of a message that has a role and a content alone."""


class AnthropicWire(Wire):
    """Messages of blocks; a unit is a block `tool_result`."""

    limits: ClassVar[Limits] = LIMITS
    has_own_ids: ClassVar[bool] = True
    joins: ClassVar[Literal["none", "response", "all"]] = "response"
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
            cleaned = [*taken_blocks(role, objects_of(content))]
        if not cleaned:
            return None
        if cleaned == content and len(item) == _PLAIN and item["role"] == role:
            return item
        return {"role": role, "content": cleaned}

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
    def joined(self, item: Item, more: Item) -> Item | None:
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
        blocks = blocks_of(item)
        return blocks[0].get("type") in UNMARKED and all(
            block.get("type") in UNMARKED for block in blocks
        )

    @override
    def leads(self, item: Item) -> bool:
        return bool(item)

    @override
    def as_last(self, item: Item) -> Item:
        blocks = blocks_of(item)
        while blocks and blocks[-1].get("type") in UNMARKED:
            blocks.pop()
        if isinstance(content := item.get("content"), str):
            text = content.rstrip()
            return item if text == content else {**item, "content": text}
        if blocks and blocks[-1].get("type") == "text":
            blocks[-1] = {**blocks[-1], "text": str(blocks[-1].get("text")).rstrip()}
        return item if blocks == blocks_of(item) else {**item, "content": [*blocks]}

    @override
    def is_apart(self, item: Item) -> bool:
        return item.get("role") == "system"

    @override
    def marks(self, item: Item) -> int:
        content, own = item.get("content"), item.get("cache_control") is not None
        return sum(map(self.marks, objects_of(content))) + own if type(content) is list else own

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
