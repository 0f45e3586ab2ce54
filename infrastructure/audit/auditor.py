"""Recomputes chains and the tree from stored events, and compares them with the stored ones."""

from collections import Counter
from collections.abc import Iterator, Sequence

from agentlog.domain.errors import UnknownThread
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.audit.findings import Audit, Findings, events_at, rows_of, unaccounted
from agentlog.infrastructure.audit.notes import Checkpoint, VerifierKey
from agentlog.infrastructure.audit.records import EVERYWHERE, LOWEST, log_snapshot
from agentlog.infrastructure.audit.threads.processes import AuditProcesses
from agentlog.infrastructure.audit.threads.thread_audit import audit_thread
from agentlog.infrastructure.audit.tree_audit import audit_tree
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.queries import fetch

_PAGE_THREADS = 50_000
_WORTH_PROCESSES = 5000
"""Events that take one process about as long as others take to start."""


class Auditor:
    """Checks one tenant's log; it trusts nothing that the database computes."""

    def __init__(self, database: Connections, *, tenant: str) -> None:
        self._database = database
        self._tenant = tenant

    def thread(self, thread_id: str) -> Audit:
        """Check a thread as `audit_thread` does; raises `UnknownThread`."""
        audit = audit_thread(self._database, self._tenant, thread_id)
        if not any(audit.rows.values()):
            raise UnknownThread(thread_id)
        return audit

    def log(
        self,
        held: Sequence[Checkpoint] = (),
        *,
        public_key: VerifierKey | None = None,
        since: Checkpoint | None = None,
        processes: AuditProcesses | None = None,
    ) -> Iterator[tuple[str | None, Audit]]:
        """Check the whole log: yield the audit of each thread by its id, then that of the log.

        The last, of None, is of the tree, as `tree` checks it, and the account: every row of the
        tenant was visited with its thread, and every event with the tree. Events are counted up to
        the last one at the start, so that none appended meanwhile stands for one left out.

        `since`: check only the threads that have grown since that checkpoint, and count only what
        came after it; all before it is checked by its root over the links alone.

        `processes` audit the threads of a log that is worth it.

        Raises:
            AuditProcessEnded: one of them ended by itself.
        """
        first = LOWEST if since is None else self._position_after(since.size)
        positions = range(first, self._last_position() + 1)
        before, visited = self._rows(positions), Counter[str]()
        ids = self._thread_ids(positions)
        if processes is not None and before["events"] >= _WORTH_PROCESSES:
            audits = processes.audits(self._tenant, ids, positions=positions)
        else:
            audits = self._audits(ids, positions)
        for thread_id, audit in audits:
            visited.update(audit.rows)
            yield thread_id, audit
        checkpoints = [*held, *([] if since is None else [since])]
        tree = self.tree(checkpoints, public_key=public_key, positions=positions)
        findings = Findings(Counter(tree.rows), list(tree.findings), tree.count, tree.verdict)
        after = self._rows(positions)
        where = "of this tenant" if since is None else "after the checkpoint"
        for seen in (visited, {**visited, "events": tree.events}):
            findings.add(unaccounted(before, seen, after, where=where))
        yield None, findings.audit()

    def tree(
        self,
        held: Sequence[Checkpoint] = (),
        *,
        public_key: VerifierKey | None = None,
        positions: range = EVERYWHERE,
    ) -> Audit:
        """Check the log against its stored checkpoints and `held` ones, as `audit_tree` does."""
        with log_snapshot(self._database) as cursor:
            return audit_tree(
                cursor, self._tenant, held, public_key=public_key, positions=positions
            )

    def _audits(self, thread_ids: Iterator[str], positions: range) -> Iterator[tuple[str, Audit]]:
        for thread_id in thread_ids:
            yield (
                thread_id,
                audit_thread(self._database, self._tenant, thread_id, positions=positions),
            )

    def _last_position(self) -> int:
        """Return the position of the tenant's last event, below all if there is none."""
        with self._database.connection() as connection:
            row = connection.execute(
                "SELECT max(position) FROM agentlog.events WHERE tenant = %s", (self._tenant,)
            ).fetchone()
        return LOWEST if row is None or row[0] is None else int(row[0])

    def _position_after(self, size: int) -> int:
        """Return the first position that may follow the first `size` events."""
        if size == 0:
            return LOWEST
        leaf = {"tenant": self._tenant, "index": min(size - 1, BIGGEST)}
        positions = fetch(self._database, "select_position_of_leaf", **leaf)
        return int(positions[0][0]) + 1 if positions else BIGGEST

    def _rows(self, positions: range) -> Counter[str]:
        """Return how many rows there are to visit: events at the positions; of a whole log, all."""
        events = events_at(self._database, self._tenant, positions)
        others = rows_of(self._database, self._tenant) if positions.start == LOWEST else {}
        return Counter({**others, "events": events})

    def _thread_ids(self, positions: range) -> Iterator[str]:
        """Yield the id of each thread that any row is of; or, after a checkpoint, of the new."""
        is_whole = positions.start == LOWEST
        name = "select_audited_threads" if is_whole else "select_grown_threads"
        first = ""
        while True:
            rows = fetch(
                self._database,
                name,
                tenant=self._tenant,
                first=first,
                limit=_PAGE_THREADS,
                first_position=positions.start,
                last_position=positions.stop - 1,
            )
            for (thread_id,) in rows:
                yield thread_id
            if len(rows) < _PAGE_THREADS:
                return
            first = rows[-1][0] + "\x01"  # the next text by code point: none has NUL
