"""Audit of data derived from the log: snapshots, read models, search rows.

Derived data can be dropped and built again, but readers are shown it, so it is compared with a
fresh computation.
"""

from collections.abc import Iterator

import psycopg

from domain.errors import InvalidViewOption, UnknownView
from domain.integrity.chain_audit import Finding
from domain.json.text import parse_stored
from infrastructure.eventlog.reader import LogReader
from infrastructure.postgres.database import Database
from infrastructure.postgres.statements import statement
from infrastructure.readmodels.projection import Projection
from infrastructure.readmodels.tables import delete_thread, rows_of_thread
from infrastructure.views.snapshots.snapshots import Snapshots
from infrastructure.views.view_fold import Fold
from projections.readmodels.registry import READ_MODELS
from projections.registry import AnyView, choose_view
from projections.view import StateView

_MOST_THREADS = 1000


class DerivedAuditor:
    """Compares data derived from one tenant's log with a fresh computation from the log.

    `database` is the service's own, as read models cover all tenants.
    """

    def __init__(
        self, database: Database, reader: LogReader, snapshots: Snapshots, *, tenant: str
    ) -> None:
        self._database = database
        self._reader = reader
        self._snapshots = snapshots
        self._tenant = tenant

    def thread(self, thread_id: str) -> Iterator[Finding]:
        """Yield differences in a thread's snapshots and its rows in read models."""
        yield from self._snapshots_of(thread_id)
        yield from self._rows_of(thread_id)

    def search(self) -> Iterator[Finding]:
        """Yield the threads whose search rows differ from their heads."""
        asked = {"tenant": self._tenant, "limit": _MOST_THREADS}
        with self._database.connection() as connection:
            rows = connection.execute(statement("select_search_differences"), asked).fetchall()
        for (thread_id,) in rows:
            detail = "its row in agentlog.thread_search is not what its head says"
            yield Finding("derived-differs", detail, thread_id)

    def _snapshots_of(self, thread_id: str) -> Iterator[Finding]:
        asked = {"tenant": self._tenant, "thread_id": thread_id}
        with self._database.connection() as connection:
            kept = connection.execute(statement("select_snapshot_series"), asked).fetchall()
        for name, options in kept:
            try:
                view = choose_view(name, parse_stored(options.encode()))
            except (UnknownView, InvalidViewOption, ValueError, TypeError):
                continue  # no reader uses it
            for version in self._differing(thread_id, view):
                detail = (
                    f"the snapshot of view {name} {options} is not what the log comes to; the "
                    "table may be truncated"
                )
                yield Finding("derived-differs", detail, thread_id, version)

    def _differing(self, thread_id: str, view: AnyView) -> Iterator[int]:
        """Yield the versions of snapshots that the key has not sealed, or that differ."""
        anew = Fold(self._reader, thread_id, view)
        interval = self._snapshots.interval
        for row in self._snapshots.rows(thread_id, view):
            anew.advance(row.version - interval)
            items = anew.read_all(row.version)
            same = row.sound
            if same and row.carry is not None:
                start = self._snapshots.nearest(thread_id, view, row.version).start
                same = (start.version, view.dump(start.carry)) == (
                    row.version,
                    view.dump(anew.carry),
                )
            if same and not isinstance(view, StateView):
                after = row.version - interval
                found = self._snapshots.items(
                    thread_id, view, after=after, upto=row.version, limit=1
                )
                same = [each for _, taken in found for each in taken] == items
            if not same:
                yield row.version

    def _rows_of(self, thread_id: str) -> Iterator[Finding]:
        with self._database.connection() as connection:
            for name, build in self._differing_builds(connection, thread_id):
                detail = (
                    f"its rows in agentlog_readmodels.{name}_{build} are not what the log comes "
                    f"to: `agentlog projections rebuild {name}`"
                )
                yield Finding("derived-differs", detail, thread_id)

    def _differing_builds(
        self, connection: psycopg.Connection, thread_id: str
    ) -> list[tuple[str, int]]:
        """Return the builds whose rows of a thread differ from fresh ones; keeps no fresh rows."""
        found: list[tuple[str, int]] = []
        with connection.transaction(force_rollback=True):
            for name, build, version in connection.execute(statement("lock_builds")).fetchall():
                model = READ_MODELS.get(name)
                if model is None or model.version != version:
                    continue
                table = f"{name}_{build}"
                before = rows_of_thread(connection, table, self._tenant, thread_id)
                delete_thread(connection, table, self._tenant, thread_id)
                Projection(model, build).renew_thread(connection, self._tenant, thread_id)
                if before != rows_of_thread(connection, table, self._tenant, thread_id):
                    found.append((name, build))
        return found
