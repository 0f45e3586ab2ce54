"""Routes of Letta that need an agent at work, or change one: the log records, it runs nothing."""

from fastapi import Request, Response

from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.routing import Router
from agentlog.extensions.facades.errors import RunsNoAgent
from agentlog.extensions.facades.letta.routes import PREFIX

router = Router(prefix=PREFIX, in_document=False)

_UNSERVED = (
    "POST /agents/",
    "PATCH /agents/{thread_id}",
    "DELETE /agents/{thread_id}",
    "POST /agents/{thread_id}/messages/stream",
    "POST /agents/{thread_id}/messages/async",
    "POST /agents/{thread_id}/messages/cancel",
    "POST /agents/{thread_id}/summarize",
    "PATCH /agents/{thread_id}/reset-messages",
    "POST /conversations/",
    "PATCH /conversations/{thread_id}",
    "DELETE /conversations/{thread_id}",
    "POST /conversations/{thread_id}/messages",
    "POST /conversations/{thread_id}/compact",
    "POST /conversations/{thread_id}/cancel",
    "POST /conversations/{thread_id}/fork",
)


async def refuse() -> Response:
    """Refuse what needs an agent at work."""
    raise RunsNoAgent


for _name in _UNSERVED:
    router.add(_name, "any key")(refuse)


_EMPTY = (
    "GET /agents/{thread_id}/archival-memory",
    "GET /agents/{thread_id}/folders",
    "GET /agents/{thread_id}/tools",
    "GET /archives/",
    "GET /folders/",
    "GET /mcp-servers/",
    "GET /models/",
    "GET /models/embedding",
    "GET /tags/",
    "GET /tools/",
)
"""What no thread has: panels of a user interface that ask for it stay empty."""


async def list_none() -> Response:
    """List what there is none of."""
    return json_answer([])


for _name in _EMPTY:
    router.add(_name, "any key")(list_none)


@router.add("GET /agents/{thread_id}/files", "any key")
async def list_no_files() -> Response:
    """List the files of an agent: there are none."""
    return json_answer({"files": [], "next_cursor": None, "has_more": False})


@router.add("GET /health/", "any key")
async def read_health(request: Request) -> Response:
    """Return that the service answers."""
    return json_answer({"version": request.app.version, "status": "ok"})
