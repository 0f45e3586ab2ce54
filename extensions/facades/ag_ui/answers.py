"""Interrupts of AG-UI: the approvals that wait in a thread, and what clients answer.

https://docs.ag-ui.com/spec/1.0/basic/patterns/interrupt-resume
"""

from collections.abc import Sequence

from agentlog.domain.drafts import Origin
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonObject, JsonValue, object_at, text_at
from agentlog.domain.points_in_time import Moment
from agentlog.extensions.facades.ag_ui.view import INTERRUPTING, interrupts
from agentlog.infrastructure.threads import Threads
from agentlog.projections.view import Item


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
