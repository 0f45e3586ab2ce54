"""Masks texts in messages before anything is written.

What is masked is replaced by `[masked: NAME, LENGTH]`: by which shape, key or mode, and how many
characters it had. Masking again changes nothing. Ids, types, roles and names of tools stay.
"""

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial

from agentlog.domain.catalogue import model_of, stored_type
from agentlog.domain.drafts import METADATA_TEXTS
from agentlog.domain.fields import Content, Dropped, Model, mark_of, models_in
from agentlog.domain.json.places import is_deeper
from agentlog.domain.json.text import parse_or, print_text
from agentlog.domain.json.values import JsonObject, JsonValue, object_of
from agentlog.projections.masking.shapes import SECRETS, Shape

OWN = "agentlog."
"""How types begin whose payloads have a structure of their own."""

_MARK = re.compile(r"(\[masked: [a-z-]{1,40}, [0-9]{1,12}\])")
_NO_NAME = re.compile(r"[-_\s]+")
_WORD = re.compile(r"[a-z-]{1,40}")
_DEEPEST = 160
"""Levels of values and of JSON in their texts together."""
_LONG_NUMBER = 10**11
"""A number of as many digits as the shortest that a shape finds."""

_STRUCTURE = frozenset(
    "id type role name model object status api method path server run attempt end sha256 index "
    "finish_reason finishReason stop_reason call_id callId tool_call_id tool_use_id toolUseId "
    "previous_response_id responseId response_id item_id service_tier mimeType mime_type "
    "media_type tool_choice event from".split()
)
"""Fields of requests, answers and our own payloads that are no contents."""
_CONTENTS = frozenset({"args", "arguments", "input", "output", "structuredContent"})
"""Fields of them whose objects are contents, all of it."""
_ORIGINS = (*METADATA_TEXTS, "source", "run", "conversation", "insteadOf", "threadId")
_FILE = ("data", "mimeType")
_MASKED_FILE = b64encode(b"[masked: file, ").decode()
_SCHEMA_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


@dataclass(frozen=True, slots=True)
class _At:
    """Where a value stands: in contents or structure, below a key that is masked, how deep."""

    is_free: bool = True
    name: str | None = None
    depth: int = 0


_FREE, _STRUCTURED = _At(), _At(is_free=False)


@dataclass(frozen=True, slots=True)
class Mask:
    """A rule: shapes of texts, keys of objects (as `plain_key` has them), or all that is content.

    `source` is the text that says so, empty for one that no tenant has set; `rule` is that without
    the words, for who replays.
    """

    shapes: tuple[Shape, ...] = ()
    keys: frozenset[str] = frozenset()
    is_structure_only: bool = False
    rule: str = ""
    source: str = ""

    def message(self, body: JsonObject, hits: Counter[str]) -> JsonObject:
        """Return a message, fact or draft with its contents masked; `hits` counts by name."""
        kind = body.get("type")
        if not isinstance(kind, str):
            return body  # it is refused
        fields = self._of_model(model_of(stored_type(kind)), body, hits)
        if kind.startswith(OWN) and "payload" in body:
            fields["payload"] = self.structured(body["payload"], hits)
        if isinstance(metadata := body.get("metadata"), dict):
            kept = _ORIGINS if self.is_structure_only else METADATA_TEXTS
            others = {key: item for key, item in metadata.items() if key not in kept}
            fields["metadata"] = {**metadata, **self._fields(others, hits, _FREE)}
        return fields

    def value(self, value: JsonValue, hits: Counter[str]) -> JsonValue:
        """Return a value, all of which is content, masked; names of fields stay."""
        return self._value(value, hits, _FREE)

    def structured(self, value: JsonValue, hits: Counter[str]) -> JsonValue:
        """Return a request or answer of a provider masked, without what is structure in it."""
        return self._value(value, hits, _STRUCTURED)

    def text(self, text: str, hits: Counter[str]) -> str:
        """Return a text masked that is no JSON; marks in it stay."""
        if self.is_structure_only:
            return text if _MARK.fullmatch(text) or not text else _mark("text", text, hits)
        parts = _MARK.split(text) if "[masked: " in text else [text]
        for place in range(0, len(parts), 2):
            parts[place] = self._searched(parts[place], hits)
        return "".join(parts)

    def _searched(self, text: str, hits: Counter[str]) -> str:
        for shape in self.shapes:
            if any(hint in text for hint in shape.hints):
                text = shape.pattern.sub(partial(_replaced, shape, hits), text)
        return text

    def _of_model(self, model: type[Model], raw: JsonObject, hits: Counter[str]) -> JsonObject:
        fields: JsonObject = dict(raw)
        for key, nested in _contents(model):
            match raw.get(key):
                case None:
                    pass
                case dict(value) if nested is not None:
                    fields[key] = self._of_model(nested, value, hits)
                case list(items) if nested is not None:
                    fields[key] = [
                        self._of_model(nested, item, hits) if isinstance(item, dict) else item
                        for item in items
                    ]
                case value:
                    fields[key] = self._value(value, hits, _FREE)
        return fields

    def _value(self, value: JsonValue, hits: Counter[str], at: _At) -> JsonValue:
        match value:
            case str():
                return self._text_at(value, hits, at)
            case bool() | None:
                return value
            case list():
                below = _At(at.is_free, at.name, at.depth + 1)
                return [self._value(item, hits, below) for item in value]
            case dict():
                return self._fields(value, hits, at)
            case _ if at.is_free:
                return self._number(value, hits, at)
            case _:
                return value

    def _fields(self, value: JsonObject, hits: Counter[str], at: _At) -> JsonObject:
        is_file = isinstance(value.get("data"), str) and (
            "mimeType" in value or value.keys() <= {"data", "filename"}
        )
        fields: JsonObject = {}
        for key, item in value.items():
            if is_file and key in _FILE:
                fields[key] = self._file(str(item), hits) if key == "data" else item
            elif not at.is_free and key in _STRUCTURE and isinstance(item, str):
                fields[key] = item
            else:
                fields[key] = self._value(item, hits, self._below(at, key, item, value))
        return fields

    def _below(self, at: _At, key: str, item: JsonValue, beside: JsonObject) -> _At:
        is_call = key == "response" and "name" in beside
        is_free = at.is_free or (isinstance(item, dict) and (key in _CONTENTS or is_call))
        name = at.name
        if name is None and self.keys and not _is_schema(item):
            plain = plain_key(key)
            if plain in self.keys:
                name = plain if _WORD.fullmatch(plain) else "key"
        return _At(is_free, name, at.depth + 1)

    def _file(self, data: str, hits: Counter[str]) -> str:
        if not self.is_structure_only or data.startswith(_MASKED_FILE):
            return data
        return b64encode(_mark("file", data, hits).encode()).decode()

    def _text_at(self, text: str, hits: Counter[str], at: _At) -> str:
        if text[:1] in {"{", "[", '"'} and not _MARK.fullmatch(text):
            inner = _inner(text, _DEEPEST - at.depth)
            if inner is not None:
                before = hits.total()
                value = self._value(inner, hits, _At(name=at.name, depth=at.depth))
                return text if hits.total() == before else print_text(value)
        if at.name is not None:
            return text if _MARK.fullmatch(text) or not text else _mark(at.name, text, hits)
        return self.text(text, hits)

    def _number(self, value: float, hits: Counter[str], at: _At) -> JsonValue:
        if at.name is not None or self.is_structure_only:
            return _mark(at.name or "number", str(value), hits)
        if isinstance(value, int) and abs(value) >= _LONG_NUMBER:
            text = self.text(str(value), hits)
            return text if _MARK.search(text) else value
        return value


def plain_key(key: str) -> str:
    """Return a key in lower case and without `-`, `_` and blanks."""
    return _NO_NAME.sub("", key).lower()


def _is_schema(item: JsonValue) -> bool:
    """Return whether a value describes a field of that name, as JSON Schema does."""
    fields = object_of(item)
    return fields.get("type") in _SCHEMA_TYPES or "$ref" in fields or "anyOf" in fields


def _inner(text: str, room: int) -> JsonValue:
    """Return the value of a text that is JSON of an object, array or text; None for others."""
    value = parse_or(text)
    return None if is_deeper(value, max(room, 0)) else value


def _mark(name: str, text: str, hits: Counter[str]) -> str:
    hits[name] += 1
    return f"[masked: {name}, {len(text)}]"


def _replaced(shape: Shape, hits: Counter[str], match: re.Match[str]) -> str:
    whole = match[0]
    start = match.start("value") - match.start() if "value" in shape.pattern.groupindex else 0
    end = start + shape.check(whole[start:])
    if end == start:
        return whole
    return whole[:start] + _mark(shape.name, whole[start:end], hits) + whole[end:]


@cache
def _contents(model: type[Model]) -> tuple[tuple[str, type[Model] | None], ...]:
    """Return the fields of a model that are contents, as a redaction knows them.

    Each with the model of what stands in it, where that marks fields of its own.
    """
    return tuple(_marked(model))


def _marked(model: type[Model]) -> Iterator[tuple[str, type[Model] | None]]:
    for field in model.model_fields.values():
        nested = next((inner for inner in models_in(field.annotation) if [*_marked(inner)]), None)
        if nested is not None or mark_of(field, Content) or mark_of(field, Dropped):
            yield str(field.alias), nested


KNOWN_SECRETS = (Mask(SECRETS),)
"""What `--mask` of an import masks."""
