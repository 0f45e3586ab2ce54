"""Spans as an export request of OTLP in JSON."""

from collections.abc import Iterable

from agentlog.domain.json.values import JsonValue, object_at, objects_of
from agentlog.projections.view import Item

RESOURCE: Item = {"service.name": "agentlog"}


def export_request(spans: Iterable[Item]) -> Item:
    """Return spans as an export request in OTLP's JSON."""
    scope: Item = {"scope": {"name": "agentlog"}, "spans": [_span(span) for span in spans]}
    group: Item = {"resource": {"attributes": _pairs(RESOURCE)}, "scopeSpans": [scope]}
    return {"resourceSpans": [group]}


def _span(span: Item) -> Item:
    fields: Item = {
        **span,
        "startTimeUnixNano": str(span["startTimeUnixNano"]),
        "endTimeUnixNano": str(span["endTimeUnixNano"]),
        "attributes": _pairs(object_at(span, "attributes")),
    }
    if "events" in span:
        fields["events"] = [
            {
                **event,
                "timeUnixNano": str(event["timeUnixNano"]),
                "attributes": _pairs(object_at(event, "attributes")),
            }
            for event in objects_of(span["events"])
        ]
    return fields


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
            return {"arrayValue": {"values": [_value(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": _pairs(value)}}
        case _:
            return {"stringValue": str(value)}
