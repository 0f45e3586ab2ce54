"""Per-tenant objects of the service, made on first use."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from typing_extensions import override

from agentlog.infrastructure.analysts.analyst import Analyst
from agentlog.infrastructure.audit.proofs import Proofs
from agentlog.infrastructure.comparison.comparer import Comparer
from agentlog.infrastructure.comparison.run_sets import RunSets
from agentlog.infrastructure.definitions.definitions import Definitions
from agentlog.infrastructure.derived_audit import DerivedAuditor
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.forks.forker import Forker
from agentlog.infrastructure.matches.thread_matches import ThreadMatches
from agentlog.infrastructure.reports.reports import Reports
from agentlog.infrastructure.reports.summaries import Summaries
from agentlog.infrastructure.reports.worker_trees import WorkerTrees
from agentlog.infrastructure.runtime.closeable import Closing
from agentlog.infrastructure.search.search import Search
from agentlog.infrastructure.subscriptions.hub import Hub
from agentlog.infrastructure.subscriptions.queue import Queue
from agentlog.infrastructure.subscriptions.subscriptions import Subscriptions
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.imports import Imports
from agentlog.infrastructure.transfer.open_histories import OpenHistories
from agentlog.infrastructure.transfer.traces.ingest import TraceIngest
from agentlog.infrastructure.transfer.uploads.uploads import Uploads
from agentlog.infrastructure.views.views import Views


@dataclass(frozen=True, slots=True)
class Tenant:
    """One tenant's log and the objects on it; `hub` starts with the first follower."""

    name: str
    threads: Threads
    views: Views
    hub: Hub
    analyst: Analyst
    reports: Reports
    summaries: Summaries
    workers: WorkerTrees
    search: Search
    matches: ThreadMatches
    definitions: Definitions
    proofs: Proofs
    derived: DerivedAuditor
    redactor: Redactor
    forker: Forker
    comparer: Comparer
    run_sets: RunSets
    traces: TraceIngest
    subscriptions: Subscriptions
    queue: Queue
    imports: Imports
    uploads: Uploads
    histories: OpenHistories


class Tenants(dict[str, Tenant], Closing):
    """The tenants used so far, by name; `make` constructs one, without database access.

    Any name has a tenant, whether or not that has threads.
    """

    def __init__(self, make: Callable[[str], Tenant]) -> None:
        super().__init__()
        self._make = make
        self._making = threading.Lock()

    def __missing__(self, name: str) -> Tenant:
        with self._making:
            if name not in self:
                self[name] = self._make(name)
        return self[name]

    def forget(self, name: str, thread_id: str) -> None:
        """Drop a tenant's thread from memory, as contents of it were erased."""
        tenant = self.get(name)
        if tenant is not None:
            tenant.views.recent.discard((name, thread_id))
            tenant.histories.recent.discard((name, thread_id))
            tenant.hub.discard()

    @override
    def close(self) -> None:
        for tenant in list(self.values()):
            tenant.hub.close()
