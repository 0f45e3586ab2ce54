"""The one type of spans, whichever dialect they have, and what dialects read them with.

A dialect takes a JSON object: an observation of Langfuse, a run of LangSmith, or a span of
OpenTelemetry with `traceId`, `spanId` and `parentSpanId` in hexadecimal, `name`,
`startTimeUnixNano`, `endTimeUnixNano`, `attributes` (an object), `events`, `status`, `scope`,
`resource`. Any value may be there: what is not as expected is passed over, and stays in the
object, which the log keeps whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypedDict

from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at
from agentlog.extensions.traces.projections.nested_messages import (
    defines_tool,
    messages_in,
    result_in,
)
from agentlog.projections.view import Item

Kind = Literal["chat", "tool", "agent", "event", "other"]
Key = tuple[str, str]
"""Trace and span id."""

OTEL = "otel"
SPAN, LOG = f"{OTEL}.span", f"{OTEL}.log"

_ERROR = 2
_LAST = 253_402_300_799_999


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """The run of a tool; `arguments` and `result` are None where they were not captured."""

    name: str
    call_id: str | None = None
    arguments: JsonValue = None
    result: JsonValue = None
    error: JsonValue = None

    def beside(self, event: "ToolRun | None") -> "ToolRun":
        """Return the run with what an event says of it and it does not."""
        if event is None:
            return self
        arguments = event.arguments if self.arguments is None else self.arguments
        result = event.result if self.result is None else self.result
        return replace(self, arguments=arguments, result=result)


def tool_run(name: str, *, call_id: str | None, arguments: JsonValue, output: JsonValue) -> ToolRun:
    """Return the run of a tool; an output that is a message of a tool is opened.

    An output in a text stays as it is spelled: so a model is sent it.
    """
    message = result_in(output)
    if message is None:
        return ToolRun(name=name, call_id=call_id, arguments=arguments, result=output)
    return ToolRun(
        name=name,
        call_id=call_id or text_at(message, "callId"),
        arguments=arguments,
        result=message["output"],
        error=message.get("error"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span, or the log records of one (`is_log`), of generative AI.

    `begin` and `end` are milliseconds since the epoch. `inputs` and `outputs` are messages of any
    API. `request` and `response` are fields of `llm_request` and `llm_response`. `records` are the
    objects to keep, each with a name that is unique in its trace, as messages of `record_type`.
    `left` are values with words that are in none of these, by the names of their attributes.
    With `is_delta` its inputs are but what is new of a context.
    `teller` names its signal where another one may tell the same: of equal things that several tell
    the n-th of each is one.
    `part` describes a part of a run: its `id`, and whether it has `begun` and `ended` with it.
    """

    trace_id: str
    span_id: str
    parent_id: str = ""
    kind: Kind
    begin: int | None
    end: int | None
    agent: str | None = None
    request: Item = field(default_factory=dict)
    response: Item = field(default_factory=dict)
    inputs: Sequence[Item] = ()
    outputs: Sequence[Item] = ()
    tool: ToolRun | None = None
    error: str | None = None
    records: Mapping[str, Item]
    record_type: str = SPAN
    left: Item = field(default_factory=dict)
    part: Item = field(default_factory=dict)
    is_log: bool = False
    is_delta: bool = False
    teller: str = ""

    @property
    def key(self) -> Key:
        """Its trace and its id."""
        return self.trace_id, self.span_id


def hexadecimal(identifier: str) -> str:
    """Return the id of a trace as W3C's traceparent has it; LangSmith's are UUIDs."""
    return identifier.replace("-", "").lower()


class Ids(TypedDict):
    """The ids of a span."""

    trace_id: str
    span_id: str
    parent_id: str


def ids(span: Item) -> Ids:
    """Return the ids of a span of OpenTelemetry."""
    trace, own, parent = (text_at(span, key) for key in ("traceId", "spanId", "parentSpanId"))
    return {"trace_id": trace or "", "span_id": own or "", "parent_id": parent or ""}


def messages_of(value: JsonValue) -> list[Item]:
    """Return the messages of a prompt or an answer; any other value as the content of one."""
    if value in (None, "", [], {}):
        return []
    messages = messages_in(value)
    if messages is not None:
        return [message for message in messages if not defines_tool(message)]
    content = only(value)
    if content in (None, "", [], {}):
        return []
    return [{"content": content if isinstance(content, str | list) else [content]}]


def only(value: JsonValue) -> JsonValue:
    """Return what an object has under its only key `input` or `output`, else the value itself."""
    match value:
        case {"input": inner, **others} | {"output": inner, **others} if not others:
            return inner
        case _:
            return value


def times(span: Item) -> tuple[int, int]:
    """Return begin and end of a span in milliseconds since the epoch."""
    begin, end = (milliseconds(span.get(f"{key}TimeUnixNano")) for key in ("start", "end"))
    return begin, max(begin, end)


def milliseconds(nanoseconds: JsonValue) -> int:
    """Return nanoseconds since the epoch as milliseconds, within what a message may have."""
    return max(0, min(nanoseconds // 1_000_000, _LAST)) if isinstance(nanoseconds, int) else 0


def error_of(span: Item) -> str | None:
    """Return why a span failed, None where it does not say that it did."""
    status = object_at(span, "status")
    if status.get("code") != _ERROR:
        return None
    for event in objects_of(span.get("events")):
        if event.get("name") == "exception":
            attributes = object_at(event, "attributes")
            texts = (text_at(attributes, f"exception.{key}") for key in ("type", "message"))
            if reasons := [text for text in texts if text]:
                return ": ".join(reasons)
    return (
        text_at(status, "message")
        or text_at(object_at(span, "attributes"), "error.type")
        or ("failed")
    )


def count(attributes: Mapping[str, JsonValue], *keys: str) -> int | None:
    """Return the first attribute that is a whole number, 0 or more."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


def known(**fields: JsonValue) -> Item:
    """Return the fields that have a value."""
    return {key: value for key, value in fields.items() if value is not None and value != {}}
