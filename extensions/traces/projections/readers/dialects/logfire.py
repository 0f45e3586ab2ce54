"""Spans of Logfire for OpenAI's Agents SDK; its other spans follow the conventions."""

from collections.abc import Mapping
from dataclasses import replace

from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at
from agentlog.extensions.traces.projections.readers.dialects import semconv
from agentlog.extensions.traces.projections.readers.span import Span, messages_of, tool_run
from agentlog.projections.readers.fields import unpacked
from agentlog.projections.view import Item

_TEMPLATE = "logfire.msg_template"
_CHAT, _TOOL = "Chat completion with {gen_ai.request.model!r}", "Function: {name}"


def is_known(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span is a run of a tool, or a model call with contents of its own form."""
    return _TEMPLATE in attributes and (
        attributes[_TEMPLATE] in {_CHAT, _TOOL} or "events" in attributes
    )


def read(span: Item) -> Span:
    """Return the row of a span."""
    attributes = object_at(span, "attributes")
    given, gave = attributes.get("input"), attributes.get("output")
    row = semconv.read(span)
    if attributes[_TEMPLATE] == _TOOL:
        name = text_at(attributes, "name") or "unknown"
        run = tool_run(name, call_id=None, arguments=unpacked(given), output=gave)
        return replace(row, kind="tool", tool=run)
    if attributes[_TEMPLATE] == _CHAT:
        return replace(row, kind="chat", inputs=messages_of(given), outputs=messages_of(gave))
    inputs = list(filter(_is_message, objects_of(unpacked(attributes["events"]))))
    outputs: list[Item] = []
    while inputs and inputs[-1].get("role") == "assistant":  # what it said last is the answer
        outputs.append(inputs.pop())
    return replace(row, inputs=inputs, outputs=outputs[::-1])


def _is_message(event: Item) -> bool:
    return str(event.get("event.name")).endswith(".message")
