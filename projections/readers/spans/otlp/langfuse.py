"""Spans of Langfuse's SDK."""

from collections.abc import Mapping

from agentlog.domain.json.text import JsonValue
from agentlog.projections.readers.spans.otlp.chat import chat_messages
from agentlog.projections.readers.spans.otlp.span import (
    GenAISpan,
    Kind,
    count,
    error_of,
    known,
    number,
    text,
    times,
    tool_run,
    unpacked,
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


def read(span: Item) -> GenAISpan:
    """Return the row of a span."""
    attributes = span["attributes"]
    begin, end = times(span)
    kind = _KINDS.get(text(attributes, f"{_PREFIX}type") or "", "other")
    given, used, cost = (
        value if isinstance(value := unpacked(attributes.get(_PREFIX + key)), dict) else {}
        for key in ("model.parameters", "usage_details", "cost_details")
    )
    asked, answered = (unpacked(attributes.get(_PREFIX + key)) for key in ("input", "output"))
    model = text(attributes, f"{_PREFIX}model.name")
    failed = error_of(span)
    if text(attributes, f"{_PREFIX}level") == "ERROR":
        failed = text(attributes, f"{_PREFIX}status_message") or failed or "failed"
    return GenAISpan(
        trace_id=span["traceId"],
        span_id=span["spanId"],
        parent_id=span.get("parentSpanId", ""),
        kind=kind,
        begin=begin,
        end=end,
        request=known(
            model=model,
            maxTokens=count(given, "max_tokens"),
            temperature=number(given, "temperature"),
        ),
        response=known(
            model=model,
            usage=usage_of(_flat(used), _USAGE),
            costUsd=number(cost, "total"),
            latencyMs=end - begin,
        ),
        inputs=chat_messages(asked) if kind == "chat" else (),
        outputs=chat_messages(answered) if kind == "chat" else (),
        tool=tool_run(
            span.get("name") or "unknown",
            call_id=None,
            arguments=asked,
            output=attributes.get(f"{_PREFIX}output"),
        )
        if kind == "tool"
        else None,
        error=failed,
        records={span["spanId"]: span},
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
