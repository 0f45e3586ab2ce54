"""Spans of Claude Code's enhanced telemetry: of a context they tell only what is new of it.

A request has that as a text with a title before each message, `[USER]` or `[TOOL RESULT: ID]`; a
tool has its arguments so, and its output as an event (recorded with 2.1.197).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at
from agentlog.extensions.traces.projections.readers.dialects import semconv
from agentlog.extensions.traces.projections.readers.span import Span, known, tool_run
from agentlog.projections.readers.fields import unpacked
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

USAGE = TokenWords(
    "input_tokens",
    "output_tokens",
    read="cache_read_tokens",
    written="cache_creation_tokens",
    cache_beside=True,
)
"""Anthropic's counts: what caches have stands beside the input."""
_TYPES = {"interaction", "llm_request", "tool", "tool.blocked_on_user", "tool.execution"}
_NEW = "new_context"
_TITLE = re.compile(r"^\[(USER|ASSISTANT|TOOL RESULT: ([^\]\n]+))\]\n", re.MULTILINE)
_FIRST = re.compile(r"\A\[[A-Z ]+(: [^\]\n]*)?\]\n")


def is_known(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span is of Claude Code."""
    return attributes.get("span.type") in _TYPES and "session.id" in attributes


def read(span: Item) -> Span:
    """Return the row of a span."""
    attributes = object_at(span, "attributes")
    row = semconv.read(span)
    response = {**row.response, **known(usage=USAGE.figures(attributes))}
    left = {name: _untitled(value) for name, value in row.left.items()}
    row = replace(row, left=left, response=response, teller="span")
    match attributes["span.type"], attributes.get(_NEW):
        case "llm_request", str(text):
            left = {name: value for name, value in row.left.items() if name != _NEW}
            return replace(row, inputs=list(_messages(text)), is_delta=True, left=left)
        case "tool", _:
            outputs = (
                object_at(event, "attributes").get("output")
                for event in objects_of(span.get("events"))
                if event.get("name") == "tool.output"
            )
            run = tool_run(
                text_at(attributes, "tool_name") or "unknown",
                call_id=text_at(attributes, "tool_use_id"),
                arguments=unpacked(_untitled(attributes.get("tool_input"))),
                output=next(outputs, None),
            )
            return replace(row, tool=run)
        case _:
            return row


def _untitled(value: JsonValue) -> JsonValue:
    return _FIRST.sub("", value, count=1) if isinstance(value, str) else value


def _messages(text: str) -> Iterator[Item]:
    titles = list(_TITLE.finditer(text))
    ends = [*(title.start() for title in titles[1:]), len(text)]
    for title, end in zip(titles, ends, strict=True) if titles else ():
        content = text[title.end() : end].strip("\n")
        if title[2] is not None:
            yield {"role": "tool", "tool_call_id": title[2], "content": content}
        else:
            yield {"role": title[1].lower(), "content": content}
