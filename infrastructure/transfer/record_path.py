"""JSONPath (RFC 9535) to the records in a document; its library takes 0.04 s to import."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import jsonpath
from jsonpath import JSONPath, JSONPathError

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.values import JsonValue, array_of


class InvalidPath(InvalidInput):
    """The JSONPath does not parse, or leads to nothing."""


@dataclass(frozen=True, slots=True)
class RecordPath:
    """A JSONPath that leads to records or messages."""

    text: str
    compiled: JSONPath

    def find(self, value: JsonValue) -> list[JsonValue]:
        """Return what the path leads to: the values, or the items of the one array."""
        return self.split(value)[0]

    def split(self, value: JsonValue) -> tuple[list[JsonValue], Mapping[str, JsonValue]]:
        """Return what the path leads to, and what stands beside: fields, or `rest` in an array."""
        try:
            matches = list(self.compiled.finditer(value))
        except JSONPathError as error:  # as for `$..x` in what is nested deep
            raise InvalidPath(f"{self.text} does not apply to this record: {error}") from error
        if not matches:
            raise InvalidPath(f"{self.text} leads to nothing in this record")
        values = cast("list[JsonValue]", [match.value for match in matches])
        rest = _without(value, [match.parts for match in matches])
        beside = rest if isinstance(rest, dict) else {} if rest is None else {"rest": rest}
        return values[0] if len(values) == 1 and isinstance(values[0], list) else values, beside


_Place = tuple[int | str, ...]


def _without(value: JsonValue, places: Sequence[_Place]) -> JsonValue:
    """Return a value without what stands at these places in it; None where nothing is left."""
    if () in places:
        return None
    inner: dict[int | str, list[_Place]] = {}
    for step, *steps in places:
        inner.setdefault(step, []).append(tuple(steps))
    if isinstance(value, dict):
        return {
            key: left
            for key, item in value.items()
            if (left := _without(item, inner[key]) if key in inner else item) is not None
            or key not in inner
        } or None
    return [
        left
        for n, item in enumerate(array_of(value))
        if (left := _without(item, inner[n]) if n in inner else item) is not None or n not in inner
    ] or None


def compile_path(text: str) -> RecordPath:
    """Return the path of a text; raises `InvalidPath`."""
    try:
        path = jsonpath.compile(text)
    except JSONPathError as error:
        raise InvalidPath(f"{text!r} is no JSONPath: {error}") from error
    if not isinstance(path, JSONPath):
        raise InvalidPath(f"{text!r}: use a single path")
    return RecordPath(text, path)
