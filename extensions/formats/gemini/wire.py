"""The contents of Gemini's API, as the repair reads and writes them."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from typing_extensions import override

from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at
from agentlog.extensions.formats.gemini.rules import KINDS, LIMITS, takes_media
from agentlog.projections.api_rules.rule import Limits
from agentlog.projections.view import Item
from agentlog.projections.views.repair.media import Media, media_in, parts_in
from agentlog.projections.views.repair.names import as_object
from agentlog.projections.views.repair.pairing import Call
from agentlog.projections.views.repair.wire import Result, Wire, recorded_of

FILLER = "[no result]"
BEGINNING = "[the beginning is not on record]"


class GeminiWire(Wire):
    """Contents of parts; a unit is a part `functionResponse`."""

    limits: ClassVar[Limits] = LIMITS
    begins: ClassVar[Item | None] = {"role": "user", "parts": [{"text": BEGINNING}]}
    joins: ClassVar[Literal["none", "response", "all"]] = "all"
    joins_made: ClassVar[bool] = True
    sorts_results: ClassVar[bool] = True

    @override
    def clean(self, item: Item) -> Item | None:
        if self.is_apart(item):
            return item
        role = "model" if self.is_answer(item) else "user"
        parts = [
            cleaned
            for part in objects_of(item.get("parts"))
            if (cleaned := _part(role, part)) is not None
        ]
        if not parts:
            return None
        return item if parts == item["parts"] else {"role": role, "parts": [*parts]}

    @override
    def is_answer(self, item: Item) -> bool:
        return item.get("role") == "model"

    @override
    def calls(self, item: Item) -> Sequence[Call]:
        called = (object_at(part, "functionCall") for part in _parts_with(item, "functionCall"))
        return [Call(str(call.get("id")), str(call.get("name"))) for call in called]

    @override
    def with_calls(self, item: Item, calls: Sequence[Call]) -> Item:
        named = iter(calls)
        parts: list[JsonValue] = []
        for part in objects_of(item.get("parts")):
            if "functionCall" in part:
                call = next(named)
                function = {**object_at(part, "functionCall"), "id": call.id, "name": call.name}
                parts.append({**part, "functionCall": function})
            else:
                parts.append(part)
        return {**item, "parts": parts}

    @override
    def results(self, item: Item) -> Sequence[Result]:
        if item.get("role") != "user":
            return ()
        results: list[Result] = []
        for part in _parts_with(item, "functionResponse"):
            function = object_at(part, "functionResponse")
            record = recorded_of(part) or (text_at(function, "id"), text_at(function, "name"))
            results.append(Result(*record, part))
        return results

    @override
    def with_call(self, unit: Item, call: Call) -> Item:
        function = object_at(unit, "functionResponse")
        named: Item = {**function, "id": call.id, "name": call.name}
        return unit if named == function else {**unit, "functionResponse": named}

    @override
    def own_id(self, unit: Item) -> str:
        return text_at(object_at(unit, "functionResponse"), "id") or "call"

    @override
    def call_for(self, call: Call) -> Item:
        function: Item = {"id": call.id, "name": call.name, "args": {}}
        return {"role": "model", "parts": [{"functionCall": function}]}

    @override
    def filler(self, call: Call) -> Item:
        response: Item = {"output": FILLER}
        return {"functionResponse": {"id": call.id, "name": call.name, "response": response}}

    @override
    def joined(self, item: Item, more: Item) -> Item:
        """Join contents of the model: none with calls may stand after another."""
        return {**item, "parts": [*objects_of(item.get("parts")), *objects_of(more.get("parts"))]}

    @override
    def grouped(self, units: Sequence[Item]) -> Item:
        return {"role": "user", "parts": [*units]}

    @override
    def words(self, item: Item) -> Item | None:
        parts: list[JsonValue] = [
            part for part in objects_of(item.get("parts")) if "functionResponse" not in part
        ]
        return {"role": "user", "parts": parts} if parts else None

    @override
    def lifted(self, unit: Item) -> tuple[Item, Item | None]:
        """Put images of a result in a content of the user behind all results."""
        function = object_at(unit, "functionResponse")
        response = object_at(function, "response")
        whole = response.get("output") if response.keys() == {"output"} else response
        parts = parts_in(whole)
        if parts is None:
            return unit, None
        media = [part for part in parts if isinstance(part, Media)]
        words = "\n".join(part if isinstance(part, str) else part.words for part in parts)
        seen: list[JsonValue] = [_inline(part) for part in media if _is_taken(part)]
        unit = {**unit, "functionResponse": {**function, "response": {"output": words}}}
        if not seen:
            return unit, None
        caption: Item = {"text": f"[of the result of {function.get('name')}]"}
        return unit, {"role": "user", "parts": [caption, *seen]}

    @override
    def is_apart(self, item: Item) -> bool:
        return item.get("role") == "system"


def _parts_with(item: Item, key: str) -> list[Item]:
    return [part for part in objects_of(item.get("parts")) if key in part]


def _part(role: str, part: Item) -> Item | None:
    """Return a part as the API takes it, or words in its place; None where nothing is left."""
    kinds = KINDS & part.keys()
    if len(kinds) != 1 or kinds & {"functionResponse" if role == "model" else "functionCall"}:
        return None
    if "text" in part:
        return part if text_at(part, "text") is not None else None
    if "functionCall" in part:
        call = object_at(part, "functionCall")
        if isinstance(call.get("args"), dict):
            return part
        return {**part, "functionCall": {**call, "args": as_object(call.get("args"))}}
    if "functionResponse" in part:
        function = object_at(part, "functionResponse")
        if isinstance(function.get("response"), dict):
            return part
        response: Item = {"output": function.get("response")}
        return {**part, "functionResponse": {**function, "response": response}}
    media = media_in(part)
    return part if media is None or _is_taken(media) else {"text": media.words}


def _is_taken(media: Media) -> bool:
    return media.data is not None and takes_media(media.media_type)


def _inline(media: Media) -> Item:
    return {"inlineData": {"mimeType": media.media_type, "data": media.data}}
