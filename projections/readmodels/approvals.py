"""Read model of approvals: one row per request, with its response."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Literal

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.messages import ApprovalRequestMessage, ApprovalResponseMessage
from agentlog.projections.outcomes.pairs import Answer, Ask
from agentlog.projections.readmodels.model import ThreadRows
from agentlog.projections.readmodels.pair_table import AnsweredSentAt, PairRow, PairTable, measured
from agentlog.projections.readmodels.table import RecordedAt, table_of
from agentlog.projections.values import shown, text_in, time_of


@dataclass(slots=True)
class ApprovalRow(PairRow):
    """A request for approval of a call, or a response without a request."""

    version: Annotated[int, "of the message that asked; of the response, where none asked"]
    position: Annotated[int, "of that message in the log"]
    call_id: Annotated[str, "the call that is to be approved; may come again in a thread"]
    tool: Annotated[str | None, "name of the tool; null without a request"] = None
    reason: Annotated[str | None, "why a person is asked, as far as it begins"] = None
    recorded_at: RecordedAt = None
    asked_at: Annotated[datetime | None, "the same where it asked, null where none did"] = None
    asked_sent_at: Annotated[datetime | None, "when it asked, by the producer's clock"] = None
    answered_version: Annotated[int | None, "of the message that answered; null while open"] = None
    answered_position: Annotated[int | None, "of that message in the log"] = None
    answered_at: Annotated[datetime | None, "when the log took the answer"] = None
    answered_sent_at: AnsweredSentAt = None
    waiting_ms: Annotated[float | None, "from question to answer, by the producer's clock"] = None
    outcome: Annotated[
        Literal["granted", "denied"] | None, "granted or denied; null while open"
    ] = None
    answer_reason: Annotated[str | None, "why, as far as it begins, where they said"] = None
    answered_by: Annotated[str | None, "the actor of the answer, where the producer said"] = None


class Approvals(PairTable[ApprovalRow]):
    """Requests in the order in which they were made, each matched with the first response to it."""

    version = 4
    kind = "approval"
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
    def row(
        self, event: Event, rows: ThreadRows[ApprovalRow], ordinal: int, named: Ask | Answer
    ) -> ApprovalRow:
        return rows.open_row(event, ApprovalRow, call_id=named.id or "", tool=named.name)

    @override
    def ask_of(self, row: ApprovalRow) -> Ask:
        return Ask(self.kind, row.call_id, row.tool)

    @override
    def ask(self, row: ApprovalRow, event: Event, ordinal: int) -> None:
        message = event.message
        if isinstance(message, ApprovalRequestMessage):
            row.reason = shown(message.reason)
            row.asked_at, row.asked_sent_at = event.recorded_at, time_of(message.timestamp)

    @override
    def answer(self, row: ApprovalRow, event: Event, answer: Answer, ordinal: int) -> None:
        message = event.message
        if isinstance(message, ApprovalResponseMessage):
            row.waiting_ms = measured(row.asked_sent_at, message.timestamp)
            row.answer_reason = shown(message.reason)
            row.answered_by = text_in(event.metadata, "actor")
