"""Routes of messages: those of agents and of their conversations, which are the same."""

from typing import Annotated

from fastapi import Query, Request, Response

from agentlog.api.http.codec.bodies import Body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, tenant_of
from agentlog.api.http.codec.parameters import At, without_nul
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.routing import Router
from agentlog.domain.errors import InvalidMessage, UnknownMessage, UnknownThread
from agentlog.domain.json.values import object_of
from agentlog.extensions.facades.errors import RunsNoAgent
from agentlog.extensions.facades.letta.agents import conversation_json
from agentlog.extensions.facades.letta.paging import Newest, Order
from agentlog.extensions.facades.letta.reading import items_of, recent_heads
from agentlog.extensions.facades.letta.routes import PREFIX, THREADS
from agentlog.extensions.facades.letta.taken import ANSWER, take_messages
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter

router = Router(prefix=PREFIX, in_document=False, threads=THREADS)

_DEFAULT = "default"
"""What Letta calls the one conversation of an agent."""

Types = Annotated[list[str] | None, Query(alias="include_return_message_types")]


@router.add("GET /agents/{thread_id}/messages", "read")
def list_messages(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    thread_id: str,
    paging: Newest,
    at: At,
    types: Types = None,
    conversation_id: str | None = None,
) -> Response:
    """List the messages of an agent."""
    if conversation_id not in {None, _DEFAULT, thread_id}:
        raise UnknownThread(str(conversation_id))
    return json_answer(paging.page(items_of(tenant_of(request), thread_id, at=at, types=types)))


@router.add("POST /agents/{thread_id}/messages", "append")
def record_messages(
    request: Request, thread_id: str, body: Body, limits: TheLimits, origin: TheOrigin
) -> Response:
    """Record what is sent to an agent; nothing answers."""
    fields = object_of(limits.json_in(body))
    if fields.get("streaming") is True or fields.get("background") is True:
        raise RunsNoAgent
    take_messages(tenant_of(request).threads, thread_id, fields, origin)
    return json_answer(ANSWER)


@router.add("GET /conversations/", "read")
def list_conversations(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    agent_id: str | None = None,
    after: str | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 10,
    order: Order = "desc",
    summary_search: str | None = None,
) -> Response:
    """List conversations: the one of an agent, or those last at work."""
    tenant = tenant_of(request)
    if agent_id is not None:
        heads = [] if after is not None else [tenant.threads.head(agent_id)]
    else:
        heads = recent_heads(
            tenant,
            ThreadFilter(text=None if summary_search is None else without_nul(summary_search)),
            after=after,
            before=None,
            order=order,
            limit=limit,
        )
    return json_answer([conversation_json(head) for head in heads])


@router.add("GET /conversations/{thread_id}", "read")
def read_conversation(request: Request, thread_id: str) -> Response:
    """Return a conversation."""
    return json_answer(conversation_json(tenant_of(request).threads.head(thread_id)))


@router.add("GET /conversations/{thread_id}/messages", "read")
def list_conversation(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    thread_id: str,
    paging: Newest,
    at: At,
    types: Types = None,
    agent_id: str | None = None,
) -> Response:
    """List the messages of a conversation; `default` is that of the agent that is named."""
    own_id = agent_id if thread_id == _DEFAULT and agent_id else thread_id
    return json_answer(paging.page(items_of(tenant_of(request), own_id, at=at, types=types)))


@router.add("GET /messages/{message_id}", "read")
def read_message(
    request: Request, message_id: str, at: At, agent_id: str | None = None
) -> Response:
    """Return the items of a message; an id is unique in its agent alone, which must be named."""
    if agent_id is None:
        raise InvalidMessage.at("agent_id", "name the agent in the query, as an extra parameter")
    items = items_of(tenant_of(request), agent_id, at=at)
    own = [item for item in items if item["id"] == message_id]
    if not own:
        raise UnknownMessage(agent_id, message_id)
    return json_answer(own)
