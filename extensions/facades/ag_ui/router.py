"""The one route of AG-UI: a run that shows a thread, its interrupts, and what a person answers."""

from collections.abc import Sequence

from fastapi import Request, Response

from agentlog.api.http.codec.bodies import Body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, principal_of, tenant_of
from agentlog.api.http.codec.parameters import At
from agentlog.api.http.routing import Router
from agentlog.domain.access import NotAllowed
from agentlog.domain.drafts import Origin
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, object_at, objects_of, text_at
from agentlog.domain.points_in_time import AtVersion, Moment
from agentlog.extensions.facades.ag_ui.view import INTERRUPTING, AgUiView, interrupts
from agentlog.infrastructure.threads import Threads
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


def waiting(threads: Threads, thread_id: str, at: Moment | None = None) -> list[Item]:
    """Return the interrupts of a thread at a moment."""
    return interrupts(threads.messages(thread_id, at=at, types=INTERRUPTING))


def take_answers(
    threads: Threads, thread_id: str, entries: Sequence[JsonObject], origin: Origin
) -> None:
    """Append the answers to approvals that wait; other entries answer nothing.

    Raises:
        InvalidMessage: an answer is not of the shape that was asked for.
    """
    calls = {text_at(asked, "id"): asked["toolCallId"] for asked in waiting(threads, thread_id)}
    drafts: list[JsonValue] = []
    for n, entry in enumerate(entries):
        interrupt_id = text_at(entry, "interruptId")
        if interrupt_id is None or interrupt_id not in calls or entry.get("status") != "resolved":
            continue
        payload = object_at(entry, "payload")
        if not isinstance(payload.get("approved"), bool):
            raise InvalidMessage.at(f"resume[{n}].payload.approved", "send true or false")
        drafts.append(
            {
                "type": "approval_response",
                "id": derived_message_id("ag-ui", thread_id, interrupt_id),
                "callId": calls[interrupt_id],
                "approved": payload["approved"],
                "reason": text_at(payload, "reason"),
            }
        )
    if drafts:
        threads.writer.append(threads.request(thread_id, drafts, origin=origin))
