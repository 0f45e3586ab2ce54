"""Spans and log records of OTLP's JSON.

That is not the JSON of protobuf: ids are hexadecimal, and 64-bit integers are strings, or bare
numbers from some exporters (opentelemetry-proto, docs/specification.md, JSON Protobuf Encoding).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.projections.view import Item

_NAMES = {
    "traces": ("resourceSpans", "scopeSpans", "spans"),
    "logs": ("resourceLogs", "scopeLogs", "logRecords"),
}
_HEX = frozenset("0123456789abcdef")


class Work(Protocol):
    """Counts what a request makes a reader do, and raises where that is too much."""

    def add_record(self, *, repeated: int) -> None:
        """Count a record that repeats so many bytes of its resource and scope."""

    def add_name(self, name: str) -> None:
        """Count the objects that the name of an attribute stands for."""

    def add_text(self, text: str) -> None:
        """Count the values in a text that may be JSON."""


def records_of_json(value: JsonValue, signal: str, work: Work | None = None) -> list[Item]:
    """Return the spans or log records of an export request.

    Raises:
        InvalidMessage: with the place; `work` may raise too.
    """
    return list(_records(value, *_NAMES[signal], work))


def _records(
    value: JsonValue, groups: str, scopes: str, records: str, work: Work | None
) -> Iterator[Item]:
    for n, group in enumerate(_objects(_object(value, "").get(groups), groups)):
        place = f"{groups}[{n}]"
        resource = _attributes(
            _object(group.get("resource"), f"{place}.resource"), f"{place}.resource"
        )
        size = len(print_bytes(resource))
        below = f"{place}.{scopes}"
        for m, scoped in enumerate(_objects(group.get(scopes), below)):
            given = _object(scoped.get("scope"), below)
            scope = {key: given[key] for key in ("name", "version") if given.get(key)}
            repeated = size + len(print_bytes(scope))
            inside = f"{below}[{m}].{records}"
            for k, given_record in enumerate(_objects(scoped.get(records), inside)):
                record = _record(given_record, f"{inside}[{k}]")
                if work is not None:
                    work.add_record(repeated=repeated)
                    _count(record, work)
                yield {**record, "scope": scope, "resource": resource}


def _count(value: JsonValue, work: Work) -> None:
    """Count what readers take apart in the values of a record."""
    match value:
        case str():
            work.add_text(value)
        case list():
            for item in value:
                _count(item, work)
        case dict():
            for name, item in value.items():
                work.add_name(name)
                _count(item, work)
        case _:
            pass


def _record(record: Item, place: str) -> Item:
    span: Item = {"traceId": "", "spanId": "", "attributes": _attributes(record, place)}
    for key, read in _FIELDS.items():
        if record.get(key) is not None:
            span[key] = read(record[key], f"{place}.{key}")
    return span


def _status(value: JsonValue, place: str) -> Item:
    status = _object(value, place)
    return {
        "code": _integer(status.get("code", 0), f"{place}.code"),
        "message": _text(status.get("message", ""), f"{place}.message"),
    }


def _events(value: JsonValue, place: str) -> list[JsonValue]:
    return [
        {
            "name": _text(event.get("name", ""), f"{place}[{n}].name"),
            "timeUnixNano": _integer(event.get("timeUnixNano", 0), f"{place}[{n}].timeUnixNano"),
            "attributes": _attributes(event, f"{place}[{n}]"),
        }
        for n, event in enumerate(_objects(value, place))
    ]


def _object(value: JsonValue, place: str) -> Item:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidMessage.at(place, "not an object")
    return value


def _objects(value: JsonValue, place: str) -> Sequence[Item]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InvalidMessage.at(place, "not an array")
    return [_object(item, f"{place}[{n}]") for n, item in enumerate(value)]


def _text(value: JsonValue, place: str) -> str:
    if not isinstance(value, str):
        raise InvalidMessage.at(place, "not a string")
    return value


def _trace_id(value: JsonValue, place: str) -> str:
    return _id(value, 32, place)


def _span_id(value: JsonValue, place: str) -> str:
    return _id(value, 16, place)


def _id(value: JsonValue, digits: int, place: str) -> str:
    """Return an id in lower case; empty where there is none."""
    text = _text(value, place).lower()
    if text and (len(text) != digits or not _HEX.issuperset(text)):
        raise InvalidMessage.at(place, f"not {digits} hexadecimal digits")
    return text if text.strip("0") else ""


def _integer(value: JsonValue, place: str) -> int:
    try:
        if isinstance(value, str | int) and not isinstance(value, bool):
            number = int(value)
            if -(2**63) <= number < 2**64:
                return number
    except ValueError:
        pass
    raise InvalidMessage.at(place, "not an integer of 64 bits, nor one in a string")


def _attributes(owner: Item, place: str) -> Item:
    attributes: Item = {}
    for n, attribute in enumerate(_objects(owner.get("attributes"), f"{place}.attributes")):
        key = attribute.get("key")
        if not isinstance(key, str):
            raise InvalidMessage.at(f"{place}.attributes[{n}].key", "not a string")
        attributes[key] = _value(attribute.get("value"), f"{place}.attributes[{n}].value")
    return attributes


def _value(value: JsonValue, place: str) -> JsonValue:
    match _object(value, place):
        case {"stringValue": str(scalar)} | {"boolValue": bool(scalar)}:
            return scalar
        case {"bytesValue": str(scalar)}:
            return scalar
        case {"intValue": scalar}:
            return _integer(scalar, place)
        case {"doubleValue": int() | float() | str() as scalar}:
            return scalar
        case {"arrayValue": dict(array)}:
            values = array.get("values") or []
            return [_value(item, place) for item in _objects(values, place)]
        case {"kvlistValue": dict(entries)}:
            return _attributes({"attributes": entries.get("values")}, place)
        case {} as scalar if not scalar:
            return None
        case _:
            raise InvalidMessage.at(place, "no value of OTLP")


_FIELDS: Mapping[str, Callable[[JsonValue, str], JsonValue]] = {
    "traceId": _trace_id,
    "spanId": _span_id,
    "parentSpanId": _span_id,
    "name": _text,
    "kind": _integer,
    "startTimeUnixNano": _integer,
    "endTimeUnixNano": _integer,
    "status": _status,
    "events": _events,
    "eventName": _text,
    "severityText": _text,
    "timeUnixNano": _integer,
    "observedTimeUnixNano": _integer,
    "body": _value,
}
