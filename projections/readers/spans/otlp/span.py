"""Spans of generative AI as one neutral row, whichever convention they follow.

A span comes as a JSON object: `traceId`, `spanId` and `parentSpanId` in hexadecimal, `name`,
`startTimeUnixNano`, `endTimeUnixNano`, `attributes` (an object), `events`, `status`, `scope`,
`resource`. Attributes may have any JSON value: what is not as expected is passed over, and stays in
the object, which the log keeps whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import JsonValue, parse
from agentlog.projections.readers.spans.nested_messages import find_result
from agentlog.projections.view import Item

Kind = Literal["chat", "tool", "agent", "other"]

_ERROR = 2
_LAST = 253_402_300_799_999


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """The run of a tool; `arguments` and `result` are None where they were not captured."""

    name: str
    call_id: str | None = None
    arguments: JsonValue = None
    result: JsonValue = None
    error: str | None = None


def tool_run(name: str, *, call_id: str | None, arguments: JsonValue, output: JsonValue) -> ToolRun:
    """Return the run of a tool; an output that is a message of a tool is opened.

    An output in a text stays as it is spelled: so a model is sent it.
    """
    message = find_result(output)
    if message is None:
        return ToolRun(name=name, call_id=call_id, arguments=arguments, result=output)
    return ToolRun(
        name=name,
        call_id=call_id or message["callId"],
        arguments=arguments,
        result=message["output"],
        error=message.get("error"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GenAISpan:
    """A span, or the log records of one (`is_log`), of generative AI.

    `begin` and `end` are milliseconds since the epoch. `inputs` and `outputs` are messages of the
    conventions: `role` and `parts`. `request` and `response` are fields of `llm_request` and
    `llm_response`. `records` are the objects to keep, each with a name that is unique in its trace.
    """

    trace_id: str
    span_id: str
    parent_id: str = ""
    kind: Kind
    begin: int
    end: int
    agent: str | None = None
    request: Item = field(default_factory=dict)
    response: Item = field(default_factory=dict)
    inputs: Sequence[Item] = ()
    outputs: Sequence[Item] = ()
    tool: ToolRun | None = None
    error: str | None = None
    records: Mapping[str, Item]
    is_log: bool = False


def times(span: Item) -> tuple[int, int]:
    """Return begin and end of a span in milliseconds since the epoch."""
    begin, end = (milliseconds(span.get(f"{key}TimeUnixNano")) for key in ("start", "end"))
    return begin, max(begin, end)


def milliseconds(nanoseconds: JsonValue) -> int:
    """Return nanoseconds since the epoch as milliseconds, within what a message may have."""
    return max(0, min(nanoseconds // 1_000_000, _LAST)) if isinstance(nanoseconds, int) else 0


def error_of(span: Item) -> str | None:
    """Return why a span failed, None where it does not say that it did."""
    status: Item = span.get("status", {})
    if status.get("code") != _ERROR:
        return None
    for event in span.get("events", ()):
        if event["name"] == "exception":
            texts = [text(event["attributes"], f"exception.{key}") for key in ("type", "message")]
            if any(texts):
                return ": ".join(part for part in texts if part)
    return text(status, "message") or text(span["attributes"], "error.type") or "failed"


def text(attributes: Mapping[str, JsonValue], *keys: str) -> str | None:
    """Return the first attribute that is a text and not empty."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, str) and value:
            return value
    return None


def count(attributes: Mapping[str, JsonValue], *keys: str) -> int | None:
    """Return the first attribute that is a whole number, 0 or more."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


def number(attributes: Mapping[str, JsonValue], *keys: str) -> float | None:
    """Return the first attribute that is a number."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
    return None


def unpacked(value: JsonValue) -> JsonValue:
    """Return the value of JSON in a text, any other text or value as it is."""
    if isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            return parse(value)
        except InvalidJson:  # cut off, or no JSON at all
            return value
    return value


def known(**fields: JsonValue) -> Item:
    """Return the fields that have a value."""
    return {key: value for key, value in fields.items() if value is not None and value != {}}


def usage_of(attributes: Mapping[str, JsonValue], names: Mapping[str, Sequence[str]]) -> Item:
    """Return token figures under the catalogue's names (`names`: ours to theirs)."""
    return known(**{ours: count(attributes, *theirs) for ours, theirs in names.items()})
