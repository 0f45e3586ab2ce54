"""One build of a read model: applies batches of the log as rows, each in one transaction.

Rows and the build's position (the library's `Tracking`) are committed together: each event counts
exactly once, whenever a process is killed and however many run.
"""

import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic

import psycopg
from eventsourcing.persistence import Tracking

from agentlog.infrastructure.postgres.conninfo import untimed
from agentlog.infrastructure.postgres.errors import BROKEN_OFF
from agentlog.infrastructure.postgres.locks import try_lock, unlock
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.batch import EventBatch, TenantEvent, read_batch, recorded
from agentlog.infrastructure.readmodels.tables import BuildTable, ThreadKey
from agentlog.infrastructure.readmodels.tracking import move_tracking
from agentlog.projections.readmodels.model import ReadModel, RowT, ThreadRows

logger = logging.getLogger("agentlog")

MOST_EVENTS = 5000
"""Most events in one transaction."""


class StepResult(Enum):
    """The result of one step of a projection."""

    MORE = auto()
    """It applied a batch, and there may be more."""
    AT_PRESENT = auto()
    """It has reached the end of the log."""
    RESTING = auto()
    """It is paused, stopped, deleted, or locked by another process."""


@dataclass(frozen=True, slots=True)
class _StepStart:
    """State at the start of a step: the locked build, and the positions of build and log."""

    state: str
    position: int
    log_position: int


class Projection(Generic[RowT]):
    """Fills one build of a read model, a step at a time; `most_events` bounds a step.

    `audited`: the thread whose rows are to be made anew beside the build's, see `BuildTable`.
    """

    def __init__(
        self,
        model: ReadModel[RowT],
        build: int,
        *,
        most_events: int = MOST_EVENTS,
        audited: str | None = None,
    ) -> None:
        self._model: ReadModel[RowT] = model
        self._build = build
        self._table: BuildTable[RowT] = BuildTable(model.table, build, audited=audited)
        self._tracking_name = builds.tracking_name(model.name, build)
        self._most_events = most_events
        self._limit = most_events

    def step(self, connection: psycopg.Connection) -> StepResult:
        """Apply the next batch; stop the build at an event that cannot be processed.

        Raises:
            psycopg.OperationalError: the connection broke; nothing was written, or all of it.
        """
        try:
            step = self._try_step(connection) or self._index(connection)
        except BROKEN_OFF:
            raise
        except Exception as error:  # noqa: BLE001 - any error is recorded
            if self._limit > 1:  # find the event: an eighth of the batch each time, down to one
                self._limit = max(1, self._limit // 8)
                return StepResult.MORE
            return self._stop(connection, error)
        self._limit = min(self._limit * 2, self._most_events)
        return step

    def _index(self, connection: psycopg.Connection) -> StepResult:
        """Create the indexes of a build that has all events.

        That may take many minutes: meanwhile no build is locked, and erasures go on.
        """
        name = f"agentlog index {self._tracking_name}"
        if not try_lock(connection, name):
            return StepResult.RESTING
        try:
            with untimed(connection):
                self._table.index(connection, concurrently=True)
        finally:
            unlock(connection, name)
        return StepResult.MORE

    def _try_step(self, connection: psycopg.Connection) -> StepResult | None:
        """Apply the next batch, or go live; None where a build needs its indexes before."""
        with connection.transaction():
            start = self._begin(connection)
            if start is None:
                return StepResult.RESTING
            if start.position >= start.log_position:
                if start.state == "building":
                    if not self._table.is_indexed(connection):
                        return None
                    builds.go_live(connection, self._model, self._build)
                    builds.notify(connection)
                return StepResult.AT_PRESENT
            batch = self._read(connection, start.position, start.log_position)
            self.work_in(connection, batch.events[self._model.long_text_bytes])
            # rows lost in a server crash are filled again from the log
            connection.execute("SET LOCAL synchronous_commit = off")
            move_tracking(connection, Tracking(self._tracking_name, batch.position))
            builds.notify(connection)
        if batch.position < start.log_position or start.state == "building":
            return StepResult.MORE
        return StepResult.AT_PRESENT

    def _begin(self, connection: psycopg.Connection) -> _StepStart | None:
        """Lock the build and return its state; None if it cannot go on here."""
        row = connection.execute(
            statement("lock_build"), {"name": self._model.name, "build": self._build}
        ).fetchone()
        if row is None:
            return None
        version, state, paused, stopped_at = row
        if version != self._model.version or paused or stopped_at is not None:
            return None
        progress = connection.execute(
            statement("select_progress"), {"application_name": self._tracking_name}
        ).fetchone()
        return None if progress is None else _StepStart(state, *progress)

    def _read(
        self, connection: psycopg.Connection, after: int, upto: int, tenant: str | None = None
    ) -> EventBatch:
        return read_batch(
            connection,
            after=after,
            upto=upto,
            types=self._model.types,
            limit=self._limit,
            sizes=[self._model.long_text_bytes],
            tenant=tenant,
        )

    def work_in(self, connection: psycopg.Connection, events: list[TenantEvent]) -> None:
        """Write the rows of the next events, in the current transaction.

        The caller has locked the build, and moves its position.
        """
        if not events:
            return
        threads = self._threads(connection, events)
        for event in events:
            self._model.fold(event.event, threads[event.tenant, event.event.thread_id])
        for rows in threads.values():
            self._model.finish(rows)
        added = [row for rows in threads.values() for row in rows.added]
        changed = {mark: row for rows in threads.values() for mark, row in rows.changed.items()}
        for row in added:
            changed.pop(id(row), None)
        self._table.write(connection, changed=[*changed.values()], added=added)

    def _threads(
        self, connection: psycopg.Connection, events: list[TenantEvent]
    ) -> dict[ThreadKey, ThreadRows[RowT]]:
        """Return the rows by thread, with the open rows of threads whose events need them."""
        recalls = self._model.recalls
        keys = {(event.tenant, event.event.thread_id): False for event in events}
        for event in events:
            if recalls is None or event.event.type in recalls:
                keys[event.tenant, event.event.thread_id] = True
        recalled = [key for key, needed in keys.items() if needed]
        by_thread: defaultdict[ThreadKey, list[RowT]] = defaultdict(list)
        places: dict[tuple[object, ...], RowT] = {}
        if recalled:
            for row in self._table.open_rows(connection, recalled):
                by_thread[row.tenant, row.thread_id].append(row)
                places[self._table.key_of(row)] = row
        known = self._known(connection, events, places)
        return {key: ThreadRows(*key, by_thread.get(key, ()), known.get(key[0])) for key in keys}

    def _known(
        self,
        connection: psycopg.Connection,
        events: list[TenantEvent],
        places: Mapping[tuple[object, ...], RowT],
    ) -> dict[str, dict[str, list[RowT]]]:
        """Return the rows that share an identity with the events, by tenant and identity.

        `places` has those that are read already.
        """
        known: dict[str, dict[str, list[RowT]]] = {}
        if self._model.table.identity is None:
            return known
        for event in events:
            identity = self._model.identity_of(event.event)
            if identity is not None:
                known.setdefault(event.tenant, {})[identity] = []
        wanted = [(tenant, identity) for tenant, ids in known.items() for identity in ids]
        for identity, row in self._table.rows_known_by(connection, wanted) if wanted else ():
            known[row.tenant][identity].append(places.get(self._table.key_of(row), row))
        return known

    def renew_thread(self, connection: psycopg.Connection, tenant: str, thread_id: str) -> None:
        """Write a thread's rows again, up to the build's position.

        The caller has locked the build and deleted its rows of the thread.
        """
        upto = builds.position_of(connection, self._model.name, self._build)
        left_out = builds.left_out_of(connection, self._model, self._build)
        types, after = self._model.types, 0
        while True:
            with connection.cursor(binary=True) as cursor:
                parameters = {
                    "tenant": tenant,
                    "thread_id": thread_id,
                    "after": after,
                    "upto": upto,
                    "types": None if types is None else sorted(types),
                    "limit": self._most_events,
                }
                rows = cursor.execute(statement("select_thread_growth"), parameters).fetchall()
                size = self._model.long_text_bytes
                events = recorded(cursor, rows, sizes=[size])[size]
            if not events:
                return
            self.work_in(
                connection, [event for event in events if (event.event.position or 0) > left_out]
            )
            after = events[-1].event.version

    def add_tenant(self, connection: psycopg.Connection, tenant: str) -> None:
        """Write the rows of a tenant that arrived, up to the build's position.

        The caller has locked the build, which has no rows of the tenant.
        """
        after = builds.left_out_of(connection, self._model, self._build)
        upto = builds.position_of(connection, self._model.name, self._build)
        while after < upto:
            batch = self._read(connection, after, upto, tenant)
            self.work_in(connection, batch.events[self._model.long_text_bytes])
            after = batch.position

    def _stop(self, connection: psycopg.Connection, error: Exception) -> StepResult:
        """Record the event at which the build stops, and the error."""
        with connection.transaction():
            start = self._begin(connection)
            if start is None:
                return StepResult.RESTING
            batch = self._read(connection, start.position, start.log_position)
        events = batch.events[self._model.long_text_bytes]
        first = events[0] if events else None
        position = (
            start.position
            if first is None or first.event.position is None
            else first.event.position
        )
        place = "" if first is None else f"{first.event.thread_id} version {first.event.version}: "
        reason = f"{place}{type(error).__name__}: {error}"
        logger.error(
            "projection %s stopped at position %s", self._tracking_name, position, exc_info=error
        )
        builds.stop(connection, self._model.name, self._build, position=position, error=reason)
        return StepResult.RESTING
