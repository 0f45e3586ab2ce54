"""Reader of LangSmith's runs: JSON lines, arrays, answers of its API, runs with `child_runs`."""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, number_at, object_at, object_of, text_at
from agentlog.projections.readers.fields import Fields, number, text_of_id, unpacked, usage
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.langchain import usage_of
from agentlog.projections.readers.reading import custom_type
from agentlog.projections.readers.spans.files import Row, by_thread, read_rows
from agentlog.projections.readers.spans.span import Span, count, known, messages_of, only, tool_run
from agentlog.projections.readers.times import milliseconds, milliseconds_of_seconds
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
_THREAD = ("thread_id", "session_id", "conversation_id")
_FIGURES = {
    "prompt_tokens": "inputTokens",
    "completion_tokens": "outputTokens",
    "total_tokens": "totalTokens",
}


def _read(document: JsonValue) -> Iterator[History]:
    rows = [_row(run, place) for run, place in _runs(document)]
    threads = by_thread(rows, _thread_of)
    beside = {} if is_run(document) else object_of(document)
    metadata = {key: value for key, value in beside.items() if key != "runs"}
    for thread_id, of_thread in threads.items():
        metadata |= _facts(of_thread)
        yield read_rows(
            "langsmith", of_thread, known=_KNOWN, thread_id=thread_id, metadata=metadata
        )
        metadata = {}


def _thread_of(row: Row) -> str | None:
    return text_at(object_at(row.item, "extra", "metadata"), *_THREAD)


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


def _row(run: Item, place: str) -> Row:
    own_id = text_at(run, "id", "run_id") or ""
    kind, extra = text_at(run, "run_type") or "", object_at(run, "extra")
    asked, answered = run.get("inputs"), run.get("outputs")
    name = text_at(run, "name") or kind
    span = Span(
        trace_id=text_at(run, "trace_id") or own_id,
        span_id=own_id,
        parent_id=text_at(run, "parent_run_id") or "",
        kind="chat" if kind == "llm" else "tool" if kind == "tool" else "other",
        begin=_time(run.get("start_time")),
        end=_time(run.get("end_time")),
        request=_request(extra),
        response=_response(run, extra),
        inputs=messages_of(asked) if kind == "llm" else (),
        outputs=messages_of(answered) if kind == "llm" else (),
        tool=tool_run(
            name,
            call_id=text_of_id(extra.get("tool_call_id")),
            arguments=only(unpacked(asked)),
            output=only(answered),
        )
        if kind == "tool"
        else None,
        error=text_at(run, "error"),
        records={own_id: run},
        record_type=custom_type("langsmith", kind),
    )
    return Row(span, run, place, is_known=kind in _KINDS)


def _request(extra: Item) -> Item:
    parameters, metadata = object_at(extra, "invocation_params"), object_at(extra, "metadata")
    given = {**{key.removeprefix("ls_"): metadata[key] for key in metadata}, **parameters}
    return known(
        model=text_at(parameters, "model_name", "model"),
        temperature=number_at(given, "temperature"),
        maxTokens=count(given, "max_tokens"),
    )


def _response(run: Item, extra: Item) -> Item:
    metadata, outputs = object_at(extra, "metadata"), object_at(run, "outputs")
    parameters: Item = {}
    for ours, theirs in (("model", "ls_model_name"), ("provider", "ls_provider")):
        if (text := text_at(metadata, theirs)) is not None:
            parameters[ours] = text
    figures: Item = {key: n for key, n in usage(run, _FIGURES).items() if n}  # 0: not known
    details: Item = {
        "input_token_details": run.get("prompt_token_details"),
        "output_token_details": run.get("completion_token_details"),
    }
    figures |= usage_of(details if figures else outputs.get("usage_metadata", outputs.get("usage")))
    if figures:
        parameters["usage"] = figures
    if cost := number(run.get("total_cost")):
        parameters["costUsd"] = cost
    return parameters


def _facts(rows: list[Row]) -> Item:
    """Return facts of a thread: project and name of its root, and feedback as `score.KEY`."""
    facts: Item = {}
    for row in rows:
        run = row.item
        for key, value in object_at(run, "feedback_stats").items():
            if (score := object_of(value).get("avg")) is not None:
                facts[f"score.{key}"] = score
        if not row.span.parent_id:
            project = text_at(run, "session_name", "session_id")
            facts.setdefault("name", text_at(run, "name") or run["run_type"])
            facts |= {} if project is None else {"project": project}
    return facts


def _time(value: JsonValue) -> int | None:
    """Return a time, a text or milliseconds, in milliseconds since the epoch."""
    return (
        milliseconds(value)
        if isinstance(value, str)
        else milliseconds_of_seconds(
            value / 1000 if type(value) is int and value < 1 << 53 else None
        )
    )


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
    "langsmith",
    "LangSmith runs",
    _read,
    _is_document,
    _is_item,
    unit="conversation or trace",
    is_sorted=True,
)
