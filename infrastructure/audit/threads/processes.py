"""Threads audited in processes of their own: each is independent of the others."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice

from agentlog.domain.errors import Refused
from agentlog.infrastructure.audit.findings import Audit
from agentlog.infrastructure.audit.threads.thread_audit import audit_thread
from agentlog.infrastructure.postgres.conninfo import USUAL_TIMEOUTS, Timeouts
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.write_access import WriteAccess
from agentlog.infrastructure.runtime.worker_processes import WorkerEnded, map_in_processes

_BATCH = 16
"""Threads that a process takes at a time."""


class AuditProcessEnded(Refused):
    """A process of an audit ended by itself."""

    def __init__(self, threads: int) -> None:
        super().__init__(
            "a process of the audit ended by itself, as for want of memory: nothing is known of "
            f"the threads after the first {threads}; verify again, with --processes 1 if it stays"
        )


@dataclass(frozen=True, slots=True)
class AuditProcesses:
    """Processes that audit threads, each with a session of the database at `url`: a core each."""

    url: str = field(repr=False)
    count: int = field(default_factory=lambda: os.cpu_count() or 1)
    in_role: bool = False
    timeouts: Timeouts = USUAL_TIMEOUTS

    def audits(
        self, tenant: str, thread_ids: Iterable[str], *, positions: range
    ) -> Iterator[tuple[str, Audit]]:
        """Yield the audit of each thread, in the order of their ids; see `audit_thread`.

        Raises:
            AuditProcessEnded: a process ended by itself.
        """
        ids, done = iter(thread_ids), 0
        batches = iter(lambda: list(islice(ids, _BATCH)), [])
        audit = partial(_audit_batch, self, tenant, positions)
        try:
            for audited in map_in_processes(audit, batches, processes=self.count):
                yield from audited
                done += len(audited)
        except WorkerEnded as error:
            raise AuditProcessEnded(done) from error


@cache
def _own_database(processes: AuditProcesses) -> Database:
    """Return the database of this process, open until it ends."""
    database = Database(
        processes.url,
        pool_size=1,
        in_role=processes.in_role,
        timeouts=processes.timeouts,
        write_access=WriteAccess(forbidden=True),  # it only reads, also where nothing may write
    )
    database.open()
    return database


def _audit_batch(
    processes: AuditProcesses, tenant: str, positions: range, thread_ids: Sequence[str]
) -> list[tuple[str, Audit]]:
    database = _own_database(processes).confined(tenant)
    return [
        (thread_id, audit_thread(database, tenant, thread_id, positions=positions))
        for thread_id in thread_ids
    ]
