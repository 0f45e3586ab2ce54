"""Routes of Letta that need an agent at work, or change one: the log records, it runs nothing."""

from fastapi import APIRouter, Request, Response

from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.facades.letta.routes import PREFIX
from agentlog.api.http.request.errors import RunsNoAgent

router = APIRouter(prefix=PREFIX)

_UNSERVED = (
    ("POST", "/agents/"),
    ("PATCH", "/agents/{thread_id}"),
    ("DELETE", "/agents/{thread_id}"),
    ("POST", "/agents/{thread_id}/messages/stream"),
    ("POST", "/agents/{thread_id}/messages/async"),
    ("POST", "/agents/{thread_id}/messages/cancel"),
    ("POST", "/agents/{thread_id}/summarize"),
    ("PATCH", "/agents/{thread_id}/reset-messages"),
    ("POST", "/conversations/"),
    ("PATCH", "/conversations/{thread_id}"),
    ("DELETE", "/conversations/{thread_id}"),
    ("POST", "/conversations/{thread_id}/messages"),
    ("POST", "/conversations/{thread_id}/compact"),
    ("POST", "/conversations/{thread_id}/cancel"),
    ("POST", "/conversations/{thread_id}/fork"),
)


async def refuse() -> Response:
    """Refuse what needs an agent at work."""
    raise RunsNoAgent


for _method, _path in _UNSERVED:
    router.add_api_route(_path, refuse, methods=[_method])


@router.get("/health/")
async def read_health(request: Request) -> Response:
    """Return that the service answers."""
    return json_answer({"version": request.app.version, "status": "ok"})
