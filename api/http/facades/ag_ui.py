"""AG-UI: a thread as a run that shows it, for the clients of that protocol."""

from fastapi import APIRouter, Request, Response

from agentlog.api.http.codec.bodies import Body
from agentlog.api.http.codec.caller import TheLimits, tenant_of
from agentlog.api.http.codec.parameters import At
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.views.results import Page, State
from agentlog.projections.view import Item
from agentlog.projections.views.ag_ui import AgUiView
from agentlog.projections.views.agent_state import AgentStateOptions, AgentStateView

router = APIRouter()

_MESSAGES = AgUiView()
_STATE = AgentStateView(AgentStateOptions(history=False))


@router.post("/agui/{thread_id}")
def show(request: Request, thread_id: str, limits: TheLimits, body: Body, at: At) -> Response:
    """Return a run that shows a thread: its messages, and its state."""
    asked = limits.json_in(body) if body.strip() else {}
    if not isinstance(asked, dict):
        raise InvalidMessage.at("", "send a JSON object")
    views = tenant_of(request).views
    page = views.view(thread_id, _MESSAGES, at=at)
    state = views.view(thread_id, _STATE, at=at)
    messages: list[JsonValue] = [
        printed.item for printed in (page.items if isinstance(page, Page) else ())
    ]
    run_id = asked.get("runId")
    run: Item = {
        "threadId": thread_id,
        "runId": run_id if isinstance(run_id, str) else f"{thread_id}~{page.version}",
    }
    events: list[Item] = [
        {"type": "RUN_STARTED", **run},
        {"type": "MESSAGES_SNAPSHOT", "messages": messages},
        {"type": "STATE_SNAPSHOT", "snapshot": state.state if isinstance(state, State) else {}},
        {"type": "RUN_FINISHED", **run},
    ]
    frames = [b"data: %b\n\n" % print_bytes(event) for event in events]
    return Response(b"".join(frames), media_type="text/event-stream")
