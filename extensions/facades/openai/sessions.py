"""Threads as conversations: their items, their metadata, and what clients delete of them."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Literal

from fastapi import Query

from agentlog.domain.drafts import Origin
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.facts import Start, ThreadAnnotated
from agentlog.domain.json.values import JsonValue
from agentlog.domain.points_in_time import Moment
from agentlog.extensions.facades.errors import NoSession, UnknownItem
from agentlog.infrastructure.tenants import Tenant
from agentlog.projections.call_texts import value_text
from agentlog.projections.view import Item
from agentlog.projections.views.items.view import SESSION_STARTED
from agentlog.projections.views.responses.view import ResponsesOptions, ResponsesView

VIEW = ResponsesView(ResponsesOptions(repair=False, complete=True))
_STARTS = ("thread.started", "thread.forked", "thread.annotated")


def items_of(tenant: Tenant, thread_id: str, at: Moment | None = None) -> Iterator[Item]:
    """Yield a thread's items, each with its id; raises `NotThere`."""
    return (printed.item for printed in tenant.views.items(thread_id, VIEW, at=at))


def metadata_of(tenant: Tenant, thread_id: str, at: Moment | None) -> Mapping[str, JsonValue]:
    """Return a thread's metadata at a moment; raises `NotThere`."""
    if at is None:
        return tenant.threads.head(thread_id).metadata
    metadata: dict[str, JsonValue] = {}
    for event in tenant.threads.messages(thread_id, at=at, types=_STARTS):
        if isinstance(event.message, Start | ThreadAnnotated):
            metadata |= event.message.metadata
    return {key: value for key, value in metadata.items() if value is not None}


def metadata_in(value: JsonValue) -> dict[str, JsonValue]:
    """Return the metadata of a body, an object or null; raises `InvalidMessage`."""
    if not isinstance(value, dict | None):
        raise InvalidMessage.at("metadata", "not an object")
    return value or {}


def replace_metadata(
    tenant: Tenant, thread_id: str, shown: Item, metadata: Mapping[str, JsonValue], origin: Origin
) -> None:
    """Annotate a thread with metadata in the place of what was `shown` of it."""
    changes = {key: value for key, value in metadata.items() if shown.get(key) != value}
    changes |= dict.fromkeys(shown.keys() - metadata.keys())
    if changes:
        tenant.threads.annotate(thread_id, changes, origin=origin)


def append_deletion(tenant: Tenant, thread_id: str, deletion: Item, origin: Origin) -> None:
    """Append the message by which a client deletes items; raises `NoSession`."""
    if not tenant.threads.messages(thread_id, types=[SESSION_STARTED], limit=1):
        raise NoSession(thread_id)
    tenant.threads.writer.append(tenant.threads.request(thread_id, [deletion], origin=origin))


def item_of(tenant: Tenant, thread_id: str, item_id: str, at: Moment | None) -> Item:
    """Return an item; raises `UnknownItem`."""
    items = (item for item in items_of(tenant, thread_id, at) if item["id"] == item_id)
    last = deque(items, maxlen=1)
    if not last:
        raise UnknownItem(item_id)
    return last[0]


PREFIX = "/openai/v1"

After = Annotated[str | None, Query()]
Limit = Annotated[int, Query(ge=1, le=100)]
Order = Literal["asc", "desc"]


def page_of(items: Iterable[Item], *, after: str | None, limit: int, order: Order) -> Item:
    """Return a page of items, which are in ascending order; raises `UnknownItem` for `after`.

    No more of them is kept than it shows.
    """
    if order == "asc":
        page = _page_after(iter(items), after, limit + 1)
    else:
        page = _page_before(items, after, limit + 1)
    return listed(page[:limit], has_more=len(page) > limit)


def _page_after(items: Iterator[Item], after: str | None, count: int) -> list[Item]:
    if after is not None and all(item["id"] != after for item in items):
        raise UnknownItem(after)
    return list(islice(items, count))


def _page_before(items: Iterable[Item], before: str | None, count: int) -> list[Item]:
    last: deque[Item] = deque(maxlen=count)
    page: list[Item] | None = None
    for item in items:
        if item["id"] == before:
            page = [*last]
        last.append(item)
    if before is None:
        page = [*last]
    elif page is None:
        raise UnknownItem(before)
    return page[::-1]


def listed(page: Sequence[Item], *, has_more: bool) -> Item:
    """Return a list; the ids of its first and last item are empty where there is none."""
    ids = [item["id"] for item in page] or [""]
    data: list[JsonValue] = [*page]
    ends: Item = {"first_id": ids[0], "last_id": ids[-1]}
    return {"object": "list", "data": data, **ends, "has_more": has_more}


def texts_of(metadata: Mapping[str, JsonValue]) -> Item:
    """Return metadata as strings, which it is there; other values as their JSON."""
    return {key: value_text(value) for key, value in metadata.items()}
