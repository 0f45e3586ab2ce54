"""Read model of tool calls: one row per call, with times and outcome."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.messages import (
    ToolCall,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from agentlog.projections.call_texts import arguments_text, arguments_value
from agentlog.projections.outcomes.result_outcome import CallOutcome, result_outcome
from agentlog.projections.outcomes.suspicion import suspicions
from agentlog.projections.readmodels.model import ReadModel, ThreadRows
from agentlog.projections.readmodels.table import Row, table_of
from agentlog.projections.shell_command import shell_command
from agentlog.projections.values import elapsed_ms, held, time_of


@dataclass(slots=True)
class ToolCallRow(Row):
    """A call, or a result without a call."""

    version: Annotated[int, "of the message that asked; of the result, where none asked"]
    ordinal: Annotated[int, "which call of that message, from 0"]
    position: Annotated[int, "of that message in the log"]
    call_id: Annotated[str | None, "as the model named it; may come again in a thread"]
    tool: Annotated[str, "name of the tool; unknown where no message names it"]
    command: Annotated[
        str | None, "first word of a shell's command; null where no argument holds one"
    ]
    arguments: Annotated[
        str | None, "what it was called with, as JSON; texts in it up to 1 MiB each"
    ]
    response_id: Annotated[str | None, "the model response that it came out of"]
    recorded_at: Annotated[datetime | None, "when the log took that message, by its own clock"]
    called_at: Annotated[datetime | None, "the same where a call asked, null where none did"]
    called_sent_at: Annotated[datetime | None, "when it was made, by the producer's clock"]
    answered_version: Annotated[int | None, "of the message that answered; null while open"]
    answered_position: Annotated[int | None, "of that message in the log"]
    answered_at: Annotated[datetime | None, "when the log took the answer"]
    latency_ms: Annotated[float | None, "from call to answer, by the producer's clock"]
    outcome: Annotated[
        CallOutcome | None,
        "succeeded or failed; unstated, where the result does not say; null while open",
    ]
    error_class: Annotated[str | None, "the error's name, or its message without its particulars"]
    error_message: Annotated[str | None, "the beginning of what the error said"]
    suspected: Annotated[
        str | None, "rules of suspicion that the result meets, blanks between; null where none"
    ]


class ToolCalls(ReadModel[ToolCallRow]):
    """Calls in order, matched with their results."""

    version = 6
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
    def fold(self, event: Event, rows: ThreadRows[ToolCallRow]) -> None:
        match event.message:
            case ToolCallsMessage(calls=calls, timestamp=timestamp):
                sent = time_of(timestamp)
                for ordinal, call in enumerate(calls):
                    rows.add(_asked(event, sent, rows, ordinal, call))
            case ToolResultsMessage(results=results, timestamp=timestamp):
                sent = time_of(timestamp)
                for ordinal, result in enumerate(results):
                    row = _call_of(result, rows.open)
                    if row is None:
                        rows.add(_unasked(event, sent, rows, ordinal, result))
                    else:
                        _answer(row, event, sent, result)
                        rows.change(row)
            case _:
                pass


def _asked(
    event: Event, sent: datetime, rows: ThreadRows[ToolCallRow], ordinal: int, call: ToolCall
) -> ToolCallRow:
    return ToolCallRow(
        tenant=rows.tenant,
        thread_id=rows.thread_id,
        is_open=True,
        version=event.version,
        ordinal=ordinal,
        position=event.position or 0,
        call_id=held(call.id),
        tool=held(call.name),
        command=held(shell_command(arguments_value(call))),
        arguments=held(arguments_text(call)),
        response_id=event.response_id,
        recorded_at=event.recorded_at,
        called_at=event.recorded_at,
        called_sent_at=sent,
        answered_version=None,
        answered_position=None,
        answered_at=None,
        latency_ms=None,
        outcome=None,
        error_class=None,
        error_message=None,
        suspected=None,
    )


def _unasked(
    event: Event, sent: datetime, rows: ThreadRows[ToolCallRow], ordinal: int, result: ToolResult
) -> ToolCallRow:
    call = ToolCall(id=result.call_id or "?", name=result.name or "unknown")
    row = _asked(event, sent, rows, ordinal, call)
    row.call_id, row.arguments = held(result.call_id), None
    row.called_at = row.called_sent_at = None
    _answer(row, event, sent, result)
    return row


def _answer(row: ToolCallRow, event: Event, sent: datetime, result: ToolResult) -> None:
    row.is_open = False
    row.answered_version = event.version
    row.answered_position = event.position
    row.answered_at = event.recorded_at
    row.latency_ms = elapsed_ms((row.called_sent_at, row.called_at), (sent, event.recorded_at))
    row.outcome, row.error_class, row.error_message = result_outcome(result)
    if result.error is None:
        row.suspected = " ".join(suspicions(result.output)) or None


def _call_of(result: ToolResult, asked: list[ToolCallRow]) -> ToolCallRow | None:
    """Return the open call for a result: by id, or by name where it has no id."""
    call_id, name = held(result.call_id), held(result.name)
    for row in asked:
        if row.tool == name if call_id is None else row.call_id == call_id:
            return row
    return None
