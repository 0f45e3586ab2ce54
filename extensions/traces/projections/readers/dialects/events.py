"""Events of OpenTelemetry's GenAI conventions: the contents of a model call, in logs or in spans.

Either one event has all messages of a call, or each message is an event (before 1.37). Figures of
the call stand on its span, and are taken from there alone. Events of a span have as attributes what
a log record has in its body, as JSON in one of them (Azure, Semantic Kernel) or one each (Strands).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, object_at, object_of, objects_of, text_at
from agentlog.extensions.traces.projections.readers.dialects.pieces import joined
from agentlog.extensions.traces.projections.readers.span import LOG, Span, milliseconds
from agentlog.projections.readers.fields import unpacked
from agentlog.projections.readers.messages import ai_sdk
from agentlog.projections.view import Item

_DETAILS = "gen_ai.client.inference.operation.details"
_ROLES = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
_CHOICE = "gen_ai.choice"
_CONTENT = "gen_ai.event.content"
_MESSAGES = ("gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages")
_NAMES = frozenset({*_ROLES, _DETAILS, _CHOICE})


def event_name(record: Item) -> str:
    """Return the name of a record's event; empty where it is none."""
    attributes = object_at(record, "attributes")
    return text_at(record, "eventName") or text_at(attributes, "event.name") or ""


def is_known(record: Item) -> bool:
    """Return whether a record has messages of a model call."""
    return event_name(record) in _NAMES


def read(records: Iterable[Item]) -> Iterator[Span]:
    """Yield a span for the records of each; those of all messages without one are of their own."""
    spans: dict[tuple[str, str, int], list[Item]] = {}
    for n, record in enumerate(records, 1):
        trace_id, span_id = text_at(record, "traceId") or "", text_at(record, "spanId") or ""
        alone = n if not span_id and event_name(record) == _DETAILS else 0
        spans.setdefault((trace_id, span_id, alone), []).append(record)
    for (trace_id, span_id, _), together in spans.items():
        yield Span(
            trace_id=trace_id,
            span_id=span_id,
            kind="chat",
            begin=_time(together[0]),
            end=_time(together[-1]),
            inputs=[message for record in together for message in _inputs(record)],
            outputs=[message for record in together for message in _outputs(record)],
            records={_digest(record): record for record in together},
            record_type=LOG,
            is_log=True,
        )


def of_span(span: Item) -> tuple[list[Item], list[Item]]:
    """Return what a model was given and gave back by the events of its span."""
    events = objects_of(span.get("events"))
    records = [_record(event) for event in events if event.get("name") in _NAMES]
    inputs = [message for record in records for message in _inputs(record)]
    return inputs, [message for record in records for message in _outputs(record)]


def beside_messages(event: Item) -> Item:
    """Return the attributes of a span's event but those that have messages of a model call."""
    attributes, name = object_at(event, "attributes"), event.get("name")
    if name in _ROLES:
        return {}
    if name == _CHOICE:
        content = attributes.get(_CONTENT)
        body = attributes if content is None else object_of(unpacked(content))
        return {key: value for key, value in body.items() if key != "message"}
    messages = _MESSAGES if name == _DETAILS else ()
    return {key: value for key, value in attributes.items() if key not in messages}


def _record(event: Item) -> Item:
    """Return the event of a span as a log record."""
    attributes = object_at(event, "attributes")
    content = attributes.get(_CONTENT)
    opened: Item = {key: unpacked(value) for key, value in attributes.items()}
    body = opened if content is None else unpacked(content)
    return {"eventName": event.get("name"), "attributes": attributes, "body": body}


def system_in(attributes: Mapping[str, JsonValue]) -> list[Item]:
    """Return the system instructions as messages: parts, an object of them, or a text."""
    match ai_sdk.printed(attributes.get(_MESSAGES[0])):
        case [_, *_] as parts:
            return [{"role": "system", "parts": parts}]
        case {"parts": [_, *_] as parts}:
            return [{"role": "system", "parts": parts}]
        case str(text) if text:
            return [{"role": "system", "content": text}]
        case _:
            return []


def messages_of(attributes: Mapping[str, JsonValue], key: str) -> list[Item]:
    """Return messages of an attribute: JSON, or JSON in a text."""
    return objects_of(unpacked(attributes.get(key)))


def _time(record: Item) -> int:
    nanoseconds = record.get("timeUnixNano") or record.get("observedTimeUnixNano")
    return milliseconds(nanoseconds)


def _inputs(record: Item) -> Sequence[Item]:
    name = event_name(record)
    if name in _ROLES:
        return [{**_message(record.get("body")), "role": _ROLES[name]}]
    if name == _DETAILS:
        attributes = object_at(record, "attributes")
        messages = messages_of(attributes, _MESSAGES[1])
        if _is_of_gemini_cli(record):  # it calls what its model said the system's
            messages = [
                {**message, "role": "assistant"} if message.get("role") == "system" else message
                for message in messages
            ]
        return [*system_in(attributes), *messages]
    return []


def _outputs(record: Item) -> Sequence[Item]:
    if event_name(record) == _CHOICE:
        message = object_of(record.get("body")).get("message")
        return [{**_message(unpacked(message)), "role": "assistant"}]
    if event_name(record) == _DETAILS:
        messages = messages_of(object_at(record, "attributes"), _MESSAGES[2])
        return joined(messages) if _is_of_gemini_cli(record) else messages
    return []


def _is_of_gemini_cli(record: Item) -> bool:
    return text_at(object_at(record, "resource"), "service.name") == "gemini-cli"


def _message(value: JsonValue) -> Item:
    return value if isinstance(value, dict) else {"content": value}


def _digest(record: Item) -> str:
    """Return the name of a record: it has no id of its own."""
    return sha256(print_bytes(record, sort_keys=True)).hexdigest()
