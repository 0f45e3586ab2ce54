"""Per-tenant objects of the service, made on first use."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from typing_extensions import override

from infrastructure.analysts.analyst import Analyst
from infrastructure.audit.proofs import Proofs
from infrastructure.derived_audit import DerivedAuditor
from infrastructure.erasure.redactor import Redactor
from infrastructure.reports.reports import Reports
from infrastructure.runtime.closeable import Closing
from infrastructure.search.search import Search
from infrastructure.subscriptions.hub import Hub
from infrastructure.views.store import Store


@dataclass(frozen=True, slots=True)
class Tenant:
    """One tenant's log and the objects on it; `hub` starts with the first follower."""

    name: str
    store: Store
    hub: Hub
    analyst: Analyst
    reports: Reports
    search: Search
    proofs: Proofs
    derived: DerivedAuditor
    redactor: Redactor


class Tenants(Closing):
    """The tenants used so far; `make` constructs one, without database access."""

    def __init__(self, make: Callable[[str], Tenant]) -> None:
        self._make = make
        self._known: dict[str, Tenant] = {}
        self._making = threading.Lock()

    def of(self, name: str) -> Tenant:
        """Return a tenant, whether or not it has any threads."""
        found = self._known.get(name)
        if found is None:
            with self._making:
                found = self._known.get(name)
                if found is None:
                    found = self._known[name] = self._make(name)
        return found

    def known(self) -> list[Tenant]:
        """Return the tenants used so far."""
        return list(self._known.values())

    def forget(self, name: str, thread_id: str) -> None:
        """Drop a tenant's thread from memory, as contents of it were erased."""
        found = self._known.get(name)
        if found is not None:
            found.store.recent.forget((name, thread_id))
            found.hub.forget()

    @override
    def close(self) -> None:
        for tenant in self.known():
            tenant.hub.close()
