"""Items of the view `timeline`."""

from collections.abc import Sequence

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, array_of, number_at, text_at
from agentlog.domain.messages import (
    ExitMessage,
    LlmResponseMessage,
    Message,
    RuntimeErrorMessage,
    TokenUsage,
    ToolCall,
    ToolCallsMessage,
    WorkerSpawnedMessage,
)
from agentlog.domain.usage import wholes_of
from agentlog.projections.call_texts import arguments_value, iso_time, value_text
from agentlog.projections.outcomes.pairs import Kind, elapsed_ms, rank
from agentlog.projections.prices import cost_of
from agentlog.projections.values import sent_at
from agentlog.projections.view import Item
from agentlog.projections.views.timeline.carry import OpenItem, TimelineCarry

_LONGEST_HINT = 80
_NO_USAGE = TokenUsage()
_SUMMED = (
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "cachedInputTokens",
    "reasoningTokens",
    "costUsd",
)
_NO_FIGURES = dict.fromkeys(
    (
        "provider",
        "finishReason",
        "inputTokens",
        "outputTokens",
        "totalTokens",
        "cachedInputTokens",
        "reasoningTokens",
        "costUsd",
        "computedCostUsd",
        "prices",
    )
)


def point(event: Event, step: int) -> Item:
    """Return the item of a message that neither asks nor answers."""
    message = event.message
    if message is None:
        sent = sent_at(event)
        time = None if sent is None else sent.isoformat(timespec="milliseconds")[:-6] + "Z"
    else:
        time = iso_time(message.timestamp)
    item: Item = {
        "kind": event.type,
        "version": event.version,
        "startedAt": time,
        "step": step,
        "responseId": event.response_id,
        "bytesIn": event.size,
    }
    if isinstance(message, ExitMessage):
        item["outcome"] = message.reason
    elif isinstance(message, RuntimeErrorMessage):
        item["outcome"] = "failed"
    return item


def pause(version: int, begun: int, ended: int, step: int) -> Item:
    """Return the item of the pause between two messages."""
    return {
        "kind": "gap",
        "version": version - 1,
        "endVersion": version,
        "startedAt": iso_time(begun),
        "endedAt": iso_time(ended),
        "elapsedMs": ended - begun,
        "step": step,
    }


def begin(  # noqa: PLR0913 - what a span has
    kind: Kind,
    name: str | None,
    event: Event,
    message: Message,
    *,
    step: int,
    is_asked: bool = True,
    named: Item | None = None,
) -> OpenItem:
    """Return a span that begins at an event; without `is_asked`, one whose beginning is unknown."""
    time = message.timestamp if is_asked else None
    item: Item = {
        "kind": kind,
        "version": event.version if is_asked else None,
        "endVersion": None,
        "name": name,
        **(named or {}),
        "startedAt": None if time is None else iso_time(time),
        "endedAt": None,
        "elapsedMs": None,
        "outcome": None,
        "suspected": [],
        "step": step,
        "responseId": event.response_id,
        "bytesIn": event.size if is_asked else None,
        "bytesOut": None,
    }
    if kind == "model":
        item |= _NO_FIGURES
    return OpenItem(item, time)


def end(
    span: OpenItem, event: Event, message: Message, outcome: str | None, **more: JsonValue
) -> Item:
    """Return the item of a span that an event ends."""
    return {
        **span.item,
        "endVersion": event.version,
        "endedAt": iso_time(message.timestamp),
        "elapsedMs": elapsed_ms(span.time, message.timestamp),
        "outcome": outcome,
        "bytesOut": event.size,
        **more,
    }


def suspect(item: Item, rules: Sequence[str]) -> Item:
    """Return an item with more rules that it meets."""
    return {**item, "suspected": [*array_of(item["suspected"]), *rules]} if rules else item


def model_figures(message: LlmResponseMessage, requested: str | None) -> dict[str, JsonValue]:
    """Return what a response says of itself, and its cost; `prices` where that is computed."""
    usage = message.usage or _NO_USAGE
    whole = wholes_of(usage)
    name = requested if message.model is None else message.model
    cost = cost_of(message, name)
    figures: dict[str, JsonValue] = {
        "name": name,
        "provider": message.provider,
        "finishReason": message.finish_reason,
        "inputTokens": whole.input,
        "outputTokens": whole.output,
        "totalTokens": usage.total_tokens,
        "cachedInputTokens": usage.cached_input_tokens,
        "reasoningTokens": usage.reasoning_tokens,
        "costUsd": cost.usd,
        "computedCostUsd": None if cost.prices is None else cost.usd,
        "prices": cost.prices,
    }
    if message.latency_ms is not None:
        figures["elapsedMs"] = message.latency_ms
    return figures


def summed(figures: Item) -> Item:
    """Return what is kept of the figures of an answer, in case they are told again."""
    return {name: figures[name] for name in ("name", *_SUMMED) if figures[name] is not None}


def told_again(before: Item, message: LlmResponseMessage) -> tuple[Item, Item]:
    """Return the figures of an answer told again, and by how much they grew; may be less than 0.

    What is not told again stays. `prices` stand beside a growth of what had no cost before.
    """
    figures_again = model_figures(message, text_at(before, "name"))
    if _rank(figures_again) < _rank(before):
        return before, {}
    figures, more = {**before, **summed(figures_again)}, Item()
    for name in _SUMMED:
        after = number_at(figures, name)
        if after is not None:
            more[name] = round(after - (number_at(before, name) or 0), 12)
    if "costUsd" in more and "costUsd" not in before:
        more["prices"] = figures_again["prices"]
    return figures, more


def _rank(figures: Item) -> tuple[float, float]:
    return rank(number_at(figures, "outputTokens"), number_at(figures, "inputTokens"))


def add_hints(now: TimelineCarry, message: object) -> None:
    """Add their hints to the spans that a message began."""
    match message:
        case ToolCallsMessage(calls=calls):
            spans = now.open["call"].values[-len(calls) :]
            for span, call in zip(spans, calls, strict=True):
                span.item["hint"] = _hint_of(call)
        case WorkerSpawnedMessage(objective=objective):
            now.open["worker"].values[-1].item["hint"] = objective[:_LONGEST_HINT]
        case _:
            pass


def _hint_of(call: ToolCall) -> str | None:
    """Return the beginning of a call's first plain argument."""
    arguments = arguments_value(call)
    values = arguments.values() if isinstance(arguments, dict) else [arguments]
    plain = next((value for value in values if isinstance(value, str | int | float)), None)
    return None if plain is None else value_text(plain)[:_LONGEST_HINT]
