"""Spans and log records of OTLP's JSON.

That is not the JSON of protobuf: ids are hexadecimal, and 64-bit integers are strings, or bare
numbers from some exporters (opentelemetry-proto, docs/specification.md, JSON Protobuf Encoding).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, object_at
from agentlog.projections.view import Item

_NAMES = {
    "traces": ("resourceSpans", "scopeSpans", "spans"),
    "logs": ("resourceLogs", "scopeLogs", "logRecords"),
}
_SCOPE = ("name", "version")
_VALUES = frozenset(
    {
        "arrayValue",
        "boolValue",
        "bytesValue",
        "doubleValue",
        "intValue",
        "kvlistValue",
        "stringValue",
    }
)
_HEX = frozenset("0123456789abcdef")


class Work(Protocol):
    """Counts what a request makes a reader do, and raises where that is too much."""

    def add_record(self, *, repeated: int) -> None:
        """Count a record that repeats so many bytes of its resource and scope."""

    def add_name(self, name: str) -> None:
        """Count the objects that the name of an attribute stands for."""

    def add_text(self, text: str) -> None:
        """Count the values in a text that may be JSON."""


def records_of_json(value: JsonValue, signal: str, work: Work) -> list[Item]:
    """Return the spans or log records of an export request.

    Raises:
        InvalidMessage: with the place; `work` may raise too.
    """
    return list(_Request(work).records(value, *_NAMES[signal]))


def records_of_file(value: JsonValue) -> tuple[list[Item], list[Item]]:
    """Return the spans and the log records of an export request that stands in a file.

    What no field of a record is comes with a record near it, under `unread`, by its place.

    Raises:
        InvalidMessage: with the place.
    """
    request = _Request(None)
    spans, logs = (list(request.records(value, *names)) for names in _NAMES.values())
    request.keep_unread([*spans, *logs])
    return spans, logs


def count_values(value: JsonValue, work: Work) -> None:
    """Count what readers take apart in the values of a record."""
    match value:
        case str():
            work.add_text(value)
        case list():
            for item in value:
                count_values(item, work)
        case dict():
            for name, item in value.items():
                work.add_name(name)
                count_values(item, work)
        case _:
            pass


class _Request:
    def __init__(self, work: Work | None) -> None:
        self._work = work
        self._unread: Item = {}

    def records(self, value: JsonValue, groups: str, scopes: str, records: str) -> Iterator[Item]:
        whole = self._object(value, "", *(names[0] for names in _NAMES.values()))
        for n, group in enumerate(self._objects(whole.get(groups), groups, "resource", scopes)):
            place = f"{groups}[{n}]"
            resource = self._attributes(
                self._object(group.get("resource"), f"{place}.resource", "attributes"),
                f"{place}.resource",
            )
            below = f"{place}.{scopes}"
            scoped_groups = self._objects(group.get(scopes), below, "scope", records)
            for m, scoped in enumerate(scoped_groups):
                given = self._object(scoped.get("scope"), f"{below}[{m}].scope", *_SCOPE)
                scope = {key: given[key] for key in _SCOPE if given.get(key)}
                around: Item = {"scope": scope, "resource": resource}
                if self._unread and scoped.get(records):
                    around["unread"], self._unread = self._unread, {}
                inside = f"{below}[{m}].{records}"
                yield from self._records(scoped.get(records), inside, around)

    def _records(self, value: JsonValue, place: str, around: Item) -> Iterator[Item]:
        repeated = len(print_bytes(around))
        for n, given in enumerate(self._objects(value, place, "attributes", *_FIELDS)):
            if self._work is not None:
                self._work.add_record(repeated=repeated)
            record = {**self._record(given, f"{place}[{n}]"), **around}
            if self._work is not None:
                count_values(record, self._work)
            self.keep_unread([record])
            yield record

    def keep_unread(self, records: Sequence[Item]) -> None:
        """Put what is in no record yet into the last of some."""
        if not self._unread:
            return
        if not records:
            raise InvalidMessage.at(
                next(iter(self._unread)), "no span and no log record is near it"
            )
        records[-1]["unread"] = {**object_at(records[-1], "unread"), **self._unread}
        self._unread = {}

    def _record(self, record: Item, place: str) -> Item:
        attributes = self._attributes(record, place)
        span: Item = {"traceId": "", "spanId": "", "attributes": attributes}
        for key, read in _FIELDS.items():
            if record.get(key) is not None:
                span[key] = read(self, record[key], f"{place}.{key}")
        return span

    def status(self, value: JsonValue, place: str) -> Item:
        status = self._object(value, place, "code", "message")
        return {
            "code": self.integer(status.get("code", 0), f"{place}.code"),
            "message": self.text(status.get("message", ""), f"{place}.message"),
        }

    def events(self, value: JsonValue, place: str) -> list[JsonValue]:
        events: list[JsonValue] = []
        listed = self._objects(value, place, "name", "timeUnixNano", "attributes")
        for n, event in enumerate(listed):
            here = f"{place}[{n}]"
            name = self.text(event.get("name", ""), f"{here}.name")
            time = self.integer(event.get("timeUnixNano", 0), f"{here}.timeUnixNano")
            attributes = self._attributes(event, here)
            events.append({"name": name, "timeUnixNano": time, "attributes": attributes})
        return events

    def _object(self, value: JsonValue, place: str, *known: str) -> Item:
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise InvalidMessage.at(place, "not an object")
        if self._work is None and not value.keys() <= set(known):
            unread: Item = {key: value[key] for key in value if key not in known}
            self._unread[place] = unread
        return value

    def _objects(self, value: JsonValue, place: str, *known: str) -> Sequence[Item]:
        if value is None:
            return ()
        if not isinstance(value, list):
            raise InvalidMessage.at(place, "not an array")
        return [self._object(item, f"{place}[{n}]", *known) for n, item in enumerate(value)]

    def text(self, value: JsonValue, place: str) -> str:
        if not isinstance(value, str):
            raise InvalidMessage.at(place, "not a string")
        return value

    def trace_id(self, value: JsonValue, place: str) -> str:
        return self._id(value, 32, place)

    def span_id(self, value: JsonValue, place: str) -> str:
        return self._id(value, 16, place)

    def _id(self, value: JsonValue, digits: int, place: str) -> str:
        """Return an id in lower case; empty where there is none."""
        text = self.text(value, place).lower()
        if text and (len(text) != digits or not _HEX.issuperset(text)):
            raise InvalidMessage.at(place, f"not {digits} hexadecimal digits")
        return text if text.strip("0") else ""

    def integer(self, value: JsonValue, place: str) -> int:
        try:
            if isinstance(value, str | int) and not isinstance(value, bool):
                number = int(value)
                if -(2**63) <= number < 2**64:
                    return number
        except ValueError:
            pass
        raise InvalidMessage.at(place, "not an integer of 64 bits, nor one in a string")

    def _attributes(self, owner: Item, place: str) -> Item:
        attributes: Item = {}
        listed = self._objects(owner.get("attributes"), f"{place}.attributes", "key", "value")
        for n, attribute in enumerate(listed):
            here, key = f"{place}.attributes[{n}]", attribute.get("key")
            if not isinstance(key, str):
                raise InvalidMessage.at(f"{here}.key", "not a string")
            if key in attributes and self._work is None:
                self._unread[f"{here}.key"] = {key: attributes[key]}  # which this one replaces
            attributes[key] = self.value(attribute.get("value"), f"{here}.value")
        return attributes

    def value(self, value: JsonValue, place: str) -> JsonValue:
        match self._object(value, place, *_VALUES):
            case {"stringValue": str(scalar)} | {"boolValue": bool(scalar)}:
                return scalar
            case {"bytesValue": str(scalar)}:
                return scalar
            case {"intValue": scalar}:
                return self.integer(scalar, place)
            case {"doubleValue": int() | float() | str() as scalar}:
                return scalar
            case {"arrayValue": dict(array)}:
                values = self._object(array, f"{place}.arrayValue", "values").get("values")
                return [self.value(item, place) for item in self._objects(values, place, *_VALUES)]
            case {"kvlistValue": dict(entries)}:
                listed = self._object(entries, f"{place}.kvlistValue", "values").get("values")
                return self._attributes({"attributes": listed}, place)
            case {} as scalar if not scalar:
                return None
            case _:
                raise InvalidMessage.at(place, "no value of OTLP")


_FIELDS: Mapping[str, Callable[[_Request, JsonValue, str], JsonValue]] = {
    "traceId": _Request.trace_id,
    "spanId": _Request.span_id,
    "parentSpanId": _Request.span_id,
    "name": _Request.text,
    "kind": _Request.integer,
    "startTimeUnixNano": _Request.integer,
    "endTimeUnixNano": _Request.integer,
    "status": _Request.status,
    "events": _Request.events,
    "eventName": _Request.text,
    "severityText": _Request.text,
    "timeUnixNano": _Request.integer,
    "observedTimeUnixNano": _Request.integer,
    "body": _Request.value,
}
