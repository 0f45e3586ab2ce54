"""Read model of workers: one row per worker, with objective and result."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Literal

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.messages import WorkerResultMessage, WorkerSpawnedMessage
from agentlog.projections.call_texts import value_text
from agentlog.projections.outcomes.pairs import Answer, Ask
from agentlog.projections.readmodels.model import ThreadRows
from agentlog.projections.readmodels.pair_table import AnsweredSentAt, PairRow, PairTable, measured
from agentlog.projections.readmodels.table import RecordedAt, table_of
from agentlog.projections.values import shown, time_of


@dataclass(slots=True)
class WorkerRow(PairRow):
    """A worker, or a result without a spawned worker."""

    version: Annotated[int, "of the message that sent it off; of its result, where none did"]
    position: Annotated[int, "of that message in the log"]
    worker_id: Annotated[str, "as the agent named it; may come again in a thread"]
    objective: Annotated[str | None, "the beginning of what it was sent off for"] = None
    model: Annotated[str | None, "the model that it works with, where that was said"] = None
    worker_thread_id: Annotated[str | None, "the worker's own thread, where that was said"] = None
    recorded_at: RecordedAt = None
    spawned_at: Annotated[
        datetime | None, "the same where it was sent off, null where it was not"
    ] = None
    spawned_sent_at: Annotated[datetime | None, "when it was sent off, by the producer's clock"] = (
        None
    )
    answered_version: Annotated[int | None, "of the message with its result; null while open"] = (
        None
    )
    answered_position: Annotated[int | None, "of that message in the log"] = None
    answered_at: Annotated[datetime | None, "when the log took the result"] = None
    answered_sent_at: AnsweredSentAt = None
    duration_ms: Annotated[float | None, "from sending off to result, by the producer's clock"] = (
        None
    )
    outcome: Annotated[
        Literal["succeeded", "failed"] | None, "succeeded or failed; null while open"
    ] = None
    error_code: Annotated[str | None, "the error's code, where it has one"] = None
    error_message: Annotated[str | None, "the beginning of what the error said"] = None
    output: Annotated[str | None, "the beginning of what it came back with, a text or JSON"] = None


class Workers(PairTable[WorkerRow]):
    """Workers in order of spawning, each with the first result of its id."""

    version = 4
    kind = "worker"
    table = table_of(
        WorkerRow,
        name="workers",
        comment="One row a worker that was sent off, and a result of one that was not.",
        key=("tenant", "thread_id", "version"),
        day="recorded_at",
        indexes=(("tenant", "recorded_at"),),
    )
    types: ClassVar[frozenset[str] | None] = frozenset({"worker_spawned", "worker_result"})
    recalls: ClassVar[frozenset[str] | None] = frozenset({"worker_result"})

    @override
    def row(
        self, event: Event, rows: ThreadRows[WorkerRow], ordinal: int, named: Ask | Answer
    ) -> WorkerRow:
        return rows.open_row(event, WorkerRow, worker_id=named.id or "", model=named.name)

    @override
    def ask_of(self, row: WorkerRow) -> Ask:
        return Ask(self.kind, row.worker_id, row.model)

    @override
    def ask(self, row: WorkerRow, event: Event, ordinal: int) -> None:
        message = event.message
        if isinstance(message, WorkerSpawnedMessage):
            row.objective, row.worker_thread_id = shown(message.objective), message.thread_id
            row.spawned_at, row.spawned_sent_at = event.recorded_at, time_of(message.timestamp)

    @override
    def answer(self, row: WorkerRow, event: Event, answer: Answer, ordinal: int) -> None:
        message = event.message
        if isinstance(message, WorkerResultMessage):
            row.duration_ms = measured(row.spawned_sent_at, message.timestamp)
            row.error_code, row.error_message = answer.error_class, answer.error_message
            if message.error is None:
                row.output = shown(value_text(message.output))
