"""Routes of agents: threads, their memory, and files of them."""

from typing import Annotated

from fastapi import Query, Request, Response

from agentlog.api.http.codec.bodies import Body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, tenant_of
from agentlog.api.http.codec.multipart import parts_in
from agentlog.api.http.codec.parameters import At, without_nul
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.request.limits import TooManyMessages
from agentlog.api.http.routing import Router, naming
from agentlog.domain.errors import InvalidInput, InvalidMessage, UnknownThread
from agentlog.domain.json.values import array_of
from agentlog.extensions.facades.letta.agent_file import file_of, take_file
from agentlog.extensions.facades.letta.agents import agent_json
from agentlog.extensions.facades.letta.paging import Order
from agentlog.extensions.facades.letta.reading import items_of, recent_heads
from agentlog.extensions.facades.letta.routes import PREFIX, THREADS
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.tenants import Tenant

router = Router(prefix=PREFIX, in_document=False, threads=THREADS)

_MOST_PARTS = 16

_HAVE_NONE = ("tags", "identity_id", "identifier_keys", "project_id", "template_id")
"""Filters by what no agent of ours has."""


@router.add("GET /agents/", "read", threads=naming("name"))
def list_agents(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    at: At,
    after: str | None = None,
    before: str | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    order: Order = "desc",
    name: str | None = None,
    query_text: str | None = None,
) -> Response:
    """List agents, those last at work first."""
    tenant = tenant_of(request)
    text = None if query_text is None else without_nul(query_text)
    heads: list[Head] = []
    if not any(key in request.query_params for key in _HAVE_NONE):
        if name is not None:
            heads = [] if after is not None else _named(tenant, name)
        else:
            which = ThreadFilter(text=text)
            heads = recent_heads(
                tenant, which, after=after, before=before, order=order, limit=limit
            )
    return json_answer([agent_json(tenant, head, at=at) for head in heads])


def _named(tenant: Tenant, name: str) -> list[Head]:
    try:
        return [tenant.threads.head(name)]
    except (UnknownThread, InvalidInput):
        which = ThreadFilter(metadata={"agent": name})
        return tenant.threads.heads(which, before=None, limit=100)


@router.add("GET /agents/{thread_id}", "read")
def read_agent(request: Request, thread_id: str, at: At) -> Response:
    """Return an agent."""
    tenant = tenant_of(request)
    return json_answer(agent_json(tenant, tenant.threads.head(thread_id), at=at))


@router.add("GET /agents/{thread_id}/core-memory/blocks", "read")
def list_blocks(request: Request, thread_id: str, at: At, after: str | None = None) -> Response:
    """Return the memory of an agent, all of it at once."""
    tenant = tenant_of(request)
    agent = agent_json(tenant, tenant.threads.head(thread_id), at=at)
    return json_answer([] if after is not None else array_of(agent["blocks"]))


@router.add("GET /agents/{thread_id}/export", "read")
def export_agent(request: Request, thread_id: str, at: At) -> Response:
    """Return an agent as a file (`.af`)."""
    tenant = tenant_of(request)
    agent = agent_json(tenant, tenant.threads.head(thread_id), at=at)
    return json_answer(file_of(agent, items_of(tenant, thread_id, at=at)))


@router.add("POST /agents/import", "append")
def import_agents(request: Request, body: Body, limits: TheLimits, origin: TheOrigin) -> Response:
    """Take the agents of a file as threads."""
    content_type = request.headers.get("content-type", "")
    for part in parts_in(body, content_type, _count):
        if part.name == "file":
            document = limits.json_in(part.data)
            threads = tenant_of(request).threads
            return json_answer({"agent_ids": take_file(threads, document, part.data, origin)})
    raise InvalidMessage.at("file", "send the file as the part `file`")


def _count(parts: int) -> None:
    if parts > _MOST_PARTS:
        raise TooManyMessages(_MOST_PARTS)
