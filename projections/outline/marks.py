"""Messages that begin or end a group, or are the record of a run that stands in another."""

from collections.abc import Callable, Mapping

from agentlog.domain.json.shortened import beginnings
from agentlog.domain.json.values import JsonValue, object_of, text_at
from agentlog.projections.view import Item

_LONGEST = 200
"""Characters of a name, and of an id."""

Fields = Mapping[str, JsonValue]


def mark_of(type_name: str, payload: JsonValue) -> Item | None:
    """Return what a message of an own type marks: its `mark`, `id`, and `name`; None for most.

    `mark` is begin, end, or run: the record of a run, whose `parent` is the id of that around it.
    """
    wire = type_name.partition(".")[0]
    read = _MARKS.get(type_name) or _RUNS.get(wire)
    return None if read is None else read(object_of(beginnings(payload, _LONGEST)))


def _inspect_begin(fields: Fields) -> Item | None:
    kind, name = text_at(fields, "type"), text_at(fields, "name")
    names = [text for text in dict.fromkeys((kind, name)) if text]
    return _mark("begin", text_at(fields, "id"), " ".join(names) or "span")


def _inspect_end(fields: Fields) -> Item | None:
    return _mark("end", text_at(fields, "id"))


def _inspect_step(fields: Fields) -> Item | None:
    begins = _inspect_begin(fields)
    if begins is None:
        return None
    return {
        **begins,
        "id": begins["name"],
        "mark": "end" if fields.get("action") == "end" else "begin",
    }


def _turn(mark: str, name: str) -> Callable[[Fields], Item | None]:
    def read(fields: Fields) -> Item | None:
        return _mark(mark, text_at(object_of(fields.get("payload")), "turn_id") or name, name)

    return read


def _run(own: str, around: str) -> Callable[[Fields], Item | None]:
    def read(fields: Fields) -> Item | None:
        run_id, name = text_at(fields, own), text_at(fields, "name")
        if run_id is None or name is None:
            return None
        return {"mark": "run", "id": run_id, "name": name, "parent": text_at(fields, around)}

    return read


def _mark(mark: str, key: str | None, name: str | None = None) -> Item:
    return {"mark": mark, "id": key, "name": name}


_MARKS: Mapping[str, Callable[[Fields], Item | None]] = {
    "inspect.span_begin": _inspect_begin,
    "inspect.span_end": _inspect_end,
    "inspect.step": _inspect_step,
    "codex.task_started": _turn("begin", "turn"),
    "codex.task_complete": _turn("end", "turn"),
    "codex.turn_aborted": _turn("end", "turn"),
    "codex.entered_review_mode": _turn("begin", "review"),
    "codex.exited_review_mode": _turn("end", "review"),
}
_RUNS: Mapping[str, Callable[[Fields], Item | None]] = {
    "otel": _run("spanId", "parentSpanId"),
    "langfuse": _run("id", "parentObservationId"),
    "langsmith": _run("id", "parent_run_id"),
}
"""By wire: each record of a run has its id and that of the run around it."""
