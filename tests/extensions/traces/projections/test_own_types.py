"""Records of runs in traces: each stands in the run that it names."""

import pytest

from agentlog.domain.json.values import JsonValue
from agentlog.projections.own_types.texts import mark_of


@pytest.mark.parametrize(
    ("type_name", "payload"),
    [
        ("otel.span", {"spanId": "b", "parentSpanId": "a", "name": "chat"}),
        ("langfuse.tool", {"id": "b", "parentObservationId": "a", "name": "chat"}),
        ("langsmith.chain", {"id": "b", "parent_run_id": "a", "name": "chat"}),
    ],
)
def test_the_record_of_a_run_names_the_run_around_it(type_name: str, payload: JsonValue) -> None:
    run = {"mark": "run", "id": "b", "name": "chat", "parent": "a"}
    assert mark_of(type_name, payload) == run
    assert mark_of(type_name, {"name": "chat"}) is None
