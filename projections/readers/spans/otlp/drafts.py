"""Turns as drafts of ours, and the drafts of a span, with ids that are the same each time."""

import re
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count

from agentlog.domain.errors import InvalidInput
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import JsonValue
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.spans.otlp.span import GenAISpan
from agentlog.projections.readers.spans.otlp.turns import (
    RESPONSE,
    Role,
    Turn,
    call_id_of,
    is_text,
    text_in,
)
from agentlog.projections.residue import METADATA_KEY
from agentlog.projections.text_format import call_fields
from agentlog.projections.view import Item

METADATA = "otel"
"""The key of a message's metadata for the turns that it begins."""
_FEW_RECORDS = 16
_DATA = re.compile(r"[A-Za-z0-9+/\r\n]*={0,2}")


UNBOUNDED = sys.maxsize


class TooManyAdded(InvalidInput):
    """An export would add more messages to its threads than its size allows."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"more than the {most} messages that an export of this size may add, where a thread "
            "counts as four: let the exporter send fewer spans at once"
        )


class Writing:
    """The messages of a span so far; `most` bounds them."""

    def __init__(self, span: GenAISpan, *, most: int = UNBOUNDED) -> None:
        self.span = span
        self.drafts: list[Draft] = []
        self._most = most
        names = "+".join(span.records)
        if len(span.records) > _FEW_RECORDS:  # each id is derived from all of it
            names = sha256(names.encode()).hexdigest()
        self._ids: Iterator[str] = (
            derived_message_id("otel", span.trace_id, names, n) for n in count(1)
        )

    def expect(self, count: int) -> None:
        """Raise `TooManyAdded` if so many more messages are too many."""
        if len(self.drafts) + count > self._most:
            raise TooManyAdded(self._most)

    def add(
        self,
        draft: Draft,
        *,
        at: int,
        turns: Sequence[JsonValue] = (),
        response_id: str | None = None,
        wire: JsonValue = None,
    ) -> None:
        """Add a message at a time in milliseconds since the epoch, with its residues."""
        self.expect(1)
        span = self.span
        metadata: Item = {}
        if span.trace_id and span.span_id:
            metadata["traceparent"] = f"00-{span.trace_id}-{span.span_id}-01"
        if response_id is not None:
            metadata["responseId"] = response_id
        if span.agent is not None:
            metadata["actor"] = span.agent
        if turns:
            metadata[METADATA] = {"turns": list(turns)}
        if wire is not None:
            metadata[METADATA_KEY] = wire
        self.drafts.append({"id": next(self._ids), "timestamp": at, **draft, "metadata": metadata})


def drafts_of(turn: Turn, *, calls: str) -> Iterator[Draft]:
    """Yield the messages of a turn; none is blank, and what is not known is kept as `otel.part`.

    `calls` begins the ids of calls that have none.
    """
    match turn.role:
        case "system":
            text = "\n\n".join(text_in(part) for part in turn.parts if is_text(part))
            if text:
                yield {"type": "system", "text": text}
        case "user":
            yield from _input(turn)
        case "tool":
            yield from (
                {"type": "tool_results", "results": [result_of(part)]}
                for part in turn.parts
                if part.get("type") == RESPONSE
            )
        case "assistant":
            yield from _answer(turn, calls)
    for part in turn.parts:
        if not _is_known(turn.role, part):
            yield {"type": "otel.part", "payload": {"role": turn.role, **part}}


def result_of(part: Item) -> Item:
    """Return the result of a call."""
    output = part.get("response", part.get("result"))
    result: Item = {"output": output}
    for ours, theirs in (("callId", "id"), ("name", "name")):
        if isinstance(part.get(theirs), str) and part[theirs]:
            result[ours] = part[theirs]
    return result


def call_of(part: Item, *, call_id: str) -> Item:
    """Return a call; arguments in a text are kept as they are spelled."""
    name, arguments = part.get("name"), part.get("arguments")
    name = name if isinstance(name, str) else "unknown"
    if isinstance(arguments, str):
        return {"id": call_id, **call_fields(name, arguments)}
    return {"id": call_id, "name": name, **({} if arguments is None else {"args": arguments})}


def _answer(turn: Turn, calls: str) -> Iterator[Draft]:
    asked: list[Item] = []
    for n, part in enumerate(turn.parts):
        match part.get("type"):
            case "reasoning" if text_in(part):
                yield {"type": "reasoning", "title": "", "summary": text_in(part)}
            case "text" if text_in(part):
                yield {"type": "reply", "text": text_in(part)}
            case "tool_call":
                asked.append(call_of(part, call_id=call_id_of(part) or f"{calls}-{n}"))
            case _:
                pass
    if asked:
        yield {"type": "tool_calls", "calls": asked}


def _input(turn: Turn) -> Iterator[Draft]:
    texts = [text_in(part) for part in turn.parts if is_text(part)]
    files = [file for part in turn.parts if (file := _file(part)) is not None]
    draft: Draft = {"type": "input"}
    if texts:
        draft["text"] = "\n\n".join(texts)
    if files:
        draft["files"] = files
    if len(draft) > 1:
        yield draft


def _is_known(role: Role, part: Item) -> bool:
    match role, part.get("type"):
        case _, "text":
            return True
        case "assistant", "reasoning" | "tool_call":
            return True
        case "tool", "tool_call_response":
            return True
        case "user", "blob":
            return _file(part) is not None
        case _:
            return False


def _file(part: Item) -> Item | None:
    match part:
        case {"type": "blob", "content": str(data)} if _DATA.fullmatch(data):
            file: Item = {"data": data}
        case _:
            return None
    if isinstance(part.get("mime_type"), str):
        file["mimeType"] = part["mime_type"]
    return file
