"""What is known of a failure, through export and import of spans."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from agentlog.extensions.traces.projections.export.otlp import export_request
from agentlog.extensions.traces.projections.export.otlp_protobuf import printed
from agentlog.extensions.traces.projections.export.spans import spans_of
from agentlog.projections.outcomes.words import word_of
from agentlog.projections.readers.registry import FORMATS
from agentlog.projections.view import render
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView
from tests.histories import history

OUTPUTS: st.SearchStrategy[Any] = st.sampled_from(
    [
        *("ok", "", None, 0, {}, [], {"rows": 3}, "Found 3 errors", "Errors: none"),
        *("Error: no such user", "Error", {"error": "late"}, '{"error": "late"}'),
        *({"status": "failed"}, {"isError": True}, {"error": None}, "Traceback (most recent"),
    ]
)
ERRORS = st.sampled_from(["late", "", {"message": "late", "name": "Timeout"}])
RESULTS = st.lists(
    st.fixed_dictionaries({"output": OUTPUTS}, optional={"error": ERRORS}), min_size=1, max_size=5
)


def words(drafts: list[dict[str, Any]]) -> Counter[str]:
    """Return how many calls have which word."""
    items = [
        placed.item for placed in render(TimelineView(TimelineOptions()), history(*drafts)).items
    ]
    return Counter(str(word_of(item)) for item in items if item["kind"] == "call")


@given(RESULTS)
def test_failed_stays_failed_and_told_stays_told(results: list[dict[str, Any]]) -> None:
    calls = [{"id": f"c{n}", "name": "f"} for n, _ in enumerate(results)]
    answers = [{"callId": f"c{n}", **result} for n, result in enumerate(results)]
    drafts: list[dict[str, Any]] = [
        {"type": "input", "text": "go"},
        {"type": "tool_calls", "calls": calls},
        {"type": "tool_results", "results": answers},
    ]
    request = export_request(spans_of("t", history(*drafts)))
    (read,) = FORMATS["otlp"].read([request])
    assert words([*read.drafts]) == words(drafts)


@pytest.mark.parametrize("error", ["late", ""])
def test_a_failed_span_has_its_status_in_protobuf(error: str) -> None:
    result = {"callId": "c", "output": None, "error": error}
    spans = spans_of("t", history({"type": "tool_results", "results": [result]}))
    statuses = ExportTraceServiceRequest.FromString(printed(spans))
    assert [
        span.status.code
        for group in statuses.resource_spans
        for scope in group.scope_spans
        for span in scope.spans
    ] == [0, Status.STATUS_CODE_ERROR]
