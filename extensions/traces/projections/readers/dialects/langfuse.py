"""Spans of Langfuse's SDK."""

from collections.abc import Mapping

from agentlog.domain.json.values import JsonValue, number_at, object_at, object_of, text_at
from agentlog.extensions.traces.projections.readers.span import (
    Kind,
    Span,
    count,
    error_of,
    ids,
    known,
    messages_of,
    times,
    tool_run,
)
from agentlog.projections.readers.fields import number, unpacked
from agentlog.projections.view import Item

_PREFIX = "langfuse.observation."
_KINDS: Mapping[str, Kind] = {"generation": "chat", "tool": "tool", "agent": "agent"}
_NAMES = {
    "completion_tokens": "output",
    "input_tokens": "input",
    "output_tokens": "output",
    "prompt_tokens": "input",
    "total_tokens": "total",
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
            usage=figures_of(used),
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


def figures_of(details: Item) -> Item:
    """Return token figures under the catalogue's names.

    Details such as `input_cached_tokens` are not among `input`, unless the total says so.
    """
    inner = {
        f"{key}.{name}": figure
        for key, figures in details.items()
        for name, figure in object_of(figures).items()
    }
    numbers = {
        _NAMES.get(key, key): figure
        for key, detail in {**details, **inner}.items()
        if isinstance(figure := number(detail), int)
    }
    if not any(numbers.values()):  # 0: not known
        return {}
    total = numbers.get("total")
    apart = total != numbers.get("input", 0) + numbers.get("output", 0)
    usage: Item = {} if total is None else {"totalTokens": total}
    for side, ours in (("input", "inputTokens"), ("output", "outputTokens")):
        more = sum(n for key, n in numbers.items() if key.startswith(f"{side}_")) if apart else 0
        if side in numbers:
            usage[ours] = numbers[side] + more
    for key, n in numbers.items():
        if "cache" in key:
            is_written = "creation" in key or "write" in key
            usage["cacheWriteTokens" if is_written else "cachedInputTokens"] = n
        elif "reasoning" in key:
            usage["reasoningTokens"] = n
    return usage
