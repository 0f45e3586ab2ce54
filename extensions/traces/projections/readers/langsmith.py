"""Reader of LangSmith's runs: JSON lines, arrays, answers of its API, runs with `child_runs`."""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, object_of, text_at
from agentlog.extensions.traces.projections.readers.files import Row, by_thread, read_rows
from agentlog.extensions.traces.projections.readers.runs.run import (
    WIRE,
    conversation_of,
    facts_of,
    span_of,
)
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import Format, History
from agentlog.projections.view import Item

_FIELDS = """
    app_path attachments child_run_ids child_runs completion_cost completion_cost_details
    completion_token_details completion_tokens direct_child_run_ids dotted_order end_time error
    events execution_order extra feedback_stats first_token_time history id in_dataset inputs
    inputs_preview last_queued_at manifest_id messages name outputs outputs_preview
    parent_run_id parent_run_ids price_model_id prompt_cost prompt_cost_details
    prompt_token_details prompt_tokens reference_dataset_id reference_example_id run_id run_type
    serialized session_id session_name share_token start_time status tags thread_id total_cost
    total_tokens trace_first_received_at trace_id trace_max_start_time trace_min_start_time
    trace_tier trace_upgrade ttl_seconds
"""
_KNOWN = frozenset(_FIELDS.split())
_KINDS = frozenset({"chain", "embedding", "llm", "parser", "prompt", "retriever", "tool"})


def _read(document: JsonValue) -> Iterator[History]:
    rows = [_row(run, place) for run, place in _runs(document)]
    threads = by_thread(rows, lambda row: conversation_of(row.item))
    beside = {} if is_run(document) else object_of(document)
    metadata = {key: value for key, value in beside.items() if key != "runs"}
    for thread_id, of_thread in threads.items():
        metadata |= facts_of([row.item for row in of_thread])
        yield read_rows(WIRE, of_thread, known=_KNOWN, thread_id=thread_id, metadata=metadata)
        metadata = {}


def _row(run: Item, place: str) -> Row:
    is_known = text_at(run, "run_type") in _KINDS
    return Row(span_of(run), run, place, is_known=is_known)


def _runs(document: JsonValue) -> Iterator[tuple[Item, str]]:
    """Yield runs with their places, those inside others too."""
    match document:
        case list(items):
            place = ""
        case {"runs": list(items)}:
            place = "runs"
        case _:
            yield from _with_children(document, "")
            return
    for n, item in enumerate(items):
        yield from _with_children(item, f"{place}[{n}]")


def _with_children(value: JsonValue, place: str) -> Iterator[tuple[Item, str]]:
    if not is_run(value):
        raise InvalidMessage.at(place, "no run: it needs run_type, and an id that is a text")
    whole = Fields(value, place)
    children = list(whole.items("child_runs"))
    yield whole.left(), place
    for child in children:
        yield from _with_children(child.item, child.place)


def is_run(value: JsonValue) -> bool:
    """Return whether a value is one of LangSmith's runs."""
    match value:
        case {"run_type": str(kind), "id": str(run_id)} | {
            "run_type": str(kind),
            "run_id": str(run_id),
        }:
            return kind != "" and run_id != ""
        case _:
            return False


def _is_item(value: JsonValue) -> bool:
    of_trace = {"trace_id", "dotted_order", "parent_run_id", "child_runs"}
    keys = object_of(value).keys()
    return is_run(value) and "inputs" in keys and not of_trace.isdisjoint(keys)


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"runs": [_, *_] as runs}:
            return all(map(_is_item, runs))
        case _:
            return False


FORMAT = Format(
    WIRE,
    "LangSmith runs",
    _read,
    _is_document,
    _is_item,
    unit="conversation or trace",
    is_sorted=True,
)
