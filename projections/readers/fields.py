"""Fields of an object that is read: what a reader takes, and what it leaves; their times and files.

Values of the kinds that many sources share are read here too: ids, texts of parts, token figures.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.identifiers import message_id_of
from agentlog.domain.json.text import parse_or
from agentlog.domain.json.values import JsonValue, number_at, objects_of
from agentlog.projections.call_texts import value_text
from agentlog.projections.view import Item
from agentlog.projections.views.letta.shapes import read_date


class Fields:
    """An object of a document, of which a reader takes fields; what it does not take is kept."""

    def __init__(self, value: JsonValue, place: str) -> None:
        """Begin; raises `InvalidMessage` if `value`, at `place`, is no object."""
        if not isinstance(value, dict):
            raise InvalidMessage([Flaw(place, "not a JSON object")])
        self.item: Item = value
        self.place = place
        self._left = dict(value)
        self._inner: dict[str, Fields | list[Fields]] = {}

    def take(self, key: str) -> JsonValue:
        """Return the value of a field, None where it is missing; it is not kept beside."""
        return self._left.pop(key, None)

    def drop(self, *keys: str) -> None:
        """Take fields whose values are told otherwise."""
        for key in keys:
            self._left.pop(key, None)

    def text(self, key: str) -> str | None:
        """Take a string; anything else stays, and None is returned."""
        value = self._left.get(key)
        if not isinstance(value, str):
            return None
        self.take(key)
        return value

    def texts(self, names: Mapping[str, str]) -> Item:
        """Take strings, and return them under our names (`names`: theirs to ours)."""
        texts = {ours: self.text(theirs) for theirs, ours in names.items()}
        return {ours: text for ours, text in texts.items() if text is not None}

    def time(self, key: str) -> Item:
        """Take an ISO 8601 time, as a draft's `timestamp`; anything else stays: no fields."""
        at = milliseconds(self._left.get(key))
        if at is None:
            return {}
        self.take(key)
        return {"timestamp": at}

    def amount(self, key: str) -> int | float | None:
        """Take a number that is not negative; anything else stays, and None is returned."""
        value = amount_at(self._left, key)
        if value is not None:
            self.take(key)
        return value

    def take_equal(self, known: Item) -> None:
        """Take each field that has the value `said`, since a message tells it otherwise."""
        for key, value in known.items():
            if key in self._left and self._left[key] == value:
                self.take(key)

    def items(self, key: str) -> Iterator["Fields"]:
        """Take an array of objects; anything else stays, and nothing is yielded."""
        value = self._left.get(key)
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            self.take(key)
            for number, item in enumerate(value):
                yield Fields(item, f"{self.within(key)}[{number}]")

    def objects(self, key: str) -> "list[Fields]":
        """Take an array of objects; raises `InvalidMessage` where there is anything else."""
        values = self.take(key)
        if not isinstance(values, list):
            raise InvalidMessage.at(self.within(key), "not an array")
        return [Fields(value, f"{self.within(key)}[{n}]") for n, value in enumerate(values)]

    def inner(self, key: str) -> "Fields | None":
        """Take an object, of which what is left stays under its key; None if it is none."""
        if not isinstance(self._left.get(key), dict):
            return None
        self._inner[key] = inner = Fields(self.take(key), self.within(key))
        return inner

    def inners(self, key: str) -> "list[Fields]":
        """Take an array of objects, of which what is left stays under its key."""
        self._inner[key] = inners = list(self.items(key))
        return inners

    def put(self, key: str, value: JsonValue) -> None:
        """Leave a value under a key, such as what is left of a field that was taken."""
        self._left[key] = value

    def left(self) -> Item:
        """Return what was not taken."""
        left = dict(self._left)
        for key, inner in self._inner.items():
            if isinstance(inner, list):
                lefts: list[JsonValue] = [fields.left() for fields in inner]
                if any(lefts):
                    left[key] = lefts
            elif left_inside := inner.left():
                left[key] = left_inside
        return left

    def untaken(self) -> Iterator[tuple["Fields", list[str]]]:
        """Yield this object and those within, each with the names of its fields left."""
        yield self, list(self._left)
        for inner in self._inner.values():
            for fields in inner if isinstance(inner, list) else [inner]:
                yield from fields.untaken()

    def within(self, key: str) -> str:
        """Return the place of a field."""
        return f"{self.place}.{key}" if self.place else key


def amount_at(item: Item, key: str) -> int | float | None:
    """Return a number that is not negative, None for anything else."""
    value = number_at(item, key)
    return value if value is not None and value >= 0 else None


def id_of_uuid(text: JsonValue) -> str | None:
    """Return the ULID with the bits of a UUID, or None if `text` is none."""
    try:
        return message_id_of(UUID(text).int) if isinstance(text, str) else None
    except ValueError:
        return None


def unpacked(value: JsonValue) -> JsonValue:
    """Return the object or array of JSON in a text; any other text or value as it is."""
    if isinstance(value, str) and value[:1] in {"{", "["}:
        return parse_or(value, value)  # it may be cut off, or no JSON at all
    return value


def text_of(parts: JsonValue, key: str = "text") -> str | None:
    """Return the texts of an array of content parts as one; None if there is none."""
    texts = [text for part in objects_of(parts) if isinstance(text := part.get(key), str)]
    return "\n\n".join(texts) if texts else None


def text_of_id(value: JsonValue) -> str | None:
    """Return an id that may be any JSON as text; None for none."""
    return None if value in (None, "") else value_text(value)


def number(value: JsonValue) -> int | float | None:
    """Return a number from 0, or the one that a text has; None for anything else."""
    if isinstance(value, str):
        value = parse_or(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return None
    return value


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = 253_402_300_799_999


def milliseconds(date: JsonValue) -> int | None:
    """Return an ISO 8601 time as milliseconds since the epoch, or None; no zone means UTC."""
    at = read_date(date)
    if at is None:
        return None
    since = (at if at.tzinfo is not None else at.replace(tzinfo=UTC)) - _EPOCH
    return _in_range(since // timedelta(milliseconds=1))


def milliseconds_of_seconds(seconds: JsonValue) -> int | None:
    """Return seconds since the epoch, whole or not, as milliseconds, or None."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return _in_range(round(seconds * 1000)) if abs(seconds) <= _LAST else None


def _in_range(time: int) -> int | None:
    return time if 0 <= time <= _LAST else None


_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*\Z")
_DATA_URI = re.compile(r"data:(?P<mime>[^;,]*);base64,(?P<data>[^,]*)\Z")


def file_of_uri(uri: JsonValue, filename: JsonValue = None) -> Item | None:
    """Return the file that a data URI holds; None where it is none, or not in base64."""
    uri_match = _DATA_URI.match(uri) if isinstance(uri, str) else None
    return None if uri_match is None else file_of(uri_match["data"], uri_match["mime"], filename)


def file_of(data: JsonValue, mime: JsonValue, filename: JsonValue = None) -> Item | None:
    """Return a file; None where its type is not given, or it is not in base64."""
    if not isinstance(data, str) or not isinstance(mime, str) or _BASE64.match(data) is None:
        return None
    file: Item = {"data": data, "mimeType": mime}
    return {**file, "filename": filename} if isinstance(filename, str) else file
