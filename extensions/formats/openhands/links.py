"""What condensations of OpenHands leave of a context.

As `View` of `openhands.sdk.context.view` (1.58) has it: a `Condensation` takes the events of
`forgotten_event_ids` away, and puts its summary, as the user's, before the event at
`summary_offset` of those that stay. Events follow the one before them, else their `parent_id`.
Before version 1 the action `condensation` says the same, or a range of numbers.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest

from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import array_of, integer_at, object_at, text_at, texts_of
from agentlog.projections.context.drafts import event_of
from agentlog.projections.context.links import WRITTEN, Change, Link, LinkReader, Standing
from agentlog.projections.readers.fields import id_of_uuid
from agentlog.projections.view import Item

_ROOT = "__root__"
_MOST_PARTS = 8
"""Messages that one event is at most: thoughts, a text and a call."""
_SENT = frozenset({"input", "reply", "reasoning", "tool_calls", "tool_results", "system"})


def openhands_links() -> LinkReader:
    """Return what reads the links of a conversation."""

    def link(event: Event, fields: Item) -> Link | None:
        parent = text_at(fields, "parent_id")
        is_root, parent = parent == _ROOT, None if parent == _ROOT else parent
        follows = Link(event.message_id, parent and _name(parent), is_root)
        if event.type != "openhands.Condensation":
            return follows
        own_ids = texts_of(fields.get("forgotten_event_ids"))
        forgotten = {name for own_id in own_ids for name in _names(own_id)}
        summary_id = f"{text_at(fields, 'id')}-summary"
        return _condensed(event, fields, summary_id, lambda s: not forgotten.isdisjoint(s.keys))

    return link


def openhands_0_links() -> LinkReader:
    """Return what reads the links of a trajectory."""

    def link(event: Event, fields: Item) -> Link | None:
        number = integer_at(fields, "id")
        key = None if number is None else str(number)
        if event.type != "openhands-0.condensation":
            return Link(key)
        args = object_at(fields, "args")
        first, last = (integer_at(args, f"forgotten_events_{end}_id") for end in ("start", "end"))
        forgotten = {str(own_id) for own_id in array_of(args.get("forgotten_event_ids"))}
        if first is not None and last is not None:
            forgotten |= {str(n) for n in range(first, min(last, number or last) + 1)}
        return _condensed(event, args, key, lambda s: not forgotten.isdisjoint(s.keys))

    return link


def _condensed(
    event: Event, fields: Item, own_id: str | None, is_forgotten: Callable[[Standing], bool]
) -> Link:
    summary, offset = text_at(fields, "summary"), integer_at(fields, "summary_offset")
    summarized = None
    if summary is not None and offset is not None:
        draft: Item = {"type": "input", "text": summary, "metadata": {WRITTEN: True}}
        summarized = event_of(event, draft)
    keys = frozenset(filter(None, (own_id,)))
    new = None if summarized is None else Standing(summarized, keys)
    keeps = partial(_keeps, is_forgotten, new, offset or 0)
    return Link(sent=(), change=Change("compaction", keeps))


def _keeps(
    is_forgotten: Callable[[Standing], bool],
    summary: Standing | None,
    offset: int,
    standing: Sequence[Standing],
) -> Sequence[Standing]:
    kept = [one for one in standing if not is_forgotten(one)]
    if summary is None:
        return kept
    places = [n for n, one in enumerate(kept) if one.event.type in _SENT]
    ends = [n for n, after in zip_longest(places, places[1:]) if _ends_event(kept, n, after)]
    at = 0 if offset == 0 else ends[min(offset, len(ends)) - 1] + 1 if ends else len(kept)
    return [*kept[:at], summary, *kept[at:]]


def _ends_event(kept: Sequence[Standing], n: int, after: int | None) -> bool:
    """Return whether a message is the last of its event: thoughts and texts go before calls."""
    event = kept[n].event
    if after is None or event.type not in {"reasoning", "reply"} or event.response_id is None:
        return True
    return event.response_id != kept[after].event.response_id


def _names(own_id: str) -> Sequence[str]:
    """Return the ids that the messages of an event may have."""
    parts = (derived_message_id(own_id, part) for part in ("", "llm_response", *range(_MOST_PARTS)))
    return [own_id, _name(own_id), *parts]


def _name(own_id: str) -> str:
    return id_of_uuid(own_id) or own_id
