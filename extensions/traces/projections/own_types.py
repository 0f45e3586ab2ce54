"""Records of runs in traces: each has its id, and that of the run around it."""

from agentlog.domain.json.values import text_at
from agentlog.projections.own_types.registry import Fields, Mark, OwnTypes
from agentlog.projections.view import Item


def _run(own: str, around: str) -> Mark:
    def read(fields: Fields) -> Item | None:
        run_id, name = text_at(fields, own), text_at(fields, "name")
        if run_id is None or name is None:
            return None
        return {"mark": "run", "id": run_id, "name": name, "parent": text_at(fields, around)}

    return read


OTEL = OwnTypes(record=_run("spanId", "parentSpanId"))
LANGFUSE = OwnTypes(record=_run("id", "parentObservationId"))
LANGSMITH = OwnTypes(record=_run("id", "parent_run_id"))
