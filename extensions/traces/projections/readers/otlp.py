"""Reader of OTLP's JSON in files: an export request, or one a line, as the collector writes them.

A file is read as if all of it came to the endpoint at once. Spans that are not of generative AI are
kept too.
"""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, object_at, object_of, text_at
from agentlog.extensions.traces.projections.readers.dialects import log_records
from agentlog.extensions.traces.projections.readers.message_reader import MessageReader
from agentlog.extensions.traces.projections.readers.otlp_json import records_of_file
from agentlog.extensions.traces.projections.readers.placement import (
    in_order,
    placed,
    placed_records,
    read_span,
)
from agentlog.extensions.traces.projections.readers.recorder import recorded
from agentlog.extensions.traces.projections.readers.span import OTEL, Span, error_of, ids, times
from agentlog.extensions.traces.projections.readers.thread import SpanThread
from agentlog.extensions.traces.projections.readers.unread import unread_in
from agentlog.projections.readers.draft import Draft, Unmapped
from agentlog.projections.readers.history import Format, History
from agentlog.projections.view import Item


def _read(document: JsonValue) -> Iterator[History]:
    requests = document if isinstance(document, list) else [document]
    for n, request in enumerate(requests):
        if not {"resourceSpans", "resourceLogs"} & object_of(request).keys():
            reason = "no export request: it needs resourceSpans or resourceLogs"
            raise InvalidMessage.at(f"[{n}]", reason)
    read = [records_of_file(request) for request in requests]
    spans = [span for of_request, _ in read for span in of_request]
    records = [record for _, of_request in read for record in of_request]
    of_spans = list(placed(spans, lambda _: False, _span))
    names = {row.span.trace_id: row.name for row in of_spans}
    threads: dict[str, list[Span]] = {}
    for row in [*of_spans, *placed_records(records, names)]:
        threads.setdefault(row.name, []).append(row.span)
    for name, of_thread in threads.items():
        yield _history(name, of_thread)


def _history(name: str, spans: list[Span]) -> History:
    others = [(span.span_id, name) for span in spans for name in _others(span)]
    fields: list[Unmapped] = []
    reader = MessageReader(OTEL, unmapped=fields)
    for span in spans:
        reader.note(span, span.span_id)
    drafts = recorded(SpanThread(), in_order(spans), reader=reader)
    services = (text_at(object_at(_record(span), "resource"), "service.name") for span in spans)
    service = next(filter(None, services), None)
    return History(
        drafts,
        id=name,
        metadata={} if service is None else {"service": service},
        unmapped=[
            *(
                Unmapped(span_id, f"{name} that is not of generative AI")
                for span_id, name in others
            ),
            *_unread(drafts),
            *fields,
        ],
        is_blank=len(others) == sum(len(span.records) for span in spans),
    )


def _unread(drafts: list[Draft]) -> Iterator[Unmapped]:
    for draft in drafts:
        for name in unread_in(draft):
            place = object_at(draft, "payload").get("spanId")
            yield Unmapped(f"{place}.attributes.{name}", "words that are in no message")


def _span(item: Item) -> Span:
    """Return a span, one that is not of generative AI as a record alone."""
    span = read_span(item)
    if span is not None:
        return span
    begin, end = times(item)
    span_id = text_at(item, "spanId") or ""
    return Span(
        **ids(item),
        kind="other",
        begin=begin,
        end=end,
        error=error_of(item),
        records={span_id: item},
    )


def _others(span: Span) -> Iterator[str]:
    """Yield what each record of a span is that has nothing of generative AI."""
    if span.is_log:
        others = (item for item in span.records.values() if not log_records.is_known(item))
        yield from ("log record" for _ in others)
    elif span.kind == "other" and not read_span(_record(span)):
        yield "span"


def _record(span: Span) -> Item:
    return next(iter(span.records.values()))


def _is_request(value: JsonValue) -> bool:
    request = object_of(value)
    groups = [*array_of(request.get("resourceSpans")), *array_of(request.get("resourceLogs"))]
    return any({"scopeSpans", "scopeLogs"} & object_of(group).keys() for group in groups)


FORMAT = Format(
    "otlp",
    "OpenTelemetry spans and logs",
    _read,
    is_item=_is_request,
    unit="conversation or trace",
    is_sorted=True,
)
