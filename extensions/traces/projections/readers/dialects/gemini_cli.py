"""Spans of Gemini CLI's own telemetry: the conventions, but for answers, call ids and tools.

An answer stands there in the pieces of its stream, and the run of a tool as what its scheduler was
given and made of it (recorded with 0.61.0).
"""

from collections.abc import Mapping
from dataclasses import replace

from agentlog.domain.json.values import (
    JsonValue,
    object_at,
    object_of,
    objects_of,
    text_at,
)
from agentlog.extensions.traces.projections.readers.dialects import semconv
from agentlog.extensions.traces.projections.readers.dialects.pieces import joined, own_id
from agentlog.extensions.traces.projections.readers.span import Span, tool_run
from agentlog.projections.readers.fields import unpacked
from agentlog.projections.view import Item

_INPUTS, _OUTPUTS = "gen_ai.input.messages", "gen_ai.output.messages"


def is_known(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span is of Gemini CLI."""
    return attributes.get("gen_ai.agent.name") == "gemini-cli"


def read(span: Item) -> Span:
    """Return the row of a span."""
    attributes = object_at(span, "attributes")
    row = semconv.read(span)
    if row.kind == "chat":
        return replace(row, outputs=joined(row.outputs))
    if row.kind != "tool":
        return row
    request, outcome = (object_of(unpacked(attributes.get(key))) for key in (_INPUTS, _OUTPUTS))
    name = text_at(attributes, "gen_ai.tool.name") or "unknown"
    response = object_at(outcome, "response")
    result = next(
        (object_at(part, "functionResponse") for part in objects_of(response.get("responseParts"))),
        response,
    )
    run = tool_run(
        name,
        call_id=own_id(name, text_at(attributes, "gen_ai.tool.call_id")),
        arguments=request.get("args"),
        output=result.get("response", response.get("resultDisplay")),
    )
    failed = outcome.get("status") == "error"
    error = object_at(response, "error")
    return replace(row, tool=replace(run, error=text_at(error, "message") if failed else None))
