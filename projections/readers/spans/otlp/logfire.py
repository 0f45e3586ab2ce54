"""Spans of Logfire for OpenAI's Agents SDK; its other spans follow the conventions."""

from collections.abc import Mapping
from dataclasses import replace

from agentlog.domain.json.text import JsonValue
from agentlog.projections.readers.spans.otlp import semconv
from agentlog.projections.readers.spans.otlp.chat import chat_message, chat_messages
from agentlog.projections.readers.spans.otlp.span import GenAISpan, text, tool_run, unpacked
from agentlog.projections.view import Item

_TEMPLATE = "logfire.msg_template"
_CHAT, _TOOL = "Chat completion with {gen_ai.request.model!r}", "Function: {name}"


def is_known(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span is a run of a tool, or a model call with contents of its own form."""
    return _TEMPLATE in attributes and (
        attributes[_TEMPLATE] in {_CHAT, _TOOL} or "events" in attributes
    )


def read(span: Item) -> GenAISpan:
    """Return the row of a span."""
    attributes = span["attributes"]
    given, gave = (unpacked(attributes.get(key)) for key in ("input", "output"))
    row = semconv.read(span)
    if attributes[_TEMPLATE] == _TOOL:
        name = text(attributes, "name") or "unknown"
        run = tool_run(name, call_id=None, arguments=given, output=attributes.get("output"))
        return replace(row, kind="tool", tool=run)
    if attributes[_TEMPLATE] == _CHAT:
        return replace(row, kind="chat", inputs=chat_messages(given), outputs=chat_messages(gave))
    events = unpacked(attributes["events"])
    listed = events if isinstance(events, list) else []
    inputs = [chat_message(event) for event in listed if _is_message(event)]
    outputs: list[Item] = []
    while inputs and inputs[-1]["role"] == "assistant":  # what it said last is the answer
        outputs.append(inputs.pop())
    return replace(row, inputs=inputs, outputs=outputs[::-1])


def _is_message(event: JsonValue) -> bool:
    return isinstance(event, dict) and str(event.get("event.name")).endswith(".message")
