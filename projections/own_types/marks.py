"""Messages that begin or end a group, or are the record of a run that stands in another."""

from collections.abc import Mapping

from agentlog.domain.json.shortened import beginnings
from agentlog.domain.json.values import JsonValue, object_of, text_at
from agentlog.projections.own_types.fields import Fields, Mark
from agentlog.projections.own_types.registry import own_types_of
from agentlog.projections.view import Item

_LONGEST = 200
"""Characters of a name, and of an id."""


def mark_of(type_name: str, payload: JsonValue) -> Item | None:
    """Return what a message of an own type marks: its `mark`, `id`, and `name`; None for most.

    `mark` is begin, end, or run: the record of a run, whose `parent` is the id of that around it.
    """
    wire, _, kind = type_name.partition(".")
    read = own_types_of(wire).marks.get(kind) or _RUNS.get(wire)
    return None if read is None else read(object_of(beginnings(payload, _LONGEST)))


def _run(own: str, around: str) -> Mark:
    def read(fields: Fields) -> Item | None:
        run_id, name = text_at(fields, own), text_at(fields, "name")
        if run_id is None or name is None:
            return None
        return {"mark": "run", "id": run_id, "name": name, "parent": text_at(fields, around)}

    return read


_RUNS: Mapping[str, Mark] = {
    "otel": _run("spanId", "parentSpanId"),
    "langfuse": _run("id", "parentObservationId"),
    "langsmith": _run("id", "parent_run_id"),
}
"""By wire: each record of a run has its id and that of the run around it."""
