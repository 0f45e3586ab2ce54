"""Spans of OpenTelemetry's GenAI conventions.

As sent by OpenTelemetry's own instrumentations, OpenLLMetry, Logfire and Pydantic AI; also the
indexed `gen_ai.prompt.N` of OpenLLMetry before 0.50.
"""

from collections.abc import Mapping

from agentlog.domain.json.values import JsonValue, number_at, object_at, objects_of, text_at
from agentlog.extensions.traces.projections.readers.dialects.indexed import indexed_messages
from agentlog.extensions.traces.projections.readers.span import (
    Kind,
    Span,
    ToolRun,
    count,
    error_of,
    ids,
    known,
    times,
    tool_run,
    usage_of,
)
from agentlog.projections.readers.fields import unpacked
from agentlog.projections.view import Item

_KINDS: Mapping[str, Kind] = {
    "chat": "chat",
    "generate_content": "chat",
    "text_completion": "chat",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "invoke_workflow": "agent",
}
_USAGE = {
    "inputTokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    "outputTokens": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    "totalTokens": ("gen_ai.usage.total_tokens", "llm.usage.total_tokens"),
    "cachedInputTokens": ("gen_ai.usage.cache_read.input_tokens",),
    "reasoningTokens": (
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
        "gen_ai.usage.details.reasoning_tokens",
    ),
}


def is_known(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span has attributes of the conventions."""
    return any(key.startswith(("gen_ai.", "traceloop.")) for key in attributes)


def read(span: Item) -> Span:
    """Return the row of a span."""
    attributes = object_at(span, "attributes")
    begin, end = times(span)
    if text_at(attributes, "logfire.span_type") == "log":  # of no length; it says how long it took
        begin = max(0, end - round((number_at(attributes, "duration") or 0) * 1000))
    kind = _kind(attributes)
    inputs = messages_of(attributes, "gen_ai.input.messages") or indexed_messages(
        attributes, "gen_ai.prompt"
    )
    outputs = messages_of(attributes, "gen_ai.output.messages") or indexed_messages(
        attributes, "gen_ai.completion"
    )
    if kind == "agent" and not inputs:
        inputs = messages_of(attributes, "pydantic_ai.all_messages")
    system = unpacked(attributes.get("gen_ai.system_instructions"))
    if isinstance(system, list) and system:
        inputs = [{"role": "system", "parts": system}, *inputs]
    response = response_of(attributes)
    failed = error_of(span)
    if _is_announced(attributes) and not (outputs or "usage" in response or failed):
        kind = "other"
    return Span(
        **ids(span),
        kind=kind,
        begin=begin,
        end=end,
        agent=text_at(attributes, "gen_ai.agent.name"),
        request=known(
            model=text_at(attributes, "gen_ai.request.model"),
            maxTokens=count(attributes, "gen_ai.request.max_tokens"),
            temperature=number_at(attributes, "gen_ai.request.temperature"),
            stream=_flag(attributes, "gen_ai.request.stream", "gen_ai.is_streaming"),
        ),
        response=response,
        inputs=inputs,
        outputs=outputs,
        tool=_tool(span, attributes) if kind == "tool" else None,
        error=failed,
        records={text_at(span, "spanId") or "": span},
    )


def response_of(attributes: Mapping[str, JsonValue]) -> Item:
    """Return the fields of `llm_response`."""
    return known(
        model=text_at(attributes, "gen_ai.response.model", "gen_ai.request.model"),
        provider=text_at(attributes, "gen_ai.provider.name", "gen_ai.system"),
        finishReason=_finish_reason(attributes),
        usage=usage_of(attributes, _USAGE),
        costUsd=number_at(attributes, "operation.cost", "gen_ai.usage.cost"),
    )


def messages_of(attributes: Mapping[str, JsonValue], key: str) -> list[Item]:
    """Return messages of an attribute: JSON, or JSON in a text."""
    return objects_of(unpacked(attributes.get(key)))


def _kind(attributes: Mapping[str, JsonValue]) -> Kind:
    operation = text_at(attributes, "gen_ai.operation.name")
    if operation is not None:
        return _KINDS.get(operation, "other")
    match text_at(attributes, "llm.request.type", "traceloop.span.kind"):
        case "chat" | "completion":
            return "chat"
        case "agent" | "workflow":
            return "agent"
        case _:
            return "other"


def _is_announced(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span of Logfire's may be of a stream: its answer comes in another span."""
    return (
        text_at(attributes, "logfire.span_type") == "span"
        and text_at(attributes, "logfire.msg_template") is not None
        and "gen_ai.input.messages" in attributes
    )


def _finish_reason(attributes: Mapping[str, JsonValue]) -> str | None:
    match unpacked(attributes.get("gen_ai.response.finish_reasons")):
        case [str(reason), *_]:
            return "tool_calls" if reason == "tool_call" else reason
        case _:
            return text_at(attributes, "gen_ai.response.finish_reason")


def _flag(attributes: Mapping[str, JsonValue], *keys: str) -> bool | None:
    flags = (attributes.get(key) for key in keys)
    return next((flag for flag in flags if isinstance(flag, bool)), None)


def _tool(span: Item, attributes: Mapping[str, JsonValue]) -> ToolRun:
    return tool_run(
        text_at(attributes, "gen_ai.tool.name") or text_at(span, "name") or "unknown",
        call_id=text_at(attributes, "gen_ai.tool.call.id"),
        arguments=unpacked(attributes.get("gen_ai.tool.call.arguments")),
        output=attributes.get("gen_ai.tool.call.result"),
    )
