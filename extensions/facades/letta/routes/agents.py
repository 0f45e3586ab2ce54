"""Routes of agents: threads, their memory, and files of them."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Annotated

from fastapi import Query, Request, Response

from agentlog.api.http.codec.bodies import Body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, TheTenant, tenant_of
from agentlog.api.http.codec.multipart import parts_in
from agentlog.api.http.codec.parameters import At, without_nul
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.request.limits import TooManyMessages
from agentlog.api.http.routing import Router, naming
from agentlog.domain.drafts import Origin
from agentlog.domain.errors import AgentlogError, InvalidInput, InvalidMessage, UnknownThread
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue, array_of, object_of, objects_of
from agentlog.extensions.facades.letta.agents import agent_json, blocks_of
from agentlog.extensions.facades.letta.paging import Order
from agentlog.extensions.facades.letta.reading import items_of, recent_heads
from agentlog.extensions.facades.letta.routes import PREFIX, THREADS
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.tenants import Tenant
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.registry import choose_format
from agentlog.projections.view import Item

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
            named = [] if text is None else _named(tenant, text)
            which = ThreadFilter(text=text)
            heads = recent_heads(
                tenant, which, after=after, before=before, order=order, limit=limit
            )
            own = {head.thread_id for head in named}
            heads = [*([] if after else named), *(h for h in heads if h.thread_id not in own)]
    return json_answer([agent_json(tenant, head, at=at) for head in heads])


def _named(tenant: Tenant, name: str) -> list[Head]:
    try:
        return [tenant.threads.head(name)]
    except (UnknownThread, InvalidInput):
        which = ThreadFilter(metadata={"agent": name})
        return tenant.threads.heads(which, before=None, limit=100)


@router.add("GET /agents/{thread_id}", "read")
def read_agent(tenant: TheTenant, thread_id: str, at: At) -> Response:
    """Return an agent."""
    return json_answer(agent_json(tenant, tenant.threads.head(thread_id), at=at))


@router.add("GET /agents/{thread_id}/core-memory/blocks", "read")
def list_blocks(tenant: TheTenant, thread_id: str, at: At, after: str | None = None) -> Response:
    """Return the memory of an agent, all of it at once."""
    agent = agent_json(tenant, tenant.threads.head(thread_id), at=at)
    return json_answer([] if after is not None else array_of(agent["blocks"]))


@router.add("GET /blocks/", "read")
def list_all_blocks(
    tenant: TheTenant,
    after: str | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> Response:
    """List the memory of the agents last at work, all of it at once."""
    heads = tenant.threads.heads(ThreadFilter(), before=None, limit=0 if after else limit)
    blocks = [
        block
        for head in heads
        for block in blocks_of(
            head.thread_id, tenant.threads.messages(head.thread_id, types=["scratchpad"])
        )
    ]
    return json_answer(blocks)


@router.add("GET /agents/{thread_id}/export", "read")
def export_agent(tenant: TheTenant, thread_id: str, at: At) -> Response:
    """Return an agent as a file (`.af`)."""
    agent = agent_json(tenant, tenant.threads.head(thread_id), at=at)
    return json_answer(file_of(agent, [*items_of(tenant, thread_id, at=at)()]))


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


_AGENT = "agent-0"
_MORE = ("groups", "files", "sources", "tools", "mcp_servers", "skills")


def file_of(agent: Item, items: Sequence[Item]) -> Item:
    """Return an agent with its messages as a file; each item is a message of it."""
    messages: list[JsonValue] = [
        {**message, "id": f"message-{n}", "agent_id": _AGENT, "created_at": item["date"]}
        for n, (item, message) in enumerate((item, _message(item)) for item in items)
    ]
    blocks = [{**block, "id": f"block-{n}"} for n, block in enumerate(objects_of(agent["blocks"]))]
    kept = ("name", "description", "agent_type", "system", "llm_config", "tags", "metadata")
    of_agent: Item = {
        "id": _AGENT,
        **{key: agent[key] for key in kept},
        "messages": messages,
        "in_context_message_ids": [f"message-{n}" for n in range(len(messages))],
        "block_ids": [block["id"] for block in blocks],
        "tool_ids": [],
    }
    return {
        "agents": [of_agent],
        "blocks": [*blocks],
        **{key: [] for key in _MORE},
        "metadata": {"source": "agentlog"},
        "created_at": agent["updated_at"],
    }


def _message(item: Item) -> Item:
    match item:
        case {"message_type": "system_message", "content": content}:
            return {"role": "system", "content": _parts(content)}
        case {"message_type": "user_message", "content": content}:
            return {"role": "user", "content": _parts(content)}
        case {"message_type": "assistant_message", "content": content}:
            return {"role": "assistant", "content": _parts(content)}
        case {"message_type": "reasoning_message", "reasoning": thought}:
            return {"role": "assistant", "content": [{"type": "reasoning", "reasoning": thought}]}
        case {"message_type": "tool_call_message"}:
            return {"role": "assistant", "tool_calls": _calls(item)}
        case {"message_type": "approval_request_message"}:
            return {"role": "approval", "tool_calls": _calls(item)}
        case {"message_type": "approval_response_message"}:
            return {"role": "approval", "approvals": item.get("approvals")}
        case {"message_type": "tool_return_message", "tool_call_id": call_id}:
            return {"role": "tool", "tool_call_id": call_id, "tool_returns": [*_returns(item)]}
        case _:
            return {"role": "summary", "content": [object_of(item)]}


def _parts(content: JsonValue) -> JsonValue:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _calls(item: Item) -> list[JsonValue]:
    return [
        {
            "id": call["tool_call_id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": call["arguments"]},
        }
        for call in objects_of(item.get("tool_calls") or [item.get("tool_call")])
    ]


def _returns(item: Item) -> Iterator[Item]:
    for returned in objects_of(item.get("tool_returns") or [item]):
        yield {
            "tool_call_id": returned["tool_call_id"],
            "status": returned["status"],
            "func_response": returned["tool_return"],
        }


def take_file(threads: Threads, document: JsonValue, body: bytes, origin: Origin) -> list[str]:
    """Append each agent of a file as a thread; return their ids, the same for the same file.

    Raises:
        InvalidMessage: it is no file of agents.
        UnknownFormat: no extension is installed that reads such files.
    """
    agent_file = choose_format("letta-agent")
    if not agent_file.is_document(document):
        raise InvalidMessage.at("file", "no agent file of Letta (.af)")
    name = sha256(body).hexdigest()[:32]
    requests = []
    for n, history in enumerate(agent_file.read(document)):
        thread_id = f"agent-{name}" if n == 0 else f"agent-{name}-{n}"
        drafts: list[JsonValue] = [
            {"id": derived_message_id(thread_id, place), **draft}
            for place, draft in enumerate(history.drafts)
        ]
        metadata: Item = {**history.metadata, "source": agent_file.name}
        started: Item = {"type": "thread.started", "policy": "record", "metadata": metadata}
        requests.append(threads.request(thread_id, drafts, facts=[started], origin=origin))
    for outcome in threads.append_many(requests):
        if isinstance(outcome, AgentlogError):
            raise outcome
    return [request.thread_id for request in requests]
