"""Spans and log records of OTLP's protobuf; needs the package `opentelemetry-proto`."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from api.http.request.errors import InvalidOtlp
from api.http.request.limits import RequestLimits, TooManyMessages, TooManyParts
from domain.json.text import JsonValue
from projections.view import Item

_Group = tuple[Callable[[Any], Item], Any, Any, Sequence[Any]]
_LENGTHS = {"trace_id": {0, 16}, "span_id": {0, 8}, "parent_span_id": {0, 8}}


def records_of_protobuf(body: bytes, signal: str, limits: RequestLimits) -> list[Item]:
    """Return the spans or log records of a body.

    Raises:
        InvalidOtlp: it is malformed.
        TooManyMessages, TooManyParts: found before objects are made of them, which take more.
    """
    try:
        groups: list[_Group]
        if signal == "logs":
            groups = [
                (_log, group, scoped, scoped.log_records)
                for group in ExportLogsServiceRequest.FromString(body).resource_logs
                for scoped in group.scope_logs
            ]
        else:
            groups = [
                (_span, group, scoped, scoped.spans)
                for group in ExportTraceServiceRequest.FromString(body).resource_spans
                for scoped in group.scope_spans
            ]
    except DecodeError as error:
        raise InvalidOtlp(f"the body is no protobuf of OTLP {signal}") from error
    if sum(len(records) for *_, records in groups) > limits.max_batch_messages:
        raise TooManyMessages(limits.max_batch_messages)
    parts = sum(len(each.attributes) for *_, records in groups for each in records)
    if len(groups) + parts > limits.max_json_parts:
        raise TooManyParts(limits.max_json_parts)
    found: list[Item] = []
    for read, group, scoped, records in groups:
        common = _common(group, scoped)
        found += [{**read(each), **common} for each in records]
    return found


def _common(group: Any, scoped: Any) -> Item:  # noqa: ANN401 - messages of two signals
    scope = {"name": scoped.scope.name, "version": scoped.scope.version}
    return {
        "scope": {key: value for key, value in scope.items() if value},
        "resource": _pairs(group.resource.attributes),
    }


def _id(record: Span | LogRecord, name: str) -> str:
    """Return an id in hexadecimal; empty where there is none."""
    found: bytes = getattr(record, name)
    if len(found) not in _LENGTHS[name]:
        raise InvalidOtlp(f"a {name} has {max(_LENGTHS[name])} bytes, not {len(found)}")
    return found.hex() if any(found) else ""


def _span(span: Span) -> Item:
    found: Item = {
        "traceId": _id(span, "trace_id"),
        "spanId": _id(span, "span_id"),
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": span.start_time_unix_nano,
        "endTimeUnixNano": span.end_time_unix_nano,
        "attributes": _pairs(span.attributes),
    }
    if parent := _id(span, "parent_span_id"):
        found["parentSpanId"] = parent
    if span.events:
        found["events"] = [
            {
                "name": each.name,
                "timeUnixNano": each.time_unix_nano,
                "attributes": _pairs(each.attributes),
            }
            for each in span.events
        ]
    if span.status.code or span.status.message:
        found["status"] = {"code": span.status.code, "message": span.status.message}
    return found


def _log(record: LogRecord) -> Item:
    found: Item = {
        "traceId": _id(record, "trace_id"),
        "spanId": _id(record, "span_id"),
        "eventName": record.event_name,
        "severityText": record.severity_text,
        "timeUnixNano": record.time_unix_nano,
        "observedTimeUnixNano": record.observed_time_unix_nano,
        "attributes": _pairs(record.attributes),
    }
    if record.HasField("body"):
        found["body"] = _plain(record.body)
    return found


def _pairs(pairs: Any) -> Item:  # noqa: ANN401 - a repeated field
    return {each.key: _plain(each.value) for each in pairs}


def _plain(value: AnyValue) -> JsonValue:
    match value.WhichOneof("value"):
        case None:
            return None
        case "array_value":
            return [_plain(each) for each in value.array_value.values]
        case "kvlist_value":
            return _pairs(value.kvlist_value.values)
        case "bytes_value":
            return b64encode(value.bytes_value).decode()
        case "double_value":
            found = value.double_value
            return found if isfinite(found) else str(found)
        case kind:
            return getattr(value, kind)
