"""The one route of AG-UI: a run that shows a thread, and takes what a person answers."""

from fastapi import Request, Response

from agentlog.api.http.codec.bodies import Body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, principal_of, tenant_of
from agentlog.api.http.codec.parameters import At
from agentlog.api.http.routing import Router
from agentlog.domain.access import NotAllowed
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, objects_of
from agentlog.domain.points_in_time import AtVersion
from agentlog.extensions.facades.ag_ui.answers import take_answers, waiting
from agentlog.extensions.facades.ag_ui.view import AgUiView
from agentlog.infrastructure.views.results import Page, State
from agentlog.projections.view import Item
from agentlog.projections.views.agent_state import AgentStateOptions, AgentStateView

router = Router(in_document=False)

_MESSAGES = AgUiView()
_STATE = AgentStateView(AgentStateOptions(history=False))


@router.add("POST /agui/{thread_id}", "read")
def show(  # noqa: PLR0913, PLR0917 - what a run comes with
    request: Request, thread_id: str, limits: TheLimits, body: Body, at: At, origin: TheOrigin
) -> Response:
    """Return a run that shows a thread: its messages, its state, and the approvals that wait.

    Answers to these, in `resume`, are appended first; that takes the scope `append`.
    """
    asked = limits.json_in(body) if body.strip() else {}
    if not isinstance(asked, dict):
        raise InvalidMessage.at("", "send a JSON object")
    tenant, entries = tenant_of(request), objects_of(asked.get("resume"))
    if entries:
        if at is not None:
            raise InvalidMessage.at("resume", "leave `at` out: what waits now can be answered")
        if not principal_of(request).may("append"):
            raise NotAllowed("append")
        take_answers(tenant.threads, thread_id, entries, origin)
    page = tenant.views.view(thread_id, _MESSAGES, at=at)
    then = AtVersion(page.version)
    state = tenant.views.view(thread_id, _STATE, at=then)
    messages: list[JsonValue] = [
        printed.item for printed in (page.items if isinstance(page, Page) else ())
    ]
    given_up = [entry.get("interruptId") for entry in entries if entry.get("status") == "cancelled"]
    interrupts: list[JsonValue] = [
        asked for asked in waiting(tenant.threads, thread_id, then) if asked["id"] not in given_up
    ]
    run_id = asked.get("runId")
    run: Item = {
        "threadId": thread_id,
        "runId": run_id if isinstance(run_id, str) else f"{thread_id}~{page.version}",
    }
    outcome: Item = {"type": "interrupt", "interrupts": interrupts}
    events: list[Item] = [
        {"type": "RUN_STARTED", **run},
        {"type": "MESSAGES_SNAPSHOT", "messages": messages},
        {"type": "STATE_SNAPSHOT", "snapshot": state.state if isinstance(state, State) else {}},
        {"type": "RUN_FINISHED", **run, **({"outcome": outcome} if interrupts else {})},
    ]
    frames = [b"data: %b\n\n" % print_bytes(event) for event in events]
    return Response(b"".join(frames), media_type="text/event-stream")
