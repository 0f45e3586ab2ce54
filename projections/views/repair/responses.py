"""The items of OpenAI's Responses, as the repair reads and writes them."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.json.values import array_of, object_of, text_at
from agentlog.projections.api_rules.responses import (
    CALLS,
    ITEM_ID,
    KINDS,
    LIMITS,
    OUTPUTS,
    PARTS,
    PREFIXES,
    ROLES,
    is_of_model,
    kind_of,
)
from agentlog.projections.api_rules.rule import Limits
from agentlog.projections.call_texts import value_text
from agentlog.projections.view import Item
from agentlog.projections.views.repair.media import Media, media_in, parts_in
from agentlog.projections.views.repair.names import as_object_text, fitted
from agentlog.projections.views.repair.pairing import Call
from agentlog.projections.views.repair.wire import Result, Wire, recorded_of

FILLER = "[no result]"
_ID = "id:"
"""Keeps ids of items apart from ids of calls, which may be the same."""


class ResponsesWire(Wire):
    """Items; a unit is an output, which may stand anywhere behind its call."""

    limits: ClassVar[Limits] = LIMITS
    has_own_ids: ClassVar[bool] = True
    moves: ClassVar[bool] = False
    answers_whole: ClassVar[bool] = False

    @override
    def clean(self, item: Item) -> Item | None:
        kind = kind_of(item)
        if kind not in KINDS or (kind == "message" and item.get("role") not in ROLES):
            return None
        item = _with_fit_id(kind, item)
        if kind == "message":
            return _message(item)
        if kind == "function_call":
            text = as_object_text(item.get("arguments"))
            return item if text == item.get("arguments") else {**item, "arguments": text}
        if kind == "custom_tool_call":
            name = str(item.get("name"))
            fit = fitted(name, LIMITS.tool_name)
            return item if fit == name else {**item, "name": fit}
        if kind in OUTPUTS:
            return _output(item)
        if kind == "reasoning" and text_at(item, "id", "encrypted_content") is None:
            return None
        return item

    @override
    def is_answer(self, item: Item) -> bool:
        kind = kind_of(item)
        return kind in CALLS or kind == "reasoning"

    @override
    def calls(self, item: Item) -> Sequence[Call]:
        kind = kind_of(item)
        if kind not in CALLS:
            return ()
        name = str(item.get("name")) if kind == "function_call" else kind
        return (Call(str(item.get("call_id")), name),)

    @override
    def with_calls(self, item: Item, calls: Sequence[Call]) -> Item:
        (call,) = calls
        name: Item = {"name": call.name} if kind_of(item) == "function_call" else {}
        return {**item, "call_id": call.id, **name}

    @override
    def own_ids(self, item: Item) -> Sequence[str]:
        own = text_at(item, "id")
        return () if own is None or kind_of(item) == "item_reference" else (_ID + own,)

    @override
    def with_own_ids(self, item: Item, ids: Callable[[str], str]) -> Item:
        return {**item, "id": ids(_ID + str(item["id"])).removeprefix(_ID)}

    @override
    def results(self, item: Item) -> Sequence[Result]:
        if kind_of(item) not in OUTPUTS:
            return ()
        record = recorded_of(item) or (str(item.get("call_id")), None)
        return (Result(*record, item),)

    @override
    def with_call(self, unit: Item, call: Call) -> Item:
        return unit if unit.get("call_id") == call.id else {**unit, "call_id": call.id}

    @override
    def as_orphan(self, unit: Item) -> Item:
        kind = "function_call_output"
        return unit if unit.get("type") == kind else {**unit, "type": kind}

    @override
    def call_for(self, call: Call) -> Item:
        called: Item = {"type": "function_call", "call_id": call.id, "name": call.name}
        return {**called, "arguments": "{}"}

    @override
    def filler(self, call: Call) -> Item:
        kind = CALLS.get(call.name, "function_call_output")
        return {"type": kind, "call_id": call.id, "output": FILLER}

    @override
    def is_lead(self, item: Item) -> bool:
        return kind_of(item) == "reasoning"

    @override
    def leads(self, item: Item) -> bool:
        return is_of_model(item)


def _with_fit_id(kind: str, item: Item) -> Item:
    """Return an item whose id the API takes, or has none where it may."""
    own = item.get("id")
    if own is None or kind == "item_reference":
        return item
    if ITEM_ID.takes(own) and str(own).startswith(PREFIXES.get(kind, "")):
        return item
    if kind in PREFIXES or kind in CALLS or kind in OUTPUTS:
        return {key: value for key, value in item.items() if key != "id"}
    return {**item, "id": fitted(str(own), ITEM_ID)}


def _message(item: Item) -> Item:
    content = item.get("content")
    if isinstance(content, str):
        return item
    role = str(item["role"])
    parts = [_part(role, object_of(value)) for value in array_of(content)]
    return item if parts == content and parts else {**item, "content": [*parts] or ""}


def _output(item: Item) -> Item:
    output = item.get("output")
    media = parts_in(output) if isinstance(output, str) else None
    if media is not None:
        return {**item, "output": [_shape(part) for part in media]}
    if isinstance(output, str):
        return item
    if not isinstance(output, list):
        return {**item, "output": value_text(output)}
    parts = [
        _part("system", value) if isinstance(value, dict) else _text("system", value_text(value))
        for value in output
    ]
    return item if parts == output else {**item, "output": [*parts]}


def _part(role: str, part: Item) -> Item:
    """Return a part as a role has it: the very part, or words in its place."""
    kind = part.get("type")
    media = media_in(part)
    if isinstance(kind, str) and kind in PARTS[role] and (media is None or _is_taken(media, kind)):
        return part
    text = text_at(part, "text", "refusal")
    if media is not None and role != "assistant":
        return _shape(media)
    words = f"[{kind}]" if media is None else media.words
    return _text(role, words if text is None else text)


def _text(role: str, text: str) -> Item:
    if role == "assistant":
        return {"type": "output_text", "text": text, "annotations": []}
    return {"type": "input_text", "text": text}


def _shape(part: str | Media) -> Item:
    if isinstance(part, str):
        return _text("user", part)
    if _is_taken(part, "input_image") and part.media_type not in {"file", "document"}:
        return {"type": "input_image", "detail": "auto", "image_url": part.uri}
    if part.data is not None and _is_taken(part, "input_file"):
        return {"type": "input_file", "file_data": part.uri, "filename": part.name or "file"}
    return _text("user", part.words)


def _is_taken(media: Media, kind: str) -> bool:
    known = LIMITS.documents if kind == "input_file" else LIMITS.images
    return media.data is None or media.media_type in known
