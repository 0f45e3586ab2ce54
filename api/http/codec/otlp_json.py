"""Spans and log records of OTLP's JSON.

That is not the JSON of protobuf: ids are hexadecimal, and 64-bit integers are strings, or bare
numbers from some exporters (opentelemetry-proto, docs/specification.md, JSON Protobuf Encoding).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from agentlog.api.http.codec.otlp_work import Work
from agentlog.api.http.request.errors import InvalidOtlp
from agentlog.domain.json.text import JsonValue, print_bytes
from agentlog.projections.view import Item

_NAMES = {
    "traces": ("resourceSpans", "scopeSpans", "spans"),
    "logs": ("resourceLogs", "scopeLogs", "logRecords"),
}
_HEX = frozenset("0123456789abcdef")


def records_of_json(value: JsonValue, signal: str, work: Work) -> list[Item]:
    """Return the spans or log records of a body.

    Raises:
        InvalidOtlp: with the place.
        TooManyMessages, TooManyParts, BodyTooLarge: it has more than `work` allows.
    """
    return list(_records(value, *_NAMES[signal], work))


def _records(
    value: JsonValue, groups: str, scopes: str, records: str, work: Work
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
                work.add_record(repeated=repeated)
                record = _record(given_record, f"{inside}[{k}]")
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
    found: Item = {"traceId": "", "spanId": "", "attributes": _attributes(record, place)}
    for key, read in _FIELDS.items():
        if record.get(key) is not None:
            found[key] = read(record[key], f"{place}.{key}")
    return found


def _status(value: JsonValue, place: str) -> Item:
    found = _object(value, place)
    return {
        "code": _integer(found.get("code", 0), f"{place}.code"),
        "message": _text(found.get("message", ""), f"{place}.message"),
    }


def _events(value: JsonValue, place: str) -> list[Item]:
    return [
        {
            "name": _text(each.get("name", ""), f"{place}[{n}].name"),
            "timeUnixNano": _integer(each.get("timeUnixNano", 0), f"{place}[{n}].timeUnixNano"),
            "attributes": _attributes(each, f"{place}[{n}]"),
        }
        for n, each in enumerate(_objects(value, place))
    ]


def _object(value: JsonValue, place: str) -> Item:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidOtlp.at(place, "not an object")
    return value


def _objects(value: JsonValue, place: str) -> Sequence[Item]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InvalidOtlp.at(place, "not an array")
    return [_object(each, f"{place}[{n}]") for n, each in enumerate(value)]


def _text(value: JsonValue, place: str) -> str:
    if not isinstance(value, str):
        raise InvalidOtlp.at(place, "not a string")
    return value


def _trace_id(value: JsonValue, place: str) -> str:
    return _id(value, 32, place)


def _span_id(value: JsonValue, place: str) -> str:
    return _id(value, 16, place)


def _id(value: JsonValue, digits: int, place: str) -> str:
    """Return an id in lower case; empty where there is none."""
    found = _text(value, place).lower()
    if found and (len(found) != digits or not _HEX.issuperset(found)):
        raise InvalidOtlp.at(place, f"not {digits} hexadecimal digits")
    return found if found.strip("0") else ""


def _integer(value: JsonValue, place: str) -> int:
    try:
        if isinstance(value, str | int) and not isinstance(value, bool):
            found = int(value)
            if -(2**63) <= found < 2**64:
                return found
    except ValueError:
        pass
    raise InvalidOtlp.at(place, "not an integer of 64 bits, nor one in a string")


def _attributes(owner: Item, place: str) -> Item:
    found: Item = {}
    for n, each in enumerate(_objects(owner.get("attributes"), f"{place}.attributes")):
        key = each.get("key")
        if not isinstance(key, str):
            raise InvalidOtlp.at(f"{place}.attributes[{n}].key", "not a string")
        found[key] = _value(each.get("value"), f"{place}.attributes[{n}].value")
    return found


def _value(value: JsonValue, place: str) -> JsonValue:
    match _object(value, place):
        case {"stringValue": str(found)} | {"boolValue": bool(found)}:
            return found
        case {"bytesValue": str(found)}:
            return found
        case {"intValue": found}:
            return _integer(found, place)
        case {"doubleValue": int() | float() | str() as found}:
            return found
        case {"arrayValue": dict(array)}:
            values = array.get("values") or []
            return [_value(each, place) for each in _objects(values, place)]
        case {"kvlistValue": dict(entries)}:
            return _attributes({"attributes": entries.get("values")}, place)
        case {} as found if not found:
            return None
        case _:
            raise InvalidOtlp.at(place, "no value of OTLP")


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
