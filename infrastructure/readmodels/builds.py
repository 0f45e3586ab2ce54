"""State of builds of read models.

A build is one filling of a read model's table. One is live; another may be building beside it, to
replace it once it has caught up.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.errors import UniqueViolation
from psycopg.rows import class_row

from agentlog.infrastructure.postgres.listening.notifications import DIRECTED, PROJECTED
from agentlog.infrastructure.postgres.locks import let_erasures_end, lock
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels.counted_rows import BESIDE, counted_rows
from agentlog.infrastructure.readmodels.tables import BuildTable
from agentlog.lazy import lazy_imports
from agentlog.projections.readmodels.registry import READ_MODELS, AnyReadModel

with lazy_imports():
    from agentlog.infrastructure.readmodels import tracking

AnyTable = BuildTable[Any]

_LEFT_OUT = ".left_out"
"""Ends the name under which the tracking holds up to where a build leaves events out."""


@dataclass(frozen=True, slots=True)
class Build:
    """A build's state; `stopped_at` is the position of the event it cannot process.

    `left_out` is the position up to which events are left out as too old, 0 where none is.
    """

    name: str
    build: int
    version: int
    state: str
    paused: bool
    stopped_at: int | None
    error: str | None
    started_at: datetime
    live_at: datetime | None
    position: int
    log_position: int
    left_out: int

    @property
    def standing(self) -> str:
        """Its status: building, live, paused or stopped."""
        if self.stopped_at is not None:
            return "stopped"
        return "paused" if self.paused else self.state

    @property
    def reason(self) -> str | None:
        """The error that stopped it, if one did."""
        return None if self.stopped_at is None else f"@{self.stopped_at}: {self.error}"

    @property
    def lag(self) -> int:
        """How many positions it is behind the log."""
        return self.log_position - self.position


def tracking_name(name: str, build: int | str) -> str:
    """Return the name under which the library's tracking holds a build's position."""
    return f"{name}.{build}"


def left_out_of(connection: psycopg.Connection, model: AnyReadModel, build: int) -> int:
    """Return the position up to which a build leaves events out, 0 if it has to have all."""
    return position_of(connection, model.name, f"{build}{_LEFT_OUT}") if model.begins_late else 0


def position_of(connection: psycopg.Connection, name: str, build: int | str) -> int:
    """Return the position of a build."""
    parameters = {"application_name": tracking_name(name, build)}
    row = connection.execute(statement("select_progress"), parameters).fetchone()
    return 0 if row is None else int(row[0])


def builds(connection: psycopg.Connection) -> list[Build]:
    """Return every build, by name and number."""
    with connection.cursor(row_factory=class_row(Build)) as cursor:
        return cursor.execute(statement("select_builds")).fetchall()


def at_work(
    connection: psycopg.Connection, model: AnyReadModel, *, days: int | None = None
) -> list[int]:
    """Return the builds of a read model that this code can continue; begin one if none is.

    A build is begun, as `begin` does, if none is of the code's version. Builds of newer code are
    not touched.
    """
    own = [build for build in builds(connection) if build.name == model.name]
    if any(build.version > model.version for build in own):
        return []
    if not any(build.version == model.version for build in own):
        for build in own:
            if build.state == "building":  # a build of an older version, no longer needed
                discard(connection, model, build.build)
        begin(connection, model, days=days)
        return at_work(connection, model)
    return [build.build for build in own if build.version == model.version]


def begin(connection: psycopg.Connection, model: AnyReadModel, *, days: int | None = None) -> bool:
    """Begin a build of a read model; return False if one is building already.

    The first build is live at once, as there is none to replace. `days`: of a read model that may
    begin late, events that are older are left out.
    """
    try:
        with connection.transaction():
            let_erasures_end(connection)  # an erasure in progress would miss the new build
            row = connection.execute(
                statement("insert_build"), {"name": model.name, "version": model.version}
            ).fetchone()
            if row is None:
                return False
            build, state = row
            table: AnyTable = BuildTable(model.table, build)
            table.create(connection)
            if days is not None and model.begins_late:
                _begin_late(connection, tracking_name(model.name, build), days)
            if state == "live":
                table.index(connection)
                _show(connection, model, table)
            notify(connection, DIRECTED)
    except UniqueViolation:  # another process began one at the same time
        return False
    return True


def _begin_late(connection: psycopg.Connection, name: str, days: int) -> None:
    """Have a build begin after the events that are older."""
    left_out = last_before(connection, days)
    if left_out:
        tracking.move_all(connection, [name, f"{name}{_LEFT_OUT}"], left_out)


def discard(connection: psycopg.Connection, model: AnyReadModel, build: int) -> None:
    """Delete a build: its table, state and tracking."""
    with connection.transaction():
        connection.execute(
            "DELETE FROM agentlog.projections WHERE name = %s AND build = %s", (model.name, build)
        )
        name = tracking_name(model.name, build)
        connection.execute(
            "DELETE FROM agentlog.tracking WHERE application_name IN (%s, %s)",
            (name, f"{name}{_LEFT_OUT}"),
        )
        table: AnyTable = BuildTable(model.table, build)
        table.drop(connection)


def go_live(connection: psycopg.Connection, model: AnyReadModel, build: int) -> None:
    """Make a build the live one, in the current transaction; it has its indexes."""
    table: AnyTable = BuildTable(model.table, build)
    old = connection.execute(
        "SELECT build FROM agentlog.projections WHERE name = %s AND state = 'live' FOR UPDATE",
        (model.name,),
    ).fetchall()
    _show(connection, model, table)  # before the old table is dropped: views depend on it
    for (number,) in old:
        discard(connection, model, number)
    connection.execute(
        "UPDATE agentlog.projections SET state = 'live', live_at = clock_timestamp() "
        "WHERE name = %s AND build = %s",
        (model.name, build),
    )


def _show(connection: psycopg.Connection, model: AnyReadModel, table: AnyTable) -> None:
    """Create the analysts' view of a table that goes live, and those that need its rows too."""
    lock(connection, "agentlog views of read models")  # one that goes live beside it is seen
    tables: dict[str, AnyTable] = {
        build.name: BuildTable(READ_MODELS[build.name].table, build.build)
        for build in builds(connection)
        if build.state == "live" and build.name in READ_MODELS
    } | {model.name: table}
    names = {name: shown.name for name, shown in tables.items()}
    for name, beside in BESIDE.items():
        if beside == model.name and name in tables:
            tables[name].show(connection, counted_rows(name, names))
    table.show(connection, counted_rows(model.name, names))


def set_paused(connection: psycopg.Connection, name: str, *, paused: bool) -> None:
    """Pause or resume the builds of a projection; resuming includes stopped ones."""
    with connection.transaction():
        connection.execute(
            "UPDATE agentlog.projections SET paused = %s WHERE name = %s", (paused, name)
        )
        if not paused:
            connection.execute(
                "UPDATE agentlog.projections SET stopped_at = NULL, error = NULL WHERE name = %s",
                (name,),
            )
        notify(connection, DIRECTED)
        notify(connection)


def stop(
    connection: psycopg.Connection, name: str, build: int, *, position: int, error: str
) -> None:
    """Mark a build as stopped before an event that it cannot process."""
    with connection.transaction():
        connection.execute(
            "UPDATE agentlog.projections SET stopped_at = %s, error = %s "
            "WHERE name = %s AND build = %s",
            (position, error.replace("\x00", "\ufffd"), name, build),
        )
        notify(connection)


def notify(connection: psycopg.Connection, channel: str = PROJECTED) -> None:
    """Notify a channel when the current transaction commits; by default that builds advanced."""
    connection.execute("SELECT pg_notify(%s, '')", (channel,))


def last_before(connection: psycopg.Connection, days: int) -> int:
    """Return the last position up to which all events are older, 0 if there is none.

    Times of a tenant never decrease, so each tenant's are searched by halves.
    """
    last: int
    last, time = connection.execute(
        "SELECT position, now() - make_interval(days => %s) FROM agentlog.counter", (days,)
    ).fetchone() or (0, None)
    for (tenant,) in connection.execute(statement("select_tenants")).fetchall():
        if _is_older(connection, tenant, last, time):
            continue
        low, high = 0, last  # older up to the one, not up to the other
        while high - low > 1:
            middle = (low + high) // 2
            if _is_older(connection, tenant, middle, time):
                low = middle
            else:
                high = middle
        last = low
    return last


def _is_older(
    connection: psycopg.Connection, tenant: str, position: int, time: datetime | None
) -> bool:
    """Return whether the tenant's last event up to a position is older, or there is none."""
    row = connection.execute(
        "SELECT recorded_at < %s FROM agentlog.events WHERE tenant = %s AND position <= %s "
        "ORDER BY position DESC LIMIT 1",
        (time, tenant, position),
    ).fetchone()
    return row is None or bool(row[0])
