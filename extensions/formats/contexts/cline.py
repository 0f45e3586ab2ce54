"""Which messages Cline leaves out of its requests when they become too long.

`ContextManager.ts` of github.com/cline/cline sends the messages before and after the range that was
deleted, and those two without the results whose calls it took away. What it writes over texts,
`context_history.json`, is not in what is read.
"""

from agentlog.domain.events import Event
from agentlog.domain.json.values import array_of, integer_at
from agentlog.extensions.formats.cline import CUT
from agentlog.extensions.formats.keeping import all_but
from agentlog.projections.context.links import Change, Link, LinkReader
from agentlog.projections.view import Item

_WRITTEN_OVER = "the notes that Cline wrote over texts when it cut messages off"


def cline_links() -> LinkReader:
    """Return what reads the links of a task."""

    def link(_: Event, fields: Item) -> Link | None:
        place = integer_at(fields, "conversationHistoryIndex")
        match array_of(fields.get(CUT)):
            case [int(first), int(last)] if place is not None:
                keys = {str(n) for n in range(first, min(last, place - 1) + 1)}
                change = Change("truncation", all_but(keys))
                return Link(str(place), change=change, missing=_WRITTEN_OVER)
            case _:
                return Link(None if place is None else str(place))

    return link
