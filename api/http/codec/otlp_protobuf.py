"""Spans and log records of OTLP's protobuf; needs the package `opentelemetry-proto`."""

from base64 import b64encode
from math import isfinite
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from api.http.request.errors import InvalidOtlp
from domain.json.text import JsonValue
from projections.view import Item

_LENGTHS = {"trace_id": {0, 16}, "span_id": {0, 8}, "parent_span_id": {0, 8}}


def records_of_protobuf(body: bytes, signal: str) -> list[Item]:
    """Return the spans or log records of a body; raises `InvalidOtlp`."""
    try:
        if signal == "logs":
            return [
                {**_log(each), **_common(group, scoped)}
                for group in ExportLogsServiceRequest.FromString(body).resource_logs
                for scoped in group.scope_logs
                for each in scoped.log_records
            ]
        return [
            {**_span(each), **_common(group, scoped)}
            for group in ExportTraceServiceRequest.FromString(body).resource_spans
            for scoped in group.scope_spans
            for each in scoped.spans
        ]
    except DecodeError as error:
        raise InvalidOtlp(f"the body is no protobuf of OTLP {signal}") from error


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
