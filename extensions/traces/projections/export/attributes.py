"""Attributes and parts of spans of OpenTelemetry's GenAI conventions, and their ids."""

from hashlib import sha256

from agentlog.domain.json.values import number_at
from agentlog.domain.messages import LlmRequestMessage, LlmResponseMessage, TokenUsage, ToolCall
from agentlog.extensions.traces.projections.readers.dialects.figures import SEMCONV
from agentlog.projections.call_texts import arguments_value
from agentlog.projections.outcomes.pairs import rank
from agentlog.projections.view import Item


def request_attributes(request: LlmRequestMessage | None) -> Item:
    """Return what a span says of a request."""
    if request is None:
        return {}
    return without_nulls(
        {
            "gen_ai.request.max_tokens": request.max_tokens,
            "gen_ai.request.temperature": request.temperature,
            "gen_ai.request.stream": request.stream,
        }
    )


def response_attributes(response: LlmResponseMessage | None) -> Item:
    """Return what a span says of a response: its model, reason and tokens."""
    if response is None:
        return {}
    usage, reason = response.usage or TokenUsage(), response.finish_reason
    return without_nulls(
        {
            "gen_ai.provider.name": response.provider,
            "gen_ai.response.model": response.model,
            "gen_ai.response.finish_reasons": None if reason is None else [reason],
            **SEMCONV.counts(usage, flat=True),
        }
    )


def rank_of(attributes: Item) -> tuple[float, float]:
    """Return how much attributes tell of an answer, as `outcomes.pairs.rank` does."""
    names = ("gen_ai.usage.output_tokens", "gen_ai.usage.input_tokens")
    output_tokens, input_tokens = (number_at(attributes, name) for name in names)
    return rank(output_tokens, input_tokens)


def without_nulls(attributes: Item) -> Item:
    """Return attributes without those that are null."""
    return {key: value for key, value in attributes.items() if value is not None}


def text_part(text: str) -> Item:
    """Return a text as a part of a message."""
    return {"type": "text", "content": text}


def call_part(call: ToolCall) -> Item:
    """Return a call as a part of a message."""
    arguments = arguments_value(call)
    return {"type": "tool_call", "id": call.id, "name": call.name, "arguments": arguments}


def digest(*parts: str) -> str:
    """Return the SHA-256 of texts, in hexadecimal: ids of traces and spans are cut from it."""
    return sha256("\0".join(("agentlog", *parts)).encode()).hexdigest()
