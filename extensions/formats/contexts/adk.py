"""What rewinds and compactions of Google ADK leave of a context.

As `_apply_rewinds` and `_process_compaction_events` of google-adk 2.13 have it: a rewind takes
back all events from the first of its invocation on, compactions among them. A compaction stands,
as the model's, for the events of its times, and is left out where another has all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, number_at, object_of, objects_of, text_at
from agentlog.projections.context.links import Again, Cause, Change, Link, LinkReader, nothing
from agentlog.projections.view import Item


@dataclass(slots=True)
class _Event:
    """An event of a session: its messages, by their ids, and what it says of others."""

    invocation: str | None
    time: float
    rewind: str | None
    compaction: Item
    messages: list[str] = field(default_factory=list)


def adk_links() -> LinkReader:
    """Return what reads the links of a session."""
    events: list[_Event] = []

    def link(event: Event, fields: Item) -> Link | None:
        if "actions" in fields:
            actions = object_of(fields["actions"])
            rewind = _at(actions, "rewindBeforeInvocationId", "rewind_before_invocation_id")
            invocation = _at(fields, "invocationId", "invocation_id")
            time = number_at(fields, "timestamp")
            one = _Event(
                invocation if isinstance(invocation, str) else None,
                float(time) if time is not None else events[-1].time if events else 0.0,
                rewind if isinstance(rewind, str) else None,
                object_of(actions.get("compaction")),
            )
            events.append(one)
            if one.rewind or one.compaction:
                cause: Cause = "rewind" if one.rewind else "compaction"
                sent = partial(_live, events, len(events))
                return Link(sent=sent, change=Change(cause, nothing))
        if events:
            events[-1].messages.append(event.message_id)
        return None

    return link


def _live(events: Sequence[_Event], count: int) -> list[Item | Again]:
    """Return what is sent of the first events."""
    alive = [*_after_rewinds(events[:count])]
    ranges = [*_ranges(alive)]
    covered = [(start, end) for _, start, end in ranges]
    pieces: list[tuple[float, int, list[Item | Again]]] = []
    for n, one in enumerate(alive):
        if not one.compaction and not any(begin <= one.time <= end for begin, end in covered):
            pieces.append((one.time, n, [Again(message) for message in one.messages]))
    for n, _, end in ranges:
        content = _at(alive[n].compaction, "compactedContent", "compacted_content")
        parts = objects_of(object_of(content).get("parts"))
        text = "".join(text for part in parts if (text := text_at(part, "text")) is not None)
        pieces.append((end, n, [{"type": "reply", "text": text}]))
    return [piece for _, _, some in sorted(pieces, key=lambda at: at[:2]) for piece in some]


def _after_rewinds(events: Sequence[_Event]) -> Iterator[_Event]:
    first = dict[str, int]()
    for n, one in enumerate(events):
        if one.invocation is not None:
            first.setdefault(one.invocation, n)
    kept, n = list[_Event](), len(events) - 1
    while n >= 0:
        one = events[n]
        if one.rewind is None:
            kept.append(one)
        elif (begin := first.get(one.rewind, n)) < n:
            n = begin
        n -= 1
    yield from reversed(kept)


def _ranges(events: Sequence[_Event]) -> Iterator[tuple[int, float, float]]:
    """Yield the compactions that no other contains: the place of each, and its times."""
    spans: list[tuple[float, float, int]] = []
    for n, one in enumerate(events):
        start = _at(one.compaction, "startTimestamp", "start_timestamp")
        end = _at(one.compaction, "endTimestamp", "end_timestamp")
        if isinstance(start, int | float) and isinstance(end, int | float):
            spans.append((float(start), -float(end), -n))
    last: float | None = None
    for start, minus_end, minus_n in sorted(spans):
        if last is None or -minus_end > last:
            last = -minus_end
            yield -minus_n, start, last


def _at(item: Item, *names: str) -> JsonValue:
    return next((item[name] for name in names if name in item), None)
