"""A run of LangSmith as a span."""

from collections.abc import Iterable

from agentlog.domain.json.values import JsonValue, number_at, object_at, object_of, text_at
from agentlog.extensions.traces.projections.readers.span import (
    Span,
    count,
    known,
    messages_of,
    only,
    tool_run,
)
from agentlog.projections.readers.fields import (
    milliseconds,
    milliseconds_of_seconds,
    number,
    text_of_id,
    unpacked,
)
from agentlog.projections.readers.reading import custom_type
from agentlog.projections.token_words import LANGCHAIN
from agentlog.projections.view import Item

WIRE = "langsmith"

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_THREAD = ("thread_id", "session_id", "conversation_id")


def conversation_of(run: Item) -> str | None:
    """Return the conversation that a run names."""
    return text_at(object_at(run, "extra", "metadata"), *_THREAD)


def span_of(run: Item) -> Span:
    """Return the span of a run."""
    own_id = text_at(run, "id", "run_id") or ""
    kind, extra = text_at(run, "run_type") or "", object_at(run, "extra")
    asked, answered = run.get("inputs"), run.get("outputs")
    name = text_at(run, "name") or kind
    return Span(
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
        record_type=custom_type(WIRE, kind),
    )


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
    counts: Item = {key: n for key in _COUNTS if (n := run.get(key))}  # 0: not known
    details = (("input", "prompt"), ("output", "completion"))
    beside = {f"{ours}_token_details": run.get(f"{key}_token_details") for ours, key in details}
    of_answer = outputs.get("usage_metadata", outputs.get("usage"))
    if figures := LANGCHAIN.figures({**counts, **beside} if counts else of_answer):
        parameters["usage"] = figures
    if cost := number(run.get("total_cost")):
        parameters["costUsd"] = cost
    return parameters


def facts_of(runs: Iterable[Item]) -> Item:
    """Return facts of a thread: project and name of its root, and feedback as `score.KEY`."""
    facts: Item = {}
    for run in runs:
        for key, value in object_at(run, "feedback_stats").items():
            if (score := object_of(value).get("avg")) is not None:
                facts[f"score.{key}"] = score
        if not text_at(run, "parent_run_id"):
            project = text_at(run, "session_name", "session_id")
            facts.setdefault("name", text_at(run, "name", "run_type") or "")
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
