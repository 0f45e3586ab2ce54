"""Log records of OpenTelemetry's GenAI conventions: the contents of a model call, as events.

Either one event has all messages of a call, or each message is an event (before 1.37). Figures of
the call stand on its span, and are taken from there alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from agentlog.domain.json.text import JsonValue, print_bytes
from agentlog.projections.readers.spans.otlp.chat import chat_message
from agentlog.projections.readers.spans.otlp.semconv import messages_of
from agentlog.projections.readers.spans.otlp.span import GenAISpan, milliseconds, text
from agentlog.projections.view import Item

_DETAILS = "gen_ai.client.inference.operation.details"
_ROLES = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
_CHOICE = "gen_ai.choice"


def event_name(record: Item) -> str:
    """Return the name of a record's event; empty where it is none."""
    return record.get("eventName") or text(record["attributes"], "event.name") or ""


def is_known(record: Item) -> bool:
    """Return whether a record has messages of a model call."""
    name = event_name(record)
    return name in _ROLES or name in {_DETAILS, _CHOICE}


def read(records: Iterable[Item]) -> Iterator[GenAISpan]:
    """Yield a row for the records of each span."""
    spans: dict[tuple[str, str], list[Item]] = {}
    for record in records:
        spans.setdefault((record["traceId"], record["spanId"]), []).append(record)
    for (trace_id, span_id), together in spans.items():
        yield GenAISpan(
            trace_id=trace_id,
            span_id=span_id,
            kind="chat",
            begin=_time(together[0]),
            end=_time(together[-1]),
            inputs=[message for record in together for message in _inputs(record)],
            outputs=[message for record in together for message in _outputs(record)],
            records={_digest(record): record for record in together},
            is_log=True,
        )


def _time(record: Item) -> int:
    nanoseconds = record.get("timeUnixNano") or record.get("observedTimeUnixNano")
    return milliseconds(nanoseconds)


def _inputs(record: Item) -> Sequence[Item]:
    name = event_name(record)
    if name in _ROLES:
        return [chat_message(_object(record.get("body")), role=_ROLES[name])]
    if name == _DETAILS:
        attributes = record["attributes"]
        system = attributes.get("gen_ai.system_instructions")
        first = [{"role": "system", "parts": system}] if isinstance(system, list) else []
        return [*first, *messages_of(attributes, "gen_ai.input.messages")]
    return []


def _outputs(record: Item) -> Sequence[Item]:
    if event_name(record) == _CHOICE:
        body = _object(record.get("body"))
        return [chat_message(_object(body.get("message")), role="assistant")]
    if event_name(record) == _DETAILS:
        return messages_of(record["attributes"], "gen_ai.output.messages")
    return []


def _object(value: JsonValue) -> Item:
    return value if isinstance(value, dict) else {"content": value}


def _digest(record: Item) -> str:
    """Return the name of a record: it has no id of its own."""
    return sha256(print_bytes(record, sort_keys=True)).hexdigest()
