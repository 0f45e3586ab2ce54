"""Reader of LangSmith's runs: JSON lines, arrays, answers of its API, runs with `child_runs`."""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import JsonValue
from agentlog.projections.readers.fields import Fields, usage
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.blocks import number, text_of_id
from agentlog.projections.readers.messages.langchain import usage_of
from agentlog.projections.readers.spans.spans import Span, read_spans
from agentlog.projections.readers.times import milliseconds, milliseconds_of_seconds
from agentlog.projections.view import Item

_KNOWN = frozenset(
    {
        *("app_path", "attachments", "child_run_ids", "child_runs", "completion_cost"),
        *("completion_cost_details", "completion_token_details", "completion_tokens"),
        *("direct_child_run_ids", "dotted_order", "end_time", "error", "events", "execution_order"),
        *("extra", "feedback_stats", "first_token_time", "history", "id", "in_dataset", "inputs"),
        *("inputs_preview", "last_queued_at", "manifest_id", "messages", "name", "outputs"),
        *("outputs_preview", "parent_run_id", "parent_run_ids", "price_model_id", "prompt_cost"),
        *("prompt_cost_details", "prompt_token_details", "prompt_tokens", "reference_dataset_id"),
        *("reference_example_id", "run_id", "run_type", "serialized", "session_id"),
        *("session_name", "share_token", "start_time", "status", "tags", "thread_id", "total_cost"),
        *("total_tokens", "trace_first_received_at", "trace_id", "trace_max_start_time"),
        *("trace_min_start_time", "trace_tier", "trace_upgrade", "ttl_seconds"),
    }
)
_KINDS = frozenset({"chain", "embedding", "parser", "prompt", "retriever"})
_THREAD = ("thread_id", "session_id", "conversation_id")
_FIGURES = {
    "prompt_tokens": "inputTokens",
    "completion_tokens": "outputTokens",
    "total_tokens": "totalTokens",
}


def _read(document: JsonValue) -> Iterator[History]:
    spans = [_span(row) for row in _rows(document)]
    named: dict[str, str] = {}
    for span in sorted(spans, key=lambda span: span.parent is not None):  # roots first
        metadata = _object(_object(span.row.item.get("extra")).get("metadata"))
        ids = (metadata[key] for key in _THREAD if key in metadata)
        if thread := next(
            (thread_id for thread_id in ids if isinstance(thread_id, str) and thread_id), None
        ):
            named.setdefault(span.trace, thread)
    threads: dict[str, list[Span]] = {}
    for span in spans:
        threads.setdefault(named.get(span.trace, span.trace), []).append(span)
    beside = {} if isinstance(document, list) or is_run(document) else dict(document)
    beside.pop("runs", None)
    for thread, of_thread in threads.items():
        reading = read_spans("langsmith", of_thread, known=_KNOWN)
        yield reading.history(id=thread, metadata={**beside, **_facts(of_thread)})
        beside = {}


def _rows(document: JsonValue) -> Iterator[Fields]:
    match document:
        case list(items):
            place = ""
        case {"runs": list(items)}:
            place = "runs"
        case _:
            yield from _with_children(Fields(document, ""))
            return
    for n, item in enumerate(items):
        yield from _with_children(Fields(item, f"{place}[{n}]"))


def _with_children(whole: Fields) -> Iterator[Fields]:
    if not is_run(whole.item):
        reason = "no run: it needs run_type, and an id that is a text"
        raise InvalidMessage.at(whole.place, reason)
    children = list(whole.items("child_runs"))
    yield Fields(whole.left(), whole.place)
    for child in children:
        yield from _with_children(child)


def _span(row: Fields) -> Span:
    run = row.item
    own_id = _text(run, "id") or _text(run, "run_id") or ""
    extra, kind, error = _object(run.get("extra")), run["run_type"], _text(run, "error")
    end = _time(run.get("end_time"))
    return Span(
        row=row,
        id=own_id,
        trace=_text(run, "trace_id") or own_id,
        parent=_text(run, "parent_run_id"),
        kind="model" if kind == "llm" else "tool" if kind == "tool" else "other",
        type=kind,
        name=_text(run, "name") or kind,
        given="inputs",
        gave="outputs",
        start=_time(run.get("start_time")),
        end=end,
        request=_request(extra),
        response=_response(run, extra),
        error=error,
        has_ended=run.get("status") == "success" or (end is not None and error is None),
        call_id=text_of_id(extra.get("tool_call_id")),
        is_known=kind in _KINDS,
    )


def _request(extra: Item) -> Item:
    parameters, metadata = _object(extra.get("invocation_params")), _object(extra.get("metadata"))
    request: Item = {}
    for key in ("model", "model_name"):
        if (model := _text(parameters, key)) is not None:
            request["model"] = model
    for ours, theirs in (("temperature", "temperature"), ("maxTokens", "max_tokens")):
        value = parameters.get(theirs, metadata.get(f"ls_{theirs}"))
        if type(value) is int or (ours == "temperature" and isinstance(value, float)):
            request[ours] = value
    return {key: value for key, value in request.items() if key != "maxTokens" or value >= 0}


def _response(run: Item, extra: Item) -> Item:
    metadata, outputs = _object(extra.get("metadata")), _object(run.get("outputs"))
    parameters: Item = {}
    for ours, theirs in (("model", "ls_model_name"), ("provider", "ls_provider")):
        if (text := _text(metadata, theirs)) is not None:
            parameters[ours] = text
    figures = {key: n for key, n in usage(run, _FIGURES).items() if n}  # 0: not known
    details = {
        "input_token_details": run.get("prompt_token_details"),
        "output_token_details": run.get("completion_token_details"),
    }
    figures |= usage_of(details if figures else outputs.get("usage_metadata", outputs.get("usage")))
    if figures:
        parameters["usage"] = figures
    if cost := number(run.get("total_cost")):
        parameters["costUsd"] = cost
    return parameters


def _facts(spans: list[Span]) -> Item:
    """Return facts of a thread: project and name of its root, and feedback as `score.KEY`."""
    facts: Item = {}
    for span in spans:
        run = span.row.item
        for key, value in _object(run.get("feedback_stats")).items():
            if (score := _object(value).get("avg")) is not None:
                facts[f"score.{key}"] = score
        if span.parent is None:
            project = _text(run, "session_name") or _text(run, "session_id")
            facts.setdefault("name", span.name)
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


def _object(value: JsonValue) -> Item:
    return value if isinstance(value, dict) else {}


def _text(item: Item, key: str) -> str | None:
    value = item.get(key)
    return value if isinstance(value, str) and value else None


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
    return is_run(value) and "inputs" in value and not of_trace.isdisjoint(value)


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
