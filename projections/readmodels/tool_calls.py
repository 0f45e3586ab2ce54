"""Read model of tool calls: one row per call, with times and outcome."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.messages import ToolCallsMessage, ToolResultsMessage
from agentlog.projections.call_texts import arguments_text, arguments_value
from agentlog.projections.outcomes.pairs import Answer, Ask, CallOutcome
from agentlog.projections.readmodels.model import ThreadRows
from agentlog.projections.readmodels.pair_table import AnsweredSentAt, PairRow, PairTable, measured
from agentlog.projections.readmodels.table import RecordedAt, table_of
from agentlog.projections.shell_command import shell_command
from agentlog.projections.values import held, time_of


@dataclass(slots=True)
class ToolCallRow(PairRow):
    """A call, or a result without a call."""

    version: Annotated[int, "of the message that asked; of the result, where none asked"]
    ordinal: Annotated[int, "which call of that message, from 0"]
    position: Annotated[int, "of that message in the log"]
    call_id: Annotated[str | None, "as the model named it; may come again in a thread"]
    tool: Annotated[str, "name of the tool; unknown where no message names it"]
    command: Annotated[
        str | None, "first word of a shell's command; null where no argument holds one"
    ] = None
    arguments: Annotated[
        str | None, "what it was called with, as JSON; texts in it up to 1 MiB each"
    ] = None
    response_id: Annotated[str | None, "the model response that it came out of"] = None
    recorded_at: RecordedAt = None
    called_at: Annotated[datetime | None, "the same where a call asked, null where none did"] = None
    called_sent_at: Annotated[datetime | None, "when it was made, by the producer's clock"] = None
    answered_version: Annotated[int | None, "of the message that answered; null while open"] = None
    answered_position: Annotated[int | None, "of that message in the log"] = None
    answered_at: Annotated[datetime | None, "when the log took the answer"] = None
    answered_sent_at: AnsweredSentAt = None
    latency_ms: Annotated[float | None, "from call to answer, by the producer's clock"] = None
    outcome: Annotated[
        CallOutcome | None,
        "succeeded or failed; told, where no field states it but its words or an object's fields "
        "tell of a failure; unstated, where the result does not say; null while open",
    ] = None
    error_class: Annotated[
        str | None, "the error's name, or its message without its particulars"
    ] = None
    error_message: Annotated[str | None, "the beginning of what the error said"] = None
    suspected: Annotated[
        str | None, "rules of suspicion that the result meets, blanks between; null where none"
    ] = None


class ToolCalls(PairTable[ToolCallRow]):
    """Calls in order, matched with their results."""

    version = 8
    kind = "call"
    table = table_of(
        ToolCallRow,
        name="tool_calls",
        comment="One row a tool call, and a tool result that no call asked for.",
        key=("tenant", "thread_id", "version", "ordinal"),
        day="recorded_at",
        indexes=(("tenant", "recorded_at"), ("tenant", "tool", "recorded_at")),
    )
    types: ClassVar[frozenset[str] | None] = frozenset({"tool_calls", "tool_results"})
    recalls: ClassVar[frozenset[str] | None] = frozenset({"tool_results"})
    long_text_bytes: ClassVar[int] = 2**20

    @override
    def row(
        self, event: Event, rows: ThreadRows[ToolCallRow], ordinal: int, named: Ask | Answer
    ) -> ToolCallRow:
        return rows.open_row(
            event,
            ToolCallRow,
            ordinal=ordinal,
            call_id=named.id,
            tool=named.name or "unknown",
            response_id=event.response_id,
        )

    @override
    def ask_of(self, row: ToolCallRow) -> Ask:
        return Ask(self.kind, row.call_id, row.tool)

    @override
    def ask(self, row: ToolCallRow, event: Event, ordinal: int) -> None:
        message = event.message
        if isinstance(message, ToolCallsMessage):
            call = message.calls[ordinal]
            row.command = held(shell_command(arguments_value(call)))
            row.arguments = held(arguments_text(call))
            row.called_at, row.called_sent_at = event.recorded_at, time_of(message.timestamp)

    @override
    def answer(self, row: ToolCallRow, event: Event, answer: Answer, ordinal: int) -> None:
        message = event.message
        if isinstance(message, ToolResultsMessage):
            row.latency_ms = measured(row.called_sent_at, message.timestamp)
            row.error_class, row.error_message = answer.error_class, answer.error_message
            row.suspected = " ".join(answer.rules) or None
