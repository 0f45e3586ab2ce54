"""Words of spans that no message has: the record of their span keeps them, and names where.

A span around model calls tells again what they told, and some spans come before those that tell
what they have. So words are looked for in all that the spans of a batch say, and in what their
thread has, once the batch is told.
"""

from collections.abc import Iterable

from agentlog.domain.json.values import JsonValue, object_at
from agentlog.extensions.traces.projections.nested_messages import messages_in
from agentlog.extensions.traces.projections.readers.dialects.contents import words_in
from agentlog.extensions.traces.projections.readers.drafts import METADATA
from agentlog.extensions.traces.projections.readers.message_reader import MessageReader
from agentlog.extensions.traces.projections.readers.span import Span
from agentlog.extensions.traces.projections.readers.thread import SpanThread, digest
from agentlog.extensions.traces.projections.readers.turns import Turn
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import unpacked

UNREAD = "unread"
"""The key in a record's metadata, beside others of `METADATA`: names of attributes."""


def unread_in(draft: Draft) -> list[str]:
    """Return the attributes with words that no message has, of the record of a span."""
    names = object_at(object_at(draft, "metadata"), METADATA).get(UNREAD)
    return [str(name) for name in names] if isinstance(names, list) else []


def note_unread(
    thread: SpanThread, spans: Iterable[Span], records: dict[int, Draft], reader: MessageReader
) -> None:
    """Note in the records of spans, by their places, which attributes have words left."""
    listed = list(spans)
    if not any(listed[n].left for n in records):
        return
    texts = {text for span in listed for text in _told_by(span)}
    for n, record in records.items():
        names: list[JsonValue] = [
            name
            for name, value in listed[n].left.items()
            if not _is_told(value, thread, texts, reader)
        ]
        if names:
            metadata = object_at(record, "metadata")
            noted: JsonValue = {**object_at(metadata, METADATA), UNREAD: names}
            record["metadata"] = {**metadata, METADATA: noted}


def _told_by(span: Span) -> Iterable[str]:
    if span.kind != "other":
        yield from words_in([*span.inputs, *span.outputs])
    if span.tool is not None:
        yield from words_in([span.tool.arguments, span.tool.result, span.tool.error])
    yield from words_in(span.error)


def _is_told(value: JsonValue, thread: SpanThread, texts: set[str], reader: MessageReader) -> bool:
    words = [text for text in words_in(value) if text not in texts]
    if not words:
        return True
    messages = messages_in(unpacked(value)) or []
    if messages and all(_has(thread, turn) for turn in reader.turns(messages)):
        texts = {*words_in([*messages])}
        words = [text for text in words if text not in texts]
    return all(_says(thread, text) for text in words)


def _has(thread: SpanThread, turn: Turn) -> bool:
    """Return whether a thread has a turn."""
    if turn.role == "system":
        return all(_says(thread, str(draft.get("text"))) for draft in turn.drafts)
    calls = turn.call_ids
    if turn.role == "tool" or calls:
        return bool(calls) and all(call_id in thread.calls for call_id in calls)
    return turn.digest in thread.contexts.digests


def _says(thread: SpanThread, text: str) -> bool:
    turns = (Turn("user", ({"type": "input", "text": text},)), Turn("assistant", _reply(text)))
    return (
        digest(text) in thread.prompts
        or digest(text) in thread.outputs
        or any(turn.digest in thread.contexts.digests for turn in turns)
    )


def _reply(text: str) -> tuple[Draft, ...]:
    return ({"type": "reply", "text": text},)
