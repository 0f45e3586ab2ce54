"""Spans of Langfuse's SDK."""

from collections.abc import Mapping

from agentlog.domain.json.values import JsonValue, number_at, object_at, object_of, text_at
from agentlog.projections.readers.fields import unpacked
from agentlog.projections.readers.spans.span import (
    Kind,
    Span,
    count,
    error_of,
    ids,
    known,
    messages_of,
    times,
    tool_run,
    usage_of,
)
from agentlog.projections.view import Item

_PREFIX = "langfuse.observation."
_KINDS: Mapping[str, Kind] = {"generation": "chat", "tool": "tool", "agent": "agent"}
_USAGE = {
    "inputTokens": ("input", "input_tokens", "prompt_tokens"),
    "outputTokens": ("output", "output_tokens", "completion_tokens"),
    "totalTokens": ("total", "total_tokens"),
    "cachedInputTokens": (
        "input_cached_tokens",
        "cache_read_input_tokens",
        "prompt_tokens_details.cached_tokens",
    ),
    "reasoningTokens": (
        "output_reasoning_tokens",
        "completion_tokens_details.reasoning_tokens",
    ),
}


def is_known(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span is of Langfuse."""
    return f"{_PREFIX}type" in attributes


def read(span: Item) -> Span:
    """Return the row of a span."""
    attributes = object_at(span, "attributes")
    begin, end = times(span)
    kind = _KINDS.get(text_at(attributes, f"{_PREFIX}type") or "", "other")
    given, used, cost = (
        object_of(unpacked(attributes.get(_PREFIX + key)))
        for key in ("model.parameters", "usage_details", "cost_details")
    )
    asked, answered = (attributes.get(_PREFIX + key) for key in ("input", "output"))
    model = text_at(attributes, f"{_PREFIX}model.name")
    failed = error_of(span)
    if text_at(attributes, f"{_PREFIX}level") == "ERROR":
        failed = text_at(attributes, f"{_PREFIX}status_message") or failed or "failed"
    return Span(
        **ids(span),
        kind=kind,
        begin=begin,
        end=end,
        request=known(
            model=model,
            maxTokens=count(given, "max_tokens"),
            temperature=number_at(given, "temperature"),
        ),
        response=known(
            model=model,
            usage=usage_of(_flat(used), _USAGE),
            costUsd=number_at(cost, "total"),
        ),
        inputs=messages_of(asked) if kind == "chat" else (),
        outputs=messages_of(answered) if kind == "chat" else (),
        tool=tool_run(
            text_at(span, "name") or "unknown",
            call_id=None,
            arguments=unpacked(asked),
            output=answered,
        )
        if kind == "tool"
        else None,
        error=failed,
        records={text_at(span, "spanId") or "": span},
    )


def _flat(used: Item) -> Item:
    """Return figures, those of an inner object by `outer.inner`."""
    inner = {
        f"{key}.{name}": figure
        for key, figures in used.items()
        if isinstance(figures, dict)
        for name, figure in figures.items()
    }
    return {**used, **inner}
