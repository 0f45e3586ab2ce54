"""Audit of data derived from the log: snapshots, read models, search rows, positions kept.

Derived data can be dropped and built again, but readers are shown it, so it is compared with a
fresh computation. Each row is either of a thread that the log has, and compared with it; or of
none, or unreadable to this code, and a finding.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.errors import InvalidViewOption, UnknownView
from agentlog.domain.integrity.chain_audit import Finding
from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import object_of
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.queries import fetch
from agentlog.infrastructure.postgres.roles import SERVICE
from agentlog.infrastructure.readmodels.build_audit import BuildAudit
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.view_fold import Fold
from agentlog.projections.registry import AnyView, choose_view
from agentlog.projections.view import StateView

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
        with suppress(psycopg.errors.InsufficientPrivilege), self._builds(filled=True) as audit:
            for name, table in audit.differing(self._tenant, thread_id):
                detail = (
                    f"its rows in agentlog_readmodels.{table} are not what the log comes to: "
                    f"`agentlog projections rebuild {name}`"
                )
                yield Finding("derived-differs", detail, thread_id)

    def around(self) -> Iterator[Finding]:
        """Yield what is wrong beside the threads of the log: strays, search rows, positions."""
        for thread_id, table in self._strays():
            detail = f"{table} has rows of it, and the log has no such thread"
            yield Finding("derived-differs", detail, thread_id)
        for thread_id in self._threads_in("select_search_differences"):
            detail = "its row in agentlog.thread_search is not what its head says"
            yield Finding("derived-differs", detail, thread_id)
        with self._builds() as audit:
            for table in audit.missing:
                detail = f"the table agentlog_readmodels.{table} is not there"
                yield Finding("derived-differs", detail)
            for name, position, last in audit.ahead():
                detail = (
                    f"{name} is tracked at position {position}, and the log ends at {last}: it "
                    "would pass over the next events"
                )
                yield Finding("derived-differs", detail)
            for name, position, is_allowed in audit.left_out():
                if not is_allowed:
                    detail = (
                        f"{name} is tracked at position {position}, and there is no build of that "
                        "name that may leave events out: delete the row of agentlog.tracking"
                    )
                    yield Finding("derived-differs", detail)
        for (time,) in self._rows("select_clock_ahead"):
            detail = f"agentlog.counter has the time {time}, which is after the last event's"
            yield Finding("derived-differs", detail)

    def left_out(self) -> Sequence[int]:
        """Return the positions up to which builds of the index of words leave events out."""
        with self._builds() as audit:
            return [position for _, position, is_allowed in audit.left_out() if is_allowed]

    def unchecked(self, thread_ids: Sequence[str] | None = None) -> Iterator[Finding]:
        """Yield derived data that this code and key cannot compute, of some threads or of all."""
        kinds: Counter[str] = Counter()
        parameters = {"thread_ids": None if thread_ids is None else list(thread_ids)}
        for name, options, snapshot_format, count in self._rows(
            "select_snapshot_kinds", **parameters
        ):
            view = _view_of(name, options)
            if self._snapshots.is_of_other_key(snapshot_format):
                kinds["sealed by another key: give this command that of AGENTLOG_SNAPSHOT_KEY"] += (
                    count
                )
            elif view is None or not self._snapshots.reads(
                view, options=options, snapshot_format=snapshot_format
            ):
                kinds["of a version or view that this agentlog does not read"] += count
        for kind, count in kinds.items():
            detail = (
                f"cannot be checked: {count} snapshots are {kind}; no reader here uses them, and "
                "the table agentlog.snapshots may be truncated"
            )
            yield Finding("derived-unchecked", detail)
        try:
            with self._builds(filled=True):
                pass
        except psycopg.errors.InsufficientPrivilege as error:
            detail = (
                f"cannot be checked: rows of read models ({error.diag.message_primary}): "
                f"GRANT TEMPORARY ON DATABASE … TO {SERVICE}"
            )
            yield Finding("derived-unchecked", detail)
        with self._builds() as audit:
            for table in audit.unknown:
                detail = (
                    f"cannot be checked: agentlog_readmodels.{table} is of no version that this "
                    "agentlog knows; let a service of this version build its own, and see "
                    "`agentlog projections`"
                )
                yield Finding("derived-unchecked", detail)

    @contextmanager
    def _builds(self, *, filled: bool = False) -> Iterator[BuildAudit]:
        """Lend the builds, locked; what is written meanwhile is rolled back.

        `filled`: with temporary tables, which the session keeps.
        """
        with self._database.connection() as connection, connection.transaction():
            audit = BuildAudit.begin(connection)
            if filled:
                audit.make_temporary()
            with connection.transaction(force_rollback=True):
                yield audit

    def _strays(self) -> Iterator[tuple[str, str]]:
        """Yield threads that derived tables have and the log has not, with the table."""
        for thread_id in self._threads_in("select_stray_snapshots"):
            yield thread_id, "agentlog.snapshots"
        with self._builds() as audit:
            for table, thread_id in audit.stray_threads(self._tenant):
                yield thread_id, f"agentlog_readmodels.{table}"

    def _threads_in(self, name: str) -> list[str]:
        return [row[0] for row in self._rows(name, limit=_MOST_THREADS)]

    def _rows(self, name: str, **parameters: object) -> list[TupleRow]:
        return fetch(self._database, name, tenant=self._tenant, **parameters)

    def _snapshots_of(self, thread_id: str) -> Iterator[Finding]:
        kinds = self._rows("select_snapshot_kinds", thread_ids=[thread_id])
        for name, options, snapshot_format, _ in kinds:
            view = _view_of(name, options)
            if view is None or not self._snapshots.reads(
                view, options=options, snapshot_format=snapshot_format
            ):
                continue  # see `unchecked`
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
            if not row.sound:
                yield row.version
                continue
            anew.advance(row.version - interval)
            items = anew.read_all(row.version)
            same = True
            if row.carry is not None:
                start = self._snapshots.nearest(thread_id, view, row.version)
                same = (start.version, view.dump(start.carry)) == (
                    row.version,
                    view.dump(anew.carry),
                )
            if same and not isinstance(view, StateView):
                after = row.version - interval
                kept = self._snapshots.items(thread_id, view, after=after, upto=row.version, few=1)
                same = [item for _, taken in kept for item in taken] == items
            if not same:
                yield row.version


def _view_of(name: str, options: str) -> AnyView | None:
    """Return the view of a kind of snapshots, None if this code has none such."""
    try:
        return choose_view(name, object_of(parse_stored(options.encode())))
    except (UnknownView, InvalidViewOption, ValueError, TypeError):
        return None
