"""Read model of approvals: one row per request, with its response."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Literal

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.messages import ApprovalRequestMessage, ApprovalResponseMessage
from agentlog.projections.readmodels.model import ReadModel, ThreadRows
from agentlog.projections.readmodels.table import Row, table_of
from agentlog.projections.values import elapsed_ms, held, shown, text_in, time_of


@dataclass(slots=True)
class ApprovalRow(Row):
    """A request for approval of a call, or a response without a request."""

    version: Annotated[int, "of the message that asked; of the response, where none asked"]
    position: Annotated[int, "of that message in the log"]
    call_id: Annotated[str, "the call that is to be approved; may come again in a thread"]
    tool: Annotated[str | None, "name of the tool; null without a request"]
    reason: Annotated[str | None, "why a person is asked, as far as it begins"]
    recorded_at: Annotated[datetime | None, "when the log took that message, by its own clock"]
    asked_at: Annotated[datetime | None, "the same where it asked, null where none did"]
    asked_sent_at: Annotated[datetime | None, "when it asked, by the producer's clock"]
    answered_version: Annotated[int | None, "of the message that answered; null while open"]
    answered_position: Annotated[int | None, "of that message in the log"]
    answered_at: Annotated[datetime | None, "when the log took the answer"]
    waiting_ms: Annotated[float | None, "from question to answer, by the producer's clock"]
    outcome: Annotated[Literal["granted", "denied"] | None, "granted or denied; null while open"]
    answer_reason: Annotated[str | None, "why, as far as it begins, where they said"]
    answered_by: Annotated[str | None, "the actor of the answer, where the producer said"]


class Approvals(ReadModel[ApprovalRow]):
    """Requests in the order in which they were made, each matched with the first response to it."""

    table = table_of(
        ApprovalRow,
        name="approvals",
        comment="One row an approval that was asked for, and a response without a request.",
        key=("tenant", "thread_id", "version"),
        day="recorded_at",
        indexes=(("tenant", "recorded_at"),),
    )
    types: ClassVar[frozenset[str] | None] = frozenset({"approval_request", "approval_response"})
    recalls: ClassVar[frozenset[str] | None] = frozenset({"approval_response"})

    @override
    def fold(self, event: Event, rows: ThreadRows[ApprovalRow]) -> None:
        match event.message:
            case ApprovalRequestMessage() as message:
                row = _row(event, rows, message.call_id)
                row.tool, row.reason = held(message.tool), shown(message.reason)
                row.asked_at, row.asked_sent_at = event.recorded_at, time_of(message.timestamp)
                rows.add(row)
            case ApprovalResponseMessage() as message:
                call_id = held(message.call_id)
                asked = next((row for row in rows.open if row.call_id == call_id), None)
                row = _row(event, rows, message.call_id) if asked is None else asked
                _answer(row, event, message)
                if asked is None:
                    rows.add(row)
                else:
                    rows.change(row)
            case _:
                pass


def _row(event: Event, rows: ThreadRows[ApprovalRow], call_id: str) -> ApprovalRow:
    return ApprovalRow(
        tenant=rows.tenant,
        thread_id=rows.thread_id,
        is_open=True,
        version=event.version,
        position=event.position or 0,
        call_id=held(call_id),
        tool=None,
        reason=None,
        recorded_at=event.recorded_at,
        asked_at=None,
        asked_sent_at=None,
        answered_version=None,
        answered_position=None,
        answered_at=None,
        waiting_ms=None,
        outcome=None,
        answer_reason=None,
        answered_by=None,
    )


def _answer(row: ApprovalRow, event: Event, message: ApprovalResponseMessage) -> None:
    row.is_open = False
    row.answered_version = event.version
    row.answered_position = event.position
    row.answered_at = event.recorded_at
    row.waiting_ms = elapsed_ms(
        (row.asked_sent_at, row.asked_at), (time_of(message.timestamp), event.recorded_at)
    )
    row.outcome = "granted" if message.approved else "denied"
    row.answer_reason = shown(message.reason)
    row.answered_by = text_in(event.metadata, "actor")
