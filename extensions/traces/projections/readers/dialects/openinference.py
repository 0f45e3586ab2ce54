"""Spans of OpenInference (Arize Phoenix)."""

from collections.abc import Mapping, Sequence

from agentlog.domain.json.values import JsonValue, number_at, object_at, object_of, text_at
from agentlog.extensions.traces.projections.readers.dialects.figures import figures_in
from agentlog.extensions.traces.projections.readers.dialects.indexed import indexed_messages
from agentlog.extensions.traces.projections.readers.span import (
    Kind,
    Span,
    ToolRun,
    count,
    error_of,
    ids,
    known,
    messages_of,
    times,
    tool_run,
)
from agentlog.projections.readers.fields import unpacked
from agentlog.projections.view import Item

_KIND = "openinference.span.kind"
_KINDS: Mapping[str, Kind] = {"LLM": "chat", "TOOL": "tool", "AGENT": "agent"}


def is_known(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span is of OpenInference."""
    return _KIND in attributes


def read(span: Item) -> Span:
    """Return the row of a span."""
    attributes = object_at(span, "attributes")
    begin, end = times(span)
    kind = _KINDS.get(text_at(attributes, _KIND) or "", "other")
    given = object_of(unpacked(attributes.get("llm.invocation_parameters")))
    model = text_at(attributes, "llm.model_name")
    return Span(
        **ids(span),
        kind=kind,
        begin=begin,
        end=end,
        agent=text_at(attributes, "agent.name"),
        request=known(
            model=text_at(given, "model") or model,
            maxTokens=count(given, "max_completion_tokens", "max_tokens"),
            temperature=number_at(given, "temperature"),
            stream=given.get("stream") if isinstance(given.get("stream"), bool) else None,
        ),
        response=known(
            model=model,
            provider=text_at(attributes, "llm.provider", "llm.system"),
            finishReason=text_at(attributes, "llm.finish_reason"),
            usage=figures_in(attributes),
            costUsd=number_at(attributes, "llm.cost.total"),
        ),
        inputs=indexed_messages(attributes, "llm.input_messages") if kind == "chat" else (),
        outputs=_outputs(attributes) if kind == "chat" else (),
        tool=_tool(span, attributes) if kind == "tool" else None,
        error=error_of(span),
        records={text_at(span, "spanId") or "": span},
    )


def _outputs(attributes: Mapping[str, JsonValue]) -> Sequence[Item]:
    """Return answers; those of streams in the Agents SDK are in the value alone."""
    messages = indexed_messages(attributes, "llm.output_messages")
    match [] if messages else unpacked(attributes.get("output.value")):
        case {"object": "response"} | [{"object": "response"}] as value:
            return messages_of(value)
        case _:
            return messages


def _tool(span: Item, attributes: Mapping[str, JsonValue]) -> ToolRun:
    return tool_run(
        text_at(attributes, "tool.name") or text_at(span, "name") or "unknown",
        call_id=text_at(attributes, "tool_call.id", "tool.id"),
        arguments=unpacked(
            attributes.get("tool_call.function.arguments", attributes.get("input.value"))
        ),
        output=attributes.get("output.value"),
    )
