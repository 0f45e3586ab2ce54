"""Read model of messages: one row per message or fact."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.projections.readmodels.model import ReadModel, ThreadRows
from agentlog.projections.readmodels.table import Row, table_of
from agentlog.projections.values import sent_at, text_in


@dataclass(slots=True)
class MessageRow(Row):
    """A message or a fact of the thread."""

    version: Annotated[int, "place in the thread, from 1"]
    position: Annotated[int, "place in the log"]
    type: Annotated[str, "such as reply or tool_calls"]
    message_id: Annotated[str, "ULID"]
    recorded_at: Annotated[datetime | None, "when the log took it, by the store's clock"]
    sent_at: Annotated[datetime | None, "when it was made, by the producer's clock"]
    response_id: Annotated[str | None, "what came out of one model response shares it"]
    actor: Annotated[str | None, "who made it, where the producer said"]
    source: Annotated[str | None, "where it comes from, where the producer said"]
    correlation_id: Annotated[str | None, "what it belongs to, where the producer said"]
    causation_id: Annotated[str | None, "what it follows from, where the producer said"]


class Messages(ReadModel[MessageRow]):
    """Every event of every thread."""

    table = table_of(
        MessageRow,
        name="messages",
        comment="One row a message of any thread, and a fact of a thread (started, closed).",
        key=("tenant", "thread_id", "version"),
        day="recorded_at",
        indexes=(("tenant", "recorded_at"),),
    )
    types: ClassVar[frozenset[str] | None] = None

    @override
    def fold(self, event: Event, rows: ThreadRows[MessageRow]) -> None:
        metadata = event.metadata
        row = MessageRow(
            rows.tenant,
            rows.thread_id,
            False,  # noqa: FBT003 - by place: a row a message
            event.version,
            event.position or 0,
            event.type,
            event.message_id,
            event.recorded_at,
            sent_at(event),
            text_in(metadata, "responseId"),
            text_in(metadata, "actor"),
            text_in(metadata, "source"),
            text_in(metadata, "correlationId"),
            text_in(metadata, "causationId"),
        )
        rows.add(row)
