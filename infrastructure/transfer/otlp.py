"""Spans as an export request of OTLP in JSON."""

from collections.abc import Iterable

from agentlog.domain.json.text import JsonValue
from agentlog.projections.view import Item

RESOURCE: Item = {"service.name": "agentlog"}


def export_request(spans: Iterable[Item]) -> Item:
    """Return spans as an export request in OTLP's JSON."""
    scope: Item = {"scope": {"name": "agentlog"}, "spans": [_span(each) for each in spans]}
    resource = {"attributes": _pairs(RESOURCE)}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}


def _span(span: Item) -> Item:
    found = {
        **span,
        "startTimeUnixNano": str(span["startTimeUnixNano"]),
        "endTimeUnixNano": str(span["endTimeUnixNano"]),
        "attributes": _pairs(span["attributes"]),
    }
    if "events" in span:
        found["events"] = [
            {
                **each,
                "timeUnixNano": str(each["timeUnixNano"]),
                "attributes": _pairs(each["attributes"]),
            }
            for each in span["events"]
        ]
    return found


def _pairs(attributes: Item) -> list[JsonValue]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: JsonValue) -> Item:
    match value:
        case None:
            return {}
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [_value(each) for each in value]}}
        case dict():
            return {"kvlistValue": {"values": _pairs(value)}}
        case _:
            return {"stringValue": str(value)}
