"""Spans as an export request of OTLP in protobuf; needs the package `opentelemetry-proto`."""

from collections.abc import Iterable

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from agentlog.domain.json.values import JsonValue, integer_at, object_at, objects_of, text_at
from agentlog.extensions.traces.projections.export.otlp import RESOURCE
from agentlog.extensions.traces.projections.export.spans import CLIENT
from agentlog.projections.view import Item


def printed(spans: Iterable[Item]) -> bytes:
    """Return spans as the bytes of an export request."""
    scope = InstrumentationScope(name="agentlog")
    scoped = ScopeSpans(scope=scope, spans=[_span(span) for span in spans])
    resource = Resource(attributes=_pairs(RESOURCE))
    group = ResourceSpans(resource=resource, scope_spans=[scoped])
    serialized: bytes = ExportTraceServiceRequest(resource_spans=[group]).SerializeToString()
    return serialized


def _span(span: Item) -> Span:
    status = object_at(span, "status")
    is_call = span["kind"] == CLIENT
    return Span(
        trace_id=bytes.fromhex(str(span["traceId"])),
        span_id=bytes.fromhex(str(span["spanId"])),
        parent_span_id=bytes.fromhex(text_at(span, "parentSpanId") or ""),
        name=str(span["name"]),
        kind=Span.SPAN_KIND_CLIENT if is_call else Span.SPAN_KIND_INTERNAL,
        start_time_unix_nano=integer_at(span, "startTimeUnixNano") or 0,
        end_time_unix_nano=integer_at(span, "endTimeUnixNano") or 0,
        attributes=_pairs(object_at(span, "attributes")),
        events=[
            Span.Event(
                name=str(event["name"]),
                time_unix_nano=integer_at(event, "timeUnixNano") or 0,
                attributes=_pairs(object_at(event, "attributes")),
            )
            for event in objects_of(span.get("events"))
        ],
        status=Status(
            code=Status.STATUS_CODE_ERROR if status else Status.STATUS_CODE_UNSET,
            message=text_at(status, "message") or "",
        ),
    )


def _pairs(attributes: Item) -> list[KeyValue]:
    return [KeyValue(key=key, value=_value(value)) for key, value in attributes.items()]


def _value(value: JsonValue) -> AnyValue:
    match value:
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case list():
            array = AnyValue()
            array.array_value.values.extend(_value(item) for item in value)
            return array
        case _:
            return AnyValue(string_value=str(value))
