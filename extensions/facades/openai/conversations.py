"""Routes of conversations: a thread each, and what the view `responses` shows are its items."""

from typing import Any

from fastapi import Response
from ulid import ULID

from agentlog.api.http.codec.bodies import Body, fields_in
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, TheTenant
from agentlog.api.http.codec.parameters import At
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.request.limits import RequestLimits
from agentlog.api.http.routing import Router
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.domain.points_in_time import Moment
from agentlog.extensions.facades.openai.sessions import (
    PREFIX,
    VIEW,
    After,
    Limit,
    Order,
    append_deletion,
    item_of,
    items_of,
    listed,
    metadata_in,
    metadata_of,
    page_of,
    replace_metadata,
    texts_of,
)
from agentlog.infrastructure.tenants import Tenant
from agentlog.projections.readers.appended import read_appended
from agentlog.projections.readers.draft import Draft, sample_event
from agentlog.projections.view import Item, render
from agentlog.projections.views.items.view import ITEM_DELETED, SESSION_CLEARED, SESSION_STARTED

router = Router(prefix=PREFIX, in_document=False)


@router.add("POST /conversations", "append")
def create(tenant: TheTenant, limits: TheLimits, body: Body, origin: TheOrigin) -> Response:
    """Start a thread for a session of items."""
    fields = fields_in(body, limits, "items", "metadata")
    drafts = _drafts(fields.get("items"), limits)
    thread_id = f"conv_{ULID()}"
    started: JsonObject = {
        "type": "thread.started",
        "policy": "record",  # results may be left whose calls are deleted
        "metadata": metadata_in(fields.get("metadata")),
    }
    tenant.threads.writer.append(
        tenant.threads.request(
            thread_id, [{"type": SESSION_STARTED}, *drafts], facts=[started], origin=origin
        )
    )
    return _shown(tenant, thread_id)


@router.add("GET /conversations/{thread_id}", "read")
def retrieve(tenant: TheTenant, thread_id: str, at: At) -> Response:
    """Return a thread as a conversation."""
    return _shown(tenant, thread_id, at)


@router.add("POST /conversations/{thread_id}", "append", reads=True)
def update(
    tenant: TheTenant, thread_id: str, limits: TheLimits, body: Body, origin: TheOrigin
) -> Response:
    """Replace the thread's metadata."""
    metadata = metadata_in(fields_in(body, limits, "metadata").get("metadata"))
    shown = texts_of(metadata_of(tenant, thread_id, None))
    replace_metadata(tenant, thread_id, shown, metadata, origin)
    return _shown(tenant, thread_id)


@router.add("DELETE /conversations/{thread_id}", "append")
def delete(tenant: TheTenant, thread_id: str, origin: TheOrigin) -> Response:
    """Clear a session: the log keeps it, and it may go on."""
    append_deletion(tenant, thread_id, {"type": SESSION_CLEARED}, origin)
    return json_answer({"id": thread_id, "object": "conversation.deleted", "deleted": True})


@router.add("POST /conversations/{thread_id}/items", "append")
def create_items(
    tenant: TheTenant, thread_id: str, limits: TheLimits, body: Body, origin: TheOrigin
) -> Response:
    """Append items to a thread that is there, and return them as they are shown."""
    fields = fields_in(body, limits, "items")
    drafts = _drafts(fields.get("items"), limits)
    tenant.threads.head(thread_id)
    tenant.threads.writer.append(tenant.threads.request(thread_id, drafts, origin=origin))
    events = [sample_event(draft, n) for n, draft in enumerate(drafts, 1)]
    items = [placed.item for placed in render(VIEW, events).items]
    return json_answer(listed(items, has_more=False))


@router.add("GET /conversations/{thread_id}/items", "read")
def list_items(  # noqa: PLR0913, PLR0917 - one parameter a choice
    tenant: TheTenant,
    thread_id: str,
    at: At,
    after: After = None,
    limit: Limit = 20,
    order: Order = "desc",
) -> Response:
    """List a thread's items."""
    items = items_of(tenant, thread_id, at)
    return json_answer(page_of(items, after=after, limit=limit, order=order))


@router.add("GET /conversations/{thread_id}/items/{item_id}", "read")
def retrieve_item(tenant: TheTenant, thread_id: str, item_id: str, at: At) -> Response:
    """Return an item."""
    return json_answer(item_of(tenant, thread_id, item_id, at))


@router.add("DELETE /conversations/{thread_id}/items/{item_id}", "append", reads=True)
def delete_item(tenant: TheTenant, thread_id: str, item_id: str, origin: TheOrigin) -> Response:
    """Delete an item of a session; the log keeps it."""
    item_of(tenant, thread_id, item_id, None)
    deletion: Item = {"type": ITEM_DELETED, "payload": {"item_id": item_id}}
    append_deletion(tenant, thread_id, deletion, origin)
    return _shown(tenant, thread_id)


def _drafts(items: JsonValue, limits: RequestLimits) -> list[Draft]:
    """Return the messages of items in a body, each with an id of its own.

    An item may be appended again that was deleted: its id does not make its message's.
    """
    if not isinstance(items, list | None):
        raise InvalidMessage.at("items", "not an array")
    key = str(ULID())
    batch = limits.batch(items or [])
    return read_appended("responses", batch, key=key, new_id=lambda: str(ULID()), within="items")


def _shown(tenant: Tenant, thread_id: str, at: Moment | None = None) -> Response:
    started = tenant.threads.head(thread_id).started_at
    conversation: dict[str, Any] = {
        "id": thread_id,
        "object": "conversation",
        "created_at": 0 if started is None else int(started.timestamp()),
        "metadata": texts_of(metadata_of(tenant, thread_id, at)),
    }
    return json_answer(conversation)
