"""Turns as drafts of ours, and the drafts of a span, with ids that are the same each time."""

import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count

from agentlog.domain.errors import InvalidInput
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue, array_of, object_at, objects_of, text_at
from agentlog.extensions.traces.projections.readers.span import OTEL, Span, hexadecimal
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.messages.calls import UNNAMED
from agentlog.projections.residue import METADATA_KEY
from agentlog.projections.view import Item

METADATA = OTEL
"""The key of a message's metadata for the turns that it begins."""
_FEW_RECORDS = 16

UNBOUNDED = sys.maxsize


class TooManyAdded(InvalidInput, kind="too large"):
    """An export would add more messages to its threads than its size allows."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"more than the {most} messages that an export of this size may add, where a thread "
            "counts as four: let the exporter send fewer spans at once"
        )


class Writing:
    """The messages of a span so far; `most` bounds them.

    `goes_on`: the thread may be fed again, so messages say which trace they are of.
    """

    def __init__(
        self, span: Span, *, wire: str, most: int = UNBOUNDED, goes_on: bool = True
    ) -> None:
        self.span = span
        self._goes_on = goes_on
        self._parent = _traceparent(span) if goes_on else None
        self.drafts: list[Draft] = []
        self._most = most
        names = "+".join(span.records)
        if len(span.records) > _FEW_RECORDS:  # each id is derived from all of it
            names = sha256(names.encode()).hexdigest()
        self._ids: Iterator[str] = (
            derived_message_id(wire, span.trace_id, names, n) for n in count(1)
        )

    def expect(self, count: int) -> None:
        """Raise `TooManyAdded` if so many more messages are too many."""
        if len(self.drafts) + count > self._most:
            raise TooManyAdded(self._most)

    def add_record(self, message_id: str, record: Item) -> None:
        """Add a record of the span as it is."""
        self.expect(1)
        at = self.span.end if self.span.begin is None else self.span.begin
        draft: Draft = {"type": self.span.record_type, "payload": record}
        if self.span.part:
            draft["metadata"] = {METADATA: {"run": self.span.part}}
        self.drafts.append({"id": message_id, **_time(at), **draft})

    def note(self, key: str, value: JsonValue) -> None:
        """Note something in the first record of the span, which its thread may have to know."""
        if self._goes_on and self.drafts:
            metadata = object_at(self.drafts[0], "metadata")
            noted: JsonValue = {**object_at(metadata, METADATA), key: value}
            self.drafts[0]["metadata"] = {**metadata, METADATA: noted}

    def add(
        self,
        draft: Draft,
        *,
        at: int | None,
        turns: Sequence[JsonValue] = (),
        response_id: str | None = None,
        wires: Item | None = None,
    ) -> None:
        """Add a message at a time in milliseconds since the epoch, with its residues."""
        self.expect(1)
        span = self.span
        metadata: Item = {}
        if self._parent is not None:
            metadata["traceparent"] = self._parent
        if response_id is not None:
            metadata["responseId"] = response_id
        if span.agent is not None:
            metadata["actor"] = span.agent
        if turns:
            metadata[METADATA] = {"turns": [*turns]}
        if wires is not None:
            metadata[METADATA_KEY] = wires
        of_span: Draft = {"metadata": metadata} if metadata else {}
        self.drafts.append({"id": next(self._ids), **_time(at), **draft, **of_span})


def _traceparent(span: Span) -> str | None:
    """Return trace and span as W3C has them; of a UUID the half that is random."""
    trace, own = hexadecimal(span.trace_id), hexadecimal(span.span_id)[-16:]
    return f"00-{trace}-{own}-01" if trace.strip("0") and own.strip("0") else None


def _time(at: int | None) -> Draft:
    return {} if at is None else {"timestamp": at}


def joined(drafts: Sequence[Draft], *, calls: str) -> Iterator[Draft]:
    """Yield what one side said at once: texts of an input or prompt as one, and calls as one.

    `calls` begins the ids of calls that have none.
    """
    spoken = [draft for draft in drafts if draft["type"] in {"input", "system"}]
    if spoken:
        texts = [text for draft in spoken if (text := text_at(draft, "text"))]
        files = [file for draft in spoken for file in array_of(draft.get("files"))]
        merged: Draft = {"type": spoken[0]["type"]}
        if texts or not files:
            merged["text"] = "\n\n".join(texts)
        if files:
            merged["files"] = files
        yield merged
    asked: list[JsonValue] = []
    others: list[Draft] = []
    for n, draft in enumerate(drafts):
        if draft["type"] == "tool_calls":
            (call,) = objects_of(draft["calls"])
            call_id = str(call["id"])
            named = call_id if not call_id.startswith(UNNAMED) else f"{UNNAMED}{calls}-{n}"
            asked.append({**call, "id": named})
        elif draft["type"] in {"reasoning", "reply", "tool_results"}:
            yield draft
        elif draft["type"] not in {"input", "system"}:
            others.append(draft)
    if asked:
        yield {"type": "tool_calls", "calls": asked}
    yield from others
