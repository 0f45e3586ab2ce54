"""The read model `toys`: a row an input; stands for any read model that the recipe adds."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.projections.readmodels.model import ReadModel, ThreadRows
from agentlog.projections.readmodels.table import Row, table_of


@dataclass(slots=True)
class ToyRow(Row):
    """An input."""

    version: Annotated[int, "place in the thread, from 1"]
    recorded_at: Annotated[datetime | None, "when the log took it"]


class Toys(ReadModel[ToyRow]):
    """Every input."""

    table = table_of(
        ToyRow,
        name="toys",
        comment="One row an input.",
        key=("tenant", "thread_id", "version"),
        day="recorded_at",
        indexes=(),
    )
    types: ClassVar[frozenset[str] | None] = frozenset({"input"})

    @override
    def fold(self, event: Event, rows: ThreadRows[ToyRow]) -> None:
        row = ToyRow(
            tenant=rows.tenant,
            thread_id=rows.thread_id,
            is_open=False,
            version=event.version,
            recorded_at=event.recorded_at,
        )
        rows.add(row)
