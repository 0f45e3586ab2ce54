"""Precomputation of views: writes snapshots of threads as they grow, so that reads find them.

Whichever process makes a thread grow, a serving process folds it in all views in use,
asynchronously, in a thread that works at most a fifth of the time. It also writes what reads have
missed: snapshots of old threads, and of options that were not in use.
"""

import logging
import time
from collections.abc import Iterator
from typing import Any

from typing_extensions import override

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.appending.append_request import ThreadKey
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.postgres.listening.notifications import APPENDED, Listener
from agentlog.infrastructure.postgres.listening.watcher import Watch
from agentlog.infrastructure.tenants import Tenant, Tenants
from agentlog.infrastructure.views.snapshots.snapshot_writer import Passed
from agentlog.infrastructure.views.view_fold import CHUNK, Fold
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import AnyView
from agentlog.projections.view import StateView

logger = logging.getLogger("agentlog")

LATEST = 100
"""Most existing threads that are checked at the start."""

_PAGE = 1000
_MOST_KNOWN = 20_000
_REST = 4  # times the duration of a step


def write_snapshots(views: Views, thread_id: str, view: AnyView, upto: int) -> Iterator[int]:
    """Write the missing snapshots of a view up to a version; yield how far each step has come."""
    snapshots, interval = views.snapshots, views.snapshots.interval
    missing = snapshots.missing(thread_id, view, upto)
    if not missing:
        return
    start = snapshots.nearest(thread_id, view, missing[0] - interval)
    writer = snapshots.writer(thread_id, view, start)
    fold = Fold(views.reader, thread_id, view, start)
    while fold.version + interval <= upto:
        passed: list[Passed[Any]] = []
        last = min(upto, fold.version + max(interval, CHUNK))
        while fold.version + interval <= last:
            before = fold.body_bytes
            items = fold.read_all(fold.version + interval)
            kept = None if isinstance(view, StateView) else items
            passed.append(Passed(fold.version, fold.carry, fold.body_bytes - before, kept))
        if fold.lacking:
            return
        writer.write(passed)
        yield fold.version


class Precomputation(Watch):
    """Writes snapshots while it is open; `pause_seconds` pass between two looks."""

    def __init__(self, tenants: Tenants, listener: Listener, *, pause_seconds: float = 1.0) -> None:
        self._tenants = tenants
        self._pause_seconds = pause_seconds
        self._places: dict[str, int] = {}  # by tenant: the position checked so far
        self._done: dict[ThreadKey, tuple[int, int]] = {}  # most recent last
        failing = "threads are not folded ahead"
        super().__init__(listener, APPENDED, name="precomputation", failing=failing)

    @override
    def _look(self) -> None:
        began = time.monotonic()
        try:
            for tenant in list(self._tenants.values()):
                for thread_id, view, version in self._candidates(tenant):
                    self._write(tenant.views, thread_id, view, version)
                    if self._closed.is_set():
                        return
        finally:
            self._closed.wait(max(self._pause_seconds, time.monotonic() - began))

    def _candidates(self, tenant: Tenant) -> Iterator[tuple[str, AnyView, int]]:
        """Yield what may lack snapshots: what reads have missed, and threads that have grown."""
        reader, in_use = tenant.views.reader, tenant.views.in_use
        interval = tenant.views.snapshots.interval
        if tenant.name not in self._places:
            latest = reader.heads(ThreadFilter(), before=None, limit=LATEST)
            self._places[tenant.name] = latest[-1].position - 1 if latest else 0
        yield from in_use.take_missed()
        grown = [("", 0, 0)] * _PAGE
        while len(grown) == _PAGE:
            grown = reader.grown(after=self._places[tenant.name], limit=_PAGE)
            for thread_id, version, position in grown:
                key, goal = (tenant.name, thread_id), (version - version % interval, in_use.changes)
                if goal[0] and self._done.pop(key, None) != goal:
                    for view in in_use.views:
                        yield thread_id, view, goal[0]
                        yield from in_use.take_missed()
                if goal[0]:
                    self._done[key] = goal
                if len(self._done) > _MOST_KNOWN:
                    del self._done[next(iter(self._done))]
                self._places[tenant.name] = position

    def _write(self, views: Views, thread_id: str, view: AnyView, version: int) -> None:
        """Write missing snapshots, and rest after each step for a multiple of its duration."""
        began = time.monotonic()
        try:
            for _ in write_snapshots(views, thread_id, view, version):
                if self._closed.wait((time.monotonic() - began) * _REST):
                    return
                began = time.monotonic()
        except AgentlogError:
            raise
        except Exception:  # the other threads are still to be folded
            logger.exception("%s cannot be folded ahead", thread_id)
