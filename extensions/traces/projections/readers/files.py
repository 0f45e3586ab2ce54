"""Spans of a file as histories: the fold of the live endpoint, beginning empty."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.extensions.traces.projections.readers.message_reader import MessageReader
from agentlog.extensions.traces.projections.readers.placement import in_order
from agentlog.extensions.traces.projections.readers.recorder import recorded
from agentlog.extensions.traces.projections.readers.span import Key, Span
from agentlog.extensions.traces.projections.readers.thread import SpanThread
from agentlog.projections.readers.draft import Unmapped
from agentlog.projections.readers.history import History
from agentlog.projections.view import Item


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a file at its place, with its span; `is_known` is whether its kind is."""

    span: Span
    item: Item
    place: str
    is_known: bool = True


def read_rows(
    wire: str,
    rows: Iterable[Row],
    *,
    known: frozenset[str],
    thread_id: str,
    metadata: Mapping[str, JsonValue],
) -> History:
    """Return the thread of rows; `known` are the fields that rows usually have."""
    several = list(_distinct(rows))
    unmapped = [
        Unmapped(f"{row.place}.{key}".removeprefix("."), f"field {key!r}")
        for row in several
        for key in row.item
        if key not in known
    ]
    unknown = [row for row in several if not row.is_known]
    unmapped += [Unmapped(row.place, f"kind {row.span.record_type!r}") for row in unknown]
    reader = MessageReader(wire, unmapped=unmapped)
    for row in several:
        reader.note(row.span, row.place)
    drafts = recorded(
        SpanThread(wire, goes_on=False), in_order(row.span for row in several), reader=reader
    )
    return History(
        drafts,
        id=thread_id or None,
        metadata=metadata,
        unmapped=unmapped,
        is_blank=0 < len(drafts) <= len(unknown),
    )


def _distinct(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows, those that are the same once; another one of the same id by another name."""
    first: dict[Key, Item] = {}
    names: set[tuple[Key, bytes]] = set()
    for row in rows:
        key = row.span.key
        if first.setdefault(key, row.item) is row.item:
            yield row
        elif row.item != first[key]:
            digest = sha256(print_bytes(row.item)).digest()
            if (key, digest) not in names:
                names.add((key, digest))
                name = f"{row.span.span_id}-{digest.hex()[:16]}"
                yield replace(row, span=replace(row.span, records={name: row.item}))


def by_thread(rows: Sequence[Row], thread_of: Callable[[Row], str | None]) -> dict[str, list[Row]]:
    """Return rows by the thread that a row of their trace names, the root first; else by trace."""
    named: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: row.span.parent_id != ""):
        if (thread := thread_of(row)) is not None:
            named.setdefault(row.span.trace_id, thread)
    threads: dict[str, list[Row]] = {}
    for row in rows:
        trace = row.span.trace_id
        threads.setdefault(named.get(trace, trace), []).append(row)
    return threads
