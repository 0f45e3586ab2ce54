"""Read models for tests, and what stands in their tables."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import psycopg
from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.values import object_of, text_at
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.builds import Build
from agentlog.infrastructure.readmodels.projection import Projection, StepResult
from agentlog.projections.readmodels.model import ReadModel, ThreadRows
from agentlog.projections.readmodels.registry import AnyReadModel
from agentlog.projections.readmodels.table import Row, table_of
from tests.infrastructure.appends import fetch


@dataclass(slots=True)
class TalkRow(Row):
    """How much was said in a thread."""

    said: Annotated[int, "replies so far"]
    last: Annotated[str | None, "the last of them"]


class Talk(ReadModel[TalkRow]):
    """Counts replies, and fails on a word until it is mended."""

    table = table_of(
        TalkRow,
        name="talk",
        comment="One row a thread.",
        key=("tenant", "thread_id"),
        day="said",
        indexes=(("said",),),
    )
    types: ClassVar[frozenset[str] | None] = frozenset({"reply"})
    recalls: ClassVar[frozenset[str] | None] = None

    def __init__(self, *, fails_on: str | None = None, version: int = 1, step: int = 1) -> None:
        self.fails_on = fails_on
        self.version = version  # type: ignore[misc] # of this object: as after an upgrade
        self.step = step

    @override
    def fold(self, event: Event, rows: ThreadRows[TalkRow]) -> None:
        text = text_at(object_of(event.raw), "text")
        if text == self.fails_on:
            raise ArithmeticError(f"cannot count {text!r}")
        for row in rows.open:
            row.said, row.last = row.said + self.step, text
            rows.change(row)
            return
        rows.add(TalkRow(rows.tenant, rows.thread_id, True, self.step, text))  # noqa: FBT003


def catch_up(database: Database, model: AnyReadModel, *, most_events: int = 7) -> None:
    """Work at all builds of a read model that are due, in small steps, until they have no more."""
    with database.connect() as connection:
        for number in builds.at_work(connection, model):
            projection = Projection(model, number, most_events=most_events)
            while projection.step(connection) is StepResult.MORE:
                pass


def live(database: Database, name: str) -> Build:
    """Return the live build of a projection."""
    (only,) = (build for build in all_builds(database, name) if build.state == "live")
    return only


def all_builds(database: Database, name: str) -> list[Build]:
    """Return the builds of a projection."""
    with database.connection() as connection:
        return [build for build in builds.builds(connection) if build.name == name]


def rows_of(database: Database, model: AnyReadModel, build: int) -> list[tuple[Any, ...]]:
    """Return all rows of a build, by key."""
    table = f"agentlog_readmodels.{model.name}_{build}"
    order = ", ".join(model.table.key)
    return fetch(database, f"SELECT * FROM {table} ORDER BY {order}")  # noqa: S608 - our own names


def seen(url: str, query: str, *, tenant: str) -> list[tuple[Any, ...]]:
    """Return what a query of the analysts' views shows a tenant."""
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('agentlog.tenant', %s, true)", (tenant,))
        return connection.execute(query.encode()).fetchall()
