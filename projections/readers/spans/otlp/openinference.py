"""Spans of OpenInference (Arize Phoenix)."""

from collections.abc import Mapping, Sequence

from agentlog.domain.json.text import JsonValue
from agentlog.projections.readers.spans.otlp.chat import response_messages
from agentlog.projections.readers.spans.otlp.indexed import indexed_messages
from agentlog.projections.readers.spans.otlp.span import (
    GenAISpan,
    Kind,
    ToolRun,
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

_KIND = "openinference.span.kind"
_KINDS: Mapping[str, Kind] = {"LLM": "chat", "TOOL": "tool", "AGENT": "agent"}
_USAGE = {
    "inputTokens": ("llm.token_count.prompt",),
    "outputTokens": ("llm.token_count.completion",),
    "totalTokens": ("llm.token_count.total",),
    "cachedInputTokens": ("llm.token_count.prompt_details.cache_read",),
    "reasoningTokens": ("llm.token_count.completion_details.reasoning",),
}


def is_known(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span is of OpenInference."""
    return _KIND in attributes


def read(span: Item) -> GenAISpan:
    """Return the row of a span."""
    attributes = span["attributes"]
    begin, end = times(span)
    kind = _KINDS.get(text(attributes, _KIND) or "", "other")
    given = unpacked(attributes.get("llm.invocation_parameters"))
    given = given if isinstance(given, dict) else {}
    model = text(attributes, "llm.model_name")
    return GenAISpan(
        trace_id=span["traceId"],
        span_id=span["spanId"],
        parent_id=span.get("parentSpanId", ""),
        kind=kind,
        begin=begin,
        end=end,
        agent=text(attributes, "agent.name"),
        request=known(
            model=text(given, "model") or model,
            maxTokens=count(given, "max_completion_tokens", "max_tokens"),
            temperature=number(given, "temperature"),
            stream=given["stream"] if isinstance(given.get("stream"), bool) else None,
        ),
        response=known(
            model=model,
            provider=text(attributes, "llm.provider", "llm.system"),
            finishReason=text(attributes, "llm.finish_reason"),
            usage=usage_of(attributes, _USAGE),
            costUsd=number(attributes, "llm.cost.total"),
            latencyMs=end - begin,
        ),
        inputs=indexed_messages(attributes, "llm.input_messages") if kind == "chat" else (),
        outputs=_outputs(attributes) if kind == "chat" else (),
        tool=_tool(span, attributes) if kind == "tool" else None,
        error=error_of(span),
        records={span["spanId"]: span},
    )


def _outputs(attributes: Mapping[str, JsonValue]) -> Sequence[Item]:
    """Return answers; those of streams in the Agents SDK are in the value alone."""
    value = unpacked(attributes.get("output.value"))
    return indexed_messages(attributes, "llm.output_messages") or response_messages(value)


def _tool(span: Item, attributes: Mapping[str, JsonValue]) -> ToolRun:
    return tool_run(
        text(attributes, "tool.name") or span.get("name") or "unknown",
        call_id=text(attributes, "tool_call.id", "tool.id"),
        arguments=unpacked(
            attributes.get("tool_call.function.arguments", attributes.get("input.value"))
        ),
        output=attributes.get("output.value"),
    )
