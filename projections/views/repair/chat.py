"""The messages of the chat completions API, as the repair reads and writes them."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from typing_extensions import override

from agentlog.domain.json.values import (
    JsonValue,
    array_of,
    object_at,
    object_of,
    objects_of,
    text_at,
)
from agentlog.projections.api_rules.chat import AUDIO, LIMITS, PARTICIPANT, PARTS
from agentlog.projections.api_rules.rule import Limits
from agentlog.projections.view import Item
from agentlog.projections.views.repair.media import Media, media_in, parts_in
from agentlog.projections.views.repair.names import as_object_text, fitted
from agentlog.projections.views.repair.pairing import Call
from agentlog.projections.views.repair.wire import Result, Wire, recorded_of

FILLER = '{"status":"pending"}'
RESIDUE = "agentlog_residue"
"""The key of what a message of the model had where it came from. Never shown."""
_PLAIN = 2
"""Keys of a message that has a role and a content alone."""
_SAYS = ("tool_calls", "refusal", "audio", "function_call")
"""Keys of an assistant's message that stand for its content."""


class ChatWire(Wire):
    """Messages of chat completions; a unit is a tool message.

    `names_tools`: a filler has the name of its tool; `foreign`: messages have more than the API
    takes, and only their order is repaired; `restore` gives a message its `RESIDUE`.
    """

    limits: ClassVar[Limits] = LIMITS
    answers_whole: ClassVar[bool] = False
    joins: ClassVar[Literal["none", "response", "all"]] = "response"

    def __init__(
        self,
        *,
        names_tools: bool = False,
        foreign: bool = False,
        restore: Callable[[Item, JsonValue], Item] | None = None,
    ) -> None:
        self._names_tools = names_tools
        self._foreign = foreign
        self.renames = not foreign
        self._restore = restore

    @override
    def clean(self, item: Item) -> Item | None:
        if self._foreign:
            return item
        content = item.get("content")
        role = str(item.get("role"))
        if type(content) is str and (
            len(item) == _PLAIN or (role == "tool" and "tool_calls" not in item)
        ):  # most messages
            return item
        changes: Item = {}
        if isinstance(content, list) and role != "tool":
            parts = [part for value in content for part in _parts(role, object_of(value))]
            if parts != content:
                changes["content"] = parts or None
        if changes.get("content", content) is None and not (
            role == "assistant" and any(map(item.get, _SAYS))
        ):
            changes["content"] = ""
        if "name" in item and role != "tool" and not PARTICIPANT.takes(item["name"]):
            name = item["name"]
            changes["name"] = fitted(name if isinstance(name, str) else "", LIMITS.tool_name)
        calls = objects_of(item.get("tool_calls"))
        fit = [*map(_with_arguments, calls)]
        if fit != calls:
            changes["tool_calls"] = [*fit]
        return {**item, **changes} if changes and changes != {"content": content} else item

    @override
    def is_whole(self, item: Item) -> bool:
        return RESIDUE not in item

    @override
    def finish(self, item: Item) -> Item:
        if RESIDUE not in item or self._restore is None:
            return item
        message = {key: value for key, value in item.items() if key != RESIDUE}
        return self._restore(message, item[RESIDUE])

    @override
    def is_answer(self, item: Item) -> bool:
        return item.get("role") == "assistant"

    @override
    def calls(self, item: Item) -> Sequence[Call]:
        return [
            Call(str(call.get("id")), str(_called(call).get("name")))
            for call in objects_of(item.get("tool_calls"))
        ]

    @override
    def with_calls(self, item: Item, calls: Sequence[Call]) -> Item:
        named: list[JsonValue] = []
        for wired, (call_id, name) in zip(objects_of(item.get("tool_calls")), calls, strict=True):
            kind = "custom" if "custom" in wired else "function"
            named.append({**wired, "id": call_id, kind: {**_called(wired), "name": name}})
        return {**item, "tool_calls": named}

    @override
    def results(self, item: Item) -> Sequence[Result]:
        if item.get("role") != "tool":
            return ()
        record = recorded_of(item) or (str(item.get("tool_call_id")), None)
        return (Result(*record, item),)

    @override
    def with_call(self, unit: Item, call: Call) -> Item:
        return unit if unit["tool_call_id"] == call.id else {**unit, "tool_call_id": call.id}

    @override
    def call_for(self, call: Call) -> Item:
        function: Item = {"name": call.name, "arguments": "{}"}
        wired: Item = {"id": call.id, "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [wired]}

    @override
    def filler(self, call: Call) -> Item:
        item: Item = {"role": "tool", "content": FILLER, "tool_call_id": call.id}
        return {**item, "name": call.name} if self._names_tools else item

    @override
    def joined(self, item: Item, more: Item) -> Item | None:
        texts = [part["content"] for part in (item, more) if part.get("content") is not None]
        if len(texts) > 1:
            return None
        together: Item = {**item, "content": texts[0] if texts else None}
        calls = [*array_of(item.get("tool_calls")), *array_of(more.get("tool_calls"))]
        return {**together, "tool_calls": calls} if calls else together

    @override
    def lifted(self, unit: Item) -> tuple[Item, Item | None]:
        """Put images of a result in a message of the user behind all results."""
        parts = None if self._foreign else parts_in(unit.get("content"))
        if parts is None:
            content = unit.get("content")
            if self._foreign or not isinstance(content, list):
                return unit, None
            fit = [part for value in content for part in _parts("tool", object_of(value))]
            return (unit if fit == content else {**unit, "content": fit or ""}), None
        texts = [part if isinstance(part, str) else part.words for part in parts]
        media = [part for part in parts if isinstance(part, Media)]
        shapes = [(part, _part_of(part)) for part in media]
        seen: list[JsonValue] = [
            shape for part, shape in shapes if _is_taken(part, str(shape["type"]))
        ]
        whole: Item = {**unit, "content": "\n".join(texts)}
        if not seen:
            return whole, None
        caption: Item = {"type": "text", "text": f"[of the result of {unit['tool_call_id']}]"}
        return whole, {"role": "user", "content": [caption, *seen]}


def _called(call: Item) -> Item:
    return object_at(call, "custom" if "custom" in call else "function")


def _with_arguments(call: Item) -> Item:
    function = object_at(call, "function")
    text = function.get("arguments")
    if "custom" in call or (fit := as_object_text(text)) == text:
        return call
    return {**call, "function": {**function, "arguments": fit}}


def _parts(role: str, part: Item) -> list[JsonValue]:
    """Return a part as a role has it: the very part, or words in its place."""
    kind = part.get("type")
    media = media_in(part)
    sound = object_at(part, "input_audio").get("format")
    takes = isinstance(kind, str) and kind in PARTS.get(role, frozenset())
    is_seen = media is None or _is_taken(media, str(kind))
    if takes and is_seen and (sound is None or sound in AUDIO):
        return [part]
    if media is None and (text := text_at(part, "text", "refusal")) is not None:
        return [{"type": "text", "text": text}]
    words = f"[{kind}]" if media is None else media.words
    return [{"type": "text", "text": words}]


def _is_taken(media: Media, kind: str) -> bool:
    known = LIMITS.documents if kind == "file" else LIMITS.images
    return media.data is None or media.media_type in known


def _part_of(media: Media) -> Item:
    if media.media_type in LIMITS.documents or media.media_type == "file":
        file: Item = {"file_data": media.uri, "filename": media.name or "file"}
        return {"type": "file", "file": file}
    return {"type": "image_url", "image_url": {"url": media.uri}}
