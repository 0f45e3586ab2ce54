"""Routes of Letta that need an agent at work, or change one: the log records, it runs nothing."""

from fastapi import APIRouter, Request, Response

from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.facades.letta.routes import PREFIX
from agentlog.api.http.request.errors import RunsNoAgent

router = APIRouter(prefix=PREFIX)

_UNSERVED = (
    ("POST", "/agents/"),
    ("PATCH", "/agents/{agent_id}"),
    ("DELETE", "/agents/{agent_id}"),
    ("POST", "/agents/{agent_id}/messages/stream"),
    ("POST", "/agents/{agent_id}/messages/async"),
    ("POST", "/agents/{agent_id}/messages/cancel"),
    ("POST", "/agents/{agent_id}/summarize"),
    ("PATCH", "/agents/{agent_id}/reset-messages"),
    ("POST", "/conversations/"),
    ("PATCH", "/conversations/{conversation_id}"),
    ("DELETE", "/conversations/{conversation_id}"),
    ("POST", "/conversations/{conversation_id}/messages"),
    ("POST", "/conversations/{conversation_id}/compact"),
    ("POST", "/conversations/{conversation_id}/cancel"),
    ("POST", "/conversations/{conversation_id}/fork"),
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
