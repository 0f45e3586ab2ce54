"""What a service has for each tenant, made when somebody of it first asks."""

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
from infrastructure.subscriptions.hub import Hub
from infrastructure.views.store import Store


@dataclass(frozen=True, slots=True)
class Tenant:
    """One tenant's log and what is made of it; `hub` starts when somebody first follows."""

    name: str
    store: Store
    hub: Hub
    analyst: Analyst
    reports: Reports
    proofs: Proofs
    derived: DerivedAuditor
    redactor: Redactor


class Tenants(Closing):
    """The tenants that somebody asked for; `make` puts one together and asks no database."""

    def __init__(self, make: Callable[[str], Tenant]) -> None:
        self._make = make
        self._known: dict[str, Tenant] = {}
        self._making = threading.Lock()

    def of(self, name: str) -> Tenant:
        """Return what there is for a tenant, whether or not it has any threads."""
        found = self._known.get(name)
        if found is None:
            with self._making:
                found = self._known.get(name)
                if found is None:
                    found = self._known[name] = self._make(name)
        return found

    def known(self) -> list[Tenant]:
        """Return those that somebody asked for so far."""
        return list(self._known.values())

    def forget(self, name: str, thread_id: str) -> None:
        """Keep nothing of a tenant's thread in memory: contents of it were erased."""
        found = self._known.get(name)
        if found is not None:
            found.store.recent.forget((name, thread_id))
            found.hub.forget()

    @override
    def close(self) -> None:
        for tenant in self.known():
            tenant.hub.close()
