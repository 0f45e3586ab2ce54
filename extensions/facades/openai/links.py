"""What a client deleted from a session is not sent again.

As the views of items have it: `session.item_deleted` takes the item of an id, or the latest, and
`session.cleared` all.
"""

from collections.abc import Sequence
from functools import partial

from agentlog.domain.events import Event
from agentlog.domain.json.values import text_at
from agentlog.projections.context.links import Change, Link, LinkReader, Standing, nothing
from agentlog.projections.view import Item, render
from agentlog.projections.views.items.view import ITEM_DELETED, SESSION_CLEARED
from agentlog.projections.views.responses.view import ResponsesView


def session_links() -> LinkReader:
    """Return what reads the deletions of a session."""
    return _link


def _link(event: Event, fields: Item) -> Link | None:
    if event.type == ITEM_DELETED:
        keeps = partial(_without, text_at(fields, "item_id"))
        return Link(sent=(), change=Change("deletion", keeps))
    if event.type == SESSION_CLEARED:
        return Link(sent=(), change=Change("deletion", nothing))
    return None


def _without(item_id: str | None, standing: Sequence[Standing]) -> Sequence[Standing]:
    view = ResponsesView(ResponsesView.options_type(repair=False, complete=True))
    items = render(view, [one.event for one in standing]).items
    places = [n for n, placed in enumerate(items) if item_id in {None, placed.item.get("id")}]
    if not places:
        return standing
    begin = items[places[-1]].version
    end = items[places[-1] + 1].version if places[-1] + 1 < len(items) else None
    return [s for s in standing if s.version < begin or (end is not None and s.version >= end)]
