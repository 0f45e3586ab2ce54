"""Precomputation of views: folds threads as they grow, so that reads find snapshots.

Whichever process makes a thread grow, a serving process folds it in all views in use,
asynchronously, in a thread that works at most a fifth of the time.
"""

import logging
import time
from collections.abc import Iterator

from typing_extensions import override

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.appending.append_request import ThreadKey
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.postgres.notifications import APPENDED, Listener
from agentlog.infrastructure.postgres.watcher import Watch
from agentlog.infrastructure.tenants import Tenant, Tenants
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.projections.registry import AnyView

logger = logging.getLogger("agentlog")

LATEST = 100
"""Most existing threads that are checked at the start."""

_PAGE = 1000
_MOST_KNOWN = 20_000
_REST = 4  # times the duration of a step


class Ahead(Watch):
    """Folds growing threads while it is open; `pause_seconds` pass between two looks."""

    def __init__(self, tenants: Tenants, listener: Listener, *, pause_seconds: float = 1.0) -> None:
        self._tenants = tenants
        self._pause_seconds = pause_seconds
        self._places: dict[str, int] = {}  # by tenant: the position checked so far
        self._done: dict[ThreadKey, tuple[int, int]] = {}  # most recent last
        failing = "threads are not folded ahead"
        super().__init__(listener, APPENDED, name="ahead", failing=failing)

    @override
    def _look(self) -> None:
        began = time.monotonic()
        try:
            for tenant in list(self._tenants.values()):
                self._look_at(tenant)
        finally:
            self._closed.wait(max(self._pause_seconds, time.monotonic() - began))

    def _look_at(self, tenant: Tenant) -> None:
        """Fold the threads that have grown since the last look."""
        snapshots, reader = tenant.store.snapshots, tenant.hub.reader
        if snapshots is None:
            return
        if tenant.name not in self._places:
            latest = reader.heads(ThreadFilter(), before=None, limit=LATEST)
            self._places[tenant.name] = latest[-1].position - 1 if latest else 0
        grown = [("", 0, 0)] * _PAGE
        while len(grown) == _PAGE:
            grown = reader.grown(after=self._places[tenant.name], limit=_PAGE)
            for thread_id, version, position in grown:
                try:
                    for seconds in self._fold(tenant, snapshots, thread_id, version):
                        if self._closed.wait(seconds * _REST):
                            return
                except AgentlogError:
                    raise
                except Exception:  # the other threads are still to be folded
                    logger.exception("%s cannot be folded ahead", thread_id)
                self._places[tenant.name] = position

    def _fold(
        self, tenant: Tenant, snapshots: Snapshots, thread_id: str, version: int
    ) -> Iterator[float]:
        """Fold a thread in each view that lacks it; yield how many seconds each step took."""
        key = tenant.name, thread_id
        goal = version - version % snapshots.interval, tenant.store.in_use.changes
        if not goal[0]:
            return
        if self._done.pop(key, None) != goal:
            for view in tenant.store.in_use.views:
                yield from _steps(tenant, snapshots, thread_id, view, goal[0])
        self._done[key] = goal
        if len(self._done) > _MOST_KNOWN:
            del self._done[next(iter(self._done))]


def _steps(
    tenant: Tenant, snapshots: Snapshots, thread_id: str, view: AnyView, last: int
) -> Iterator[float]:
    """Fold a thread up to a version, from where snapshots are missing; yield seconds a step."""
    began = time.monotonic()
    missing = snapshots.missing(thread_id, view, last)
    fold = (
        tenant.store.fold_to(thread_id, view, missing[0] - snapshots.interval) if missing else None
    )
    yield time.monotonic() - began
    while fold is not None and fold.version < last:
        began = time.monotonic()
        fold.advance(fold.version + snapshots.interval)
        yield time.monotonic() - began
