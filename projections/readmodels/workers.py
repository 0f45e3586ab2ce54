"""Read model of workers: one row per worker, with objective and result."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Literal

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.messages import WorkerResultMessage, WorkerSpawnedMessage
from agentlog.projections.call_texts import value_text
from agentlog.projections.readmodels.model import ReadModel, ThreadRows
from agentlog.projections.readmodels.table import Row, table_of
from agentlog.projections.values import elapsed_ms, held, shown, time_of


@dataclass(slots=True)
class WorkerRow(Row):
    """A worker, or a result without a spawned worker."""

    version: Annotated[int, "of the message that sent it off; of its result, where none did"]
    position: Annotated[int, "of that message in the log"]
    worker_id: Annotated[str, "as the agent named it; may come again in a thread"]
    objective: Annotated[str | None, "the beginning of what it was sent off for"]
    model: Annotated[str | None, "the model that it works with, where that was said"]
    worker_thread_id: Annotated[str | None, "the worker's own thread, where that was said"]
    recorded_at: Annotated[datetime | None, "when the log took that message, by its own clock"]
    spawned_at: Annotated[datetime | None, "the same where it was sent off, null where it was not"]
    spawned_sent_at: Annotated[datetime | None, "when it was sent off, by the producer's clock"]
    answered_version: Annotated[int | None, "of the message with its result; null while open"]
    answered_position: Annotated[int | None, "of that message in the log"]
    answered_at: Annotated[datetime | None, "when the log took the result"]
    duration_ms: Annotated[float | None, "from sending off to result, by the producer's clock"]
    outcome: Annotated[
        Literal["succeeded", "failed"] | None, "succeeded or failed; null while open"
    ]
    error_code: Annotated[str | None, "the error's code, where it has one"]
    error_message: Annotated[str | None, "the beginning of what the error said"]
    output: Annotated[str | None, "the beginning of what it came back with, a text or JSON"]


class Workers(ReadModel[WorkerRow]):
    """Workers in order of spawning, each with the first result of its id."""

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
    def fold(self, event: Event, rows: ThreadRows[WorkerRow]) -> None:
        match event.message:
            case WorkerSpawnedMessage() as message:
                row = _row(event, rows, message.worker_id)
                row.objective, row.model = shown(message.objective), held(message.model)
                row.worker_thread_id = message.thread_id
                row.spawned_at, row.spawned_sent_at = event.recorded_at, time_of(message.timestamp)
                rows.add(row)
            case WorkerResultMessage() as message:
                worker_id = held(message.worker_id)
                sent = next((row for row in rows.open if row.worker_id == worker_id), None)
                row = _row(event, rows, message.worker_id) if sent is None else sent
                _answer(row, event, message)
                if sent is None:
                    rows.add(row)
                else:
                    rows.change(row)
            case _:
                pass


def _row(event: Event, rows: ThreadRows[WorkerRow], worker_id: str) -> WorkerRow:
    return WorkerRow(
        tenant=rows.tenant,
        thread_id=rows.thread_id,
        is_open=True,
        version=event.version,
        position=event.position or 0,
        worker_id=held(worker_id),
        objective=None,
        model=None,
        worker_thread_id=None,
        recorded_at=event.recorded_at,
        spawned_at=None,
        spawned_sent_at=None,
        answered_version=None,
        answered_position=None,
        answered_at=None,
        duration_ms=None,
        outcome=None,
        error_code=None,
        error_message=None,
        output=None,
    )


def _answer(row: WorkerRow, event: Event, message: WorkerResultMessage) -> None:
    row.is_open = False
    row.answered_version = event.version
    row.answered_position = event.position
    row.answered_at = event.recorded_at
    row.duration_ms = elapsed_ms(
        (row.spawned_sent_at, row.spawned_at), (time_of(message.timestamp), event.recorded_at)
    )
    if message.error is None:
        row.outcome, row.output = "succeeded", shown(value_text(message.output))
    else:
        row.outcome = "failed"
        row.error_code, row.error_message = held(message.error.code), shown(message.error.message)
