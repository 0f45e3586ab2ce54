"""Routes of messages: those of agents and of their conversations, which are the same."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Query, Response

from agentlog.api.http.codec.bodies import Body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, TheTenant
from agentlog.api.http.codec.parameters import At, without_nul
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.routing import Router
from agentlog.domain.drafts import Origin
from agentlog.domain.errors import InvalidMessage, UnknownMessage, UnknownThread
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue, object_of, text_at
from agentlog.extensions.facades.errors import RunsNoAgent
from agentlog.extensions.facades.letta.agents import conversation_json
from agentlog.extensions.facades.letta.paging import Newest, Order
from agentlog.extensions.facades.letta.reading import items_of, recent_heads
from agentlog.extensions.facades.letta.routes import PREFIX, THREADS
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.wires.letta_parts import input_draft, parts_text
from agentlog.projections.residue import METADATA_KEY
from agentlog.projections.view import Item
from agentlog.projections.views.letta.view import LettaView

router = Router(prefix=PREFIX, in_document=False, threads=THREADS)

_DEFAULT = "default"
"""What Letta calls the one conversation of an agent."""

Types = Annotated[list[str] | None, Query(alias="include_return_message_types")]


@router.add("GET /agents/{thread_id}/messages", "read")
def list_messages(  # noqa: PLR0913, PLR0917 - one parameter a choice
    tenant: TheTenant,
    thread_id: str,
    paging: Newest,
    at: At,
    types: Types = None,
    conversation_id: str | None = None,
) -> Response:
    """List the messages of an agent."""
    if conversation_id not in {None, _DEFAULT, thread_id}:
        raise UnknownThread(str(conversation_id))
    return json_answer(paging.read(items_of(tenant, thread_id, at=at, types=types)))


@router.add("POST /agents/{thread_id}/messages", "append")
def record_messages(
    tenant: TheTenant, thread_id: str, body: Body, limits: TheLimits, origin: TheOrigin
) -> Response:
    """Record what is sent to an agent; nothing answers."""
    fields = object_of(limits.json_in(body))
    if fields.get("streaming") is True or fields.get("background") is True:
        raise RunsNoAgent
    take_messages(tenant.threads, thread_id, fields, origin)
    return json_answer(ANSWER)


@router.add("GET /conversations/", "read")
def list_conversations(  # noqa: PLR0913, PLR0917 - one parameter a choice
    tenant: TheTenant,
    agent_id: str | None = None,
    after: str | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 10,
    order: Order = "desc",
    summary_search: str | None = None,
) -> Response:
    """List conversations: the one of an agent, or those last at work."""
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
def read_conversation(tenant: TheTenant, thread_id: str) -> Response:
    """Return a conversation."""
    return json_answer(conversation_json(tenant.threads.head(thread_id)))


@router.add("GET /conversations/{thread_id}/messages", "read")
def list_conversation(  # noqa: PLR0913, PLR0917 - one parameter a choice
    tenant: TheTenant,
    thread_id: str,
    paging: Newest,
    at: At,
    types: Types = None,
    agent_id: str | None = None,
) -> Response:
    """List the messages of a conversation; `default` is that of the agent that is named."""
    own_id = agent_id if thread_id == _DEFAULT and agent_id else thread_id
    return json_answer(paging.read(items_of(tenant, own_id, at=at, types=types)))


@router.add("GET /messages/{message_id}", "read")
def read_message(
    tenant: TheTenant, message_id: str, at: At, agent_id: str | None = None
) -> Response:
    """Return the items of a message; an id is unique in its agent alone, which must be named."""
    if agent_id is None:
        raise InvalidMessage.at("agent_id", "name the agent in the query, as an extra parameter")
    items = items_of(tenant, agent_id, at=at)
    own = [item for item in items() if item["id"] == message_id]
    if not own:
        raise UnknownMessage(agent_id, message_id)
    return json_answer(own)


_KEPT = ("name", "otid", "sender_id")
"""Fields of a message that its item has again."""

ANSWER: Item = {
    "messages": [],
    "stop_reason": {"message_type": "stop_reason", "stop_reason": "end_turn"},
    "usage": {"message_type": "usage_statistics", "step_count": 0},
}
"""What is answered: nothing was run."""


def take_messages(threads: Threads, agent_id: str, fields: Item, origin: Origin) -> None:
    """Append what a client sends; an `otid` sent again is kept once.

    Raises:
        UnknownThread: there is no such agent.
        InvalidMessage: a message is none of a person's or program's.
    """
    threads.head(agent_id)
    drafts: list[JsonValue] = []
    for n, item in enumerate(_items(fields)):
        otid = text_at(item, "otid")
        for part, draft in enumerate(_drafts(item, f"messages[{n}]")):
            own = {} if otid is None else {"id": derived_message_id("letta", agent_id, otid, part)}
            drafts.append({**own, **draft})
    threads.writer.append(threads.request(agent_id, drafts, origin=origin))


def _items(fields: Item) -> Iterator[Item]:
    given = fields.get("messages")
    if given is None and fields.get("input") is not None:
        given = [{"role": "user", "content": fields["input"]}]
    if not isinstance(given, list) or not given:
        raise InvalidMessage.at("messages", "send messages, or input")
    for n, item in enumerate(given):
        if not isinstance(item, dict):
            raise InvalidMessage.at(f"messages[{n}]", "not an object")
        yield item


def _drafts(item: Item, place: str) -> Iterator[Draft]:
    kept: Item = {key: item[key] for key in _KEPT if isinstance(item.get(key), str)}
    residue: Item = {"metadata": {METADATA_KEY: {LettaView.name: [{"set": kept}]}}} if kept else {}
    try:
        match item:
            case {"type": "approval", "approvals": [*approvals]} if approvals:
                yield from (_approval(approval) for approval in approvals)
            case {"role": "user", "content": _}:
                yield {**input_draft(item), **residue}
            case {"role": "system", "content": _}:
                yield {"type": "system", "text": parts_text(item, "content"), **residue}
            case {"role": "assistant", "content": _}:
                yield {"type": "reply", "text": parts_text(item, "content"), **residue}
            case _:
                way = "send role user, system or assistant with a content, or approvals"
                raise InvalidMessage.at("", way)
    except InvalidMessage as error:
        raise error.within(place) from error


def _approval(approval: JsonValue) -> Draft:
    match approval:
        case {"tool_call_id": str(call_id), "approve": bool(approved), **more}:
            draft: Draft = {"type": "approval_response", "callId": call_id, "approved": approved}
            reason = more.get("reason")
            return {**draft, "reason": reason} if isinstance(reason, str) else draft
        case _:
            raise InvalidMessage.at("approvals", "each needs tool_call_id and approve")
