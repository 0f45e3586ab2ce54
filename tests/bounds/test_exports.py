"""OTLP in hostile shapes: work grows as the request does, and 64 KB bring little of it."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from agentlog.api.http.request.errors import BodyTooLarge
from agentlog.api.http.request.limits import USUAL
from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.extensions.traces.api.otlp.content_coding import unzipped
from agentlog.extensions.traces.api.otlp.protobuf import records_of_protobuf
from agentlog.extensions.traces.api.otlp.records import JSON, PROTOBUF, Signal, records_in
from agentlog.extensions.traces.api.otlp.work import Work
from agentlog.extensions.traces.projections.export.otlp import export_request
from agentlog.extensions.traces.projections.export.otlp_protobuf import printed
from agentlog.extensions.traces.projections.readers.drafts import UNBOUNDED
from agentlog.extensions.traces.projections.readers.otlp_json import records_of_json
from agentlog.extensions.traces.projections.readers.placement import placed
from agentlog.extensions.traces.projections.readers.recorder import recorded
from agentlog.extensions.traces.projections.readers.span import Span
from agentlog.extensions.traces.projections.readers.thread import SpanThread
from tests.bounds.counted import lines_of, peak_bytes_of
from tests.bounds.exports import SPANS, Shape, export, field, span, zipped
from tests.extensions.traces.spans import ANSWER, USER, Item, chat, said

MOST_BYTES = 16 * 2**20
SENT = 64 * 2**10


def read(body: bytes, media_type: str = PROTOBUF) -> list[Item]:
    """Return the records of a zipped body, as the service reads them."""
    work = Work.allowed(len(body), USUAL, most_bytes=MOST_BYTES)
    return records_in(unzipped(body, "gzip", work), media_type, "traces", USUAL, work)


def take(records: list[Item], most: int = UNBOUNDED) -> int:
    """Return how many messages records become in threads that were empty; each has at most so many.

    The ones of all threads together are bounded by what stores them.
    """
    spans: dict[str, list[Span]] = {}
    for in_thread in placed(records, lambda _: False):
        spans.setdefault(in_thread.name, []).append(in_thread.span)
    return sum(len(recorded(SpanThread(), of_thread, most=most)) for of_thread in spans.values())


def refused_or(work: Callable[[], object]) -> Callable[[], None]:
    """Return work that may also be refused."""

    def tried() -> None:
        with suppress(InvalidInput):
            work()

    return tried


@pytest.mark.parametrize("shape", SPANS.values(), ids=SPANS)
def test_eight_times_the_request_is_about_eight_times_the_work(shape: Shape) -> None:
    def lines(size: int) -> int:
        body = shape(size)
        boundless = Work(most_parts=10**9, most_bytes=10**9, most_records=10**9)
        return lines_of(refused_or(lambda: take(records_of_protobuf(body, "traces", boundless))))

    assert lines(256) <= 12 * lines(32) + 1000


@pytest.mark.parametrize("shape", SPANS.values(), ids=SPANS)
def test_what_a_request_may_hold_bounds_its_memory(shape: Shape) -> None:
    """A tenth of what 64 KB may hold takes at most a tenth of 50 MB."""
    whole = Work.allowed(SENT, USUAL, most_bytes=MOST_BYTES)

    def read(body: bytes) -> None:
        work = Work(whole.most_parts // 10, whole.most_bytes // 10, whole.most_records // 10)
        work.add_bytes(len(body))
        take(records_of_protobuf(body, "traces", work))

    for size in (300, 2_000, 12_000):
        assert peak_bytes_of(refused_or(partial(read, shape(size)))) < 5 * 2**20


@pytest.mark.parametrize("shape", SPANS.values(), ids=SPANS)
def test_what_64_kb_add_is_bounded(shape: Shape) -> None:
    """Storing costs most: some 0.1 ms a message. 30,000 fit into 64 KB zipped."""
    most = Work.allowed(SENT, USUAL, most_bytes=MOST_BYTES).most_added
    assert most < 6_000
    for size in (300, 2_000, 20_000):
        with suppress(InvalidInput):
            assert take(read(zipped(shape(size), sent=SENT)), most=most) <= most


def test_a_resource_that_many_spans_repeat_is_refused() -> None:
    body = export(*(span(n) for n in range(1, 1001)), resource=field(1, b"x" * 10_000))
    with pytest.raises(BodyTooLarge, match="resource"):
        read(zipped(body))


def test_the_batches_of_real_agents_are_taken() -> None:
    """An exporter sends 512 spans at once, and its texts repeat those before: they zip well."""
    texts = [
        said("user" if n % 2 else "assistant", f"turn {n}: " + "and so on " * 20) for n in range(60)
    ]
    more: Item = {f"x__{n}": "y" for n in range(30)}
    spans = [chat(n, texts[: n % 60], ANSWER, **more) for n in range(1, 513)]
    assert len(read(zipped(printed(spans)))) == len(spans)
    assert len(read(zipped(print_bytes(export_request(spans))), JSON)) == len(spans)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def _any_value(value: JsonValue) -> AnyValue:
    wrapped = AnyValue()
    match value:
        case bool():
            wrapped.bool_value = value
        case int():
            wrapped.int_value = value
        case float():
            wrapped.double_value = value
        case str():
            wrapped.string_value = value
        case list():
            wrapped.array_value.SetInParent()
            wrapped.array_value.values.extend(map(_any_value, value))
        case dict():
            wrapped.kvlist_value.SetInParent()
            for key, inner in value.items():
                wrapped.kvlist_value.values.add(key=key, value=_any_value(inner))
        case _:
            pass
    return wrapped


@given(attributes=st.dictionaries(st.text(), json_values), links=st.booleans())
def test_both_encodings_of_a_span_are_the_same_record(*, attributes: Item, links: bool) -> None:
    spans = [chat(2, [USER], ANSWER, parent=1)]
    spans[0]["events"] = [{"name": "e", "timeUnixNano": 7, "attributes": {"a": [1]}}]
    spans[0]["status"] = {"code": 2, "message": "no"}
    request = ExportTraceServiceRequest.FromString(printed(spans))
    (group,) = request.resource_spans
    (sent,) = group.scope_spans[0].spans
    for key, value in attributes.items():
        sent.attributes.add(key=key, value=_any_value(value))
    if links:
        sent.links.add(trace_id=bytes(16))
    spans[0]["attributes"] |= attributes
    boundless = Work(most_parts=10**9, most_bytes=10**9, most_records=10**9)
    by_json = parse(print_bytes(_spelled(export_request(spans))))
    assert records_of_protobuf(request.SerializeToString(), "traces", boundless) == records_of_json(
        by_json, "traces", boundless
    )


def _spelled(value: JsonValue) -> JsonValue:
    """Return a value with NaN and infinities as protobuf's JSON spells them."""
    match value:
        case float() if not isfinite(value):
            return str(value)
        case list():
            return [_spelled(item) for item in value]
        case dict():
            return {key: _spelled(item) for key, item in value.items()}
        case _:
            return value


@given(
    name=st.sampled_from(sorted(SPANS)),
    size=st.integers(1, 8),
    signal=st.sampled_from(["traces", "logs"]),
    cuts=st.lists(st.tuples(st.integers(0, 2000), st.binary(max_size=3)), max_size=3),
)
def test_any_bytes_are_read_or_refused(
    name: str, size: int, signal: Signal, cuts: list[tuple[int, bytes]]
) -> None:
    body = SPANS[name](size)
    for at, put in cuts:
        body = body[:at] + put + body[at + len(put) :]
    work = Work.allowed(len(body), USUAL, most_bytes=MOST_BYTES)
    with suppress(InvalidInput):
        print_bytes(records_in(body, PROTOBUF, signal, USUAL, work))
