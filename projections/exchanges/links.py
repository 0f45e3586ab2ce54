"""What recorded exchanges say of a context: a request has all of it."""

from collections.abc import Sequence
from functools import partial

from agentlog.domain.events import Event
from agentlog.domain.json.values import object_at, object_of, text_at
from agentlog.projections.context.links import Change, Link, LinkReader, nothing
from agentlog.projections.exchanges.exchange import TYPE, exchange_of
from agentlog.projections.exchanges.lanes import REWRITTEN_TYPE, request_drafts
from agentlog.projections.readers.draft import Draft
from agentlog.projections.view import Item


def recorded_links() -> LinkReader:
    """Return what reads the links of recorded threads."""
    return _link


def _link(event: Event, fields: Item) -> Link | None:
    if event.type == TYPE and text_at(fields, "api") and object_at(fields, "request").get("pieces"):
        change = Change("compaction", nothing, is_exact=True)
        return Link(sent=partial(_request, event), change=change)
    if event.type == REWRITTEN_TYPE:
        missing = f"which messages the client left out at version {event.version}"
        return Link(missing=missing)
    return None


def _request(event: Event) -> Sequence[Draft]:
    """Return all messages of a request; none if the provider has the rest of them."""
    exchange = exchange_of(object_of(event.raw).get("payload"))
    return [] if exchange.api is None else request_drafts(exchange, exchange.api)
