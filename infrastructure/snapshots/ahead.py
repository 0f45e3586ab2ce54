"""Folding threads ahead as they grow: whoever reads them next finds snapshots, and folds little.

Whichever process makes a thread grow, one that serves folds it in the views that its readers ask
for: after the fact, in a thread of its own, which is at work half of the time at most.
"""

import logging
import threading
import time
from collections.abc import Iterator

from typing_extensions import override

from domain.errors import AgentlogError
from infrastructure.closing import Closing
from infrastructure.listening import APPENDED, Listener
from infrastructure.snapshots.snapshots import Snapshots
from infrastructure.tenants import Tenant, Tenants
from projections.registry import AnyView
from projections.view import Options

_logger = logging.getLogger("agentlog")

_PAGE = 1000
_MOST_KNOWN = 10_000

_Key = tuple[str, str, str, Options]
"""Tenant, thread, and the view's name and options."""


class Ahead(Closing):
    """Folds what grows while it is open; `pause_seconds` are between two looks."""

    def __init__(self, tenants: Tenants, listener: Listener, *, pause_seconds: float = 1.0) -> None:
        self._tenants = tenants
        self._pause_seconds = pause_seconds
        self._places: dict[str, int] = {}  # of tenants: the position they were looked at up to
        self._done: dict[_Key, int] = {}  # the version that was folded to, the latest last
        self._rung = threading.Event()
        self._closed = threading.Event()
        self._end = listener.on(APPENDED, self._rung.set)
        self._thread = threading.Thread(target=self._work, name="ahead", daemon=True)
        self._thread.start()

    @override
    def close(self) -> None:
        self._closed.set()
        self._end()
        self._rung.set()
        self._thread.join()

    def _work(self) -> None:
        failing = False
        while not self._closed.is_set():
            self._rung.wait()
            self._rung.clear()
            began = time.monotonic()
            try:
                for tenant in self._tenants.known():
                    self._look(tenant)
            except AgentlogError as error:  # the listener rings again at its next poll
                if not failing and not self._closed.is_set():
                    _logger.warning("threads are not folded ahead, trying on: %s", error)
                failing = True
            else:
                failing = False
            self._closed.wait(max(self._pause_seconds, time.monotonic() - began))

    def _look(self, tenant: Tenant) -> None:
        """Fold what has grown since the last look, if anybody reads anything."""
        snapshots, reader = tenant.store.snapshots, tenant.hub.reader
        if snapshots is None or not tenant.store.in_use.views:
            return
        if tenant.name not in self._places:  # what is there already is for whoever reads it
            self._places[tenant.name] = reader.position()
            return
        grown = [("", 0, 0)] * _PAGE
        while len(grown) == _PAGE:
            grown = reader.grown(after=self._places[tenant.name], limit=_PAGE)
            for thread_id, version, position in grown:
                for seconds in self._fold(tenant, snapshots, thread_id, version):
                    if self._closed.wait(seconds):
                        return
                self._places[tenant.name] = position

    def _fold(
        self, tenant: Tenant, snapshots: Snapshots, thread_id: str, version: int
    ) -> Iterator[float]:
        """Fold a thread, view by view; yield after each step how many seconds it took."""
        last = version - version % snapshots.interval
        for view in tenant.store.in_use.views if last else ():
            key = (tenant.name, thread_id, view.name, view.options)
            if self._done.pop(key, 0) < last:
                yield from _fold_view(tenant, snapshots, thread_id, view, last)
            self._done[key] = last
            if len(self._done) > _MOST_KNOWN:
                del self._done[next(iter(self._done))]


def _fold_view(
    tenant: Tenant, snapshots: Snapshots, thread_id: str, view: AnyView, last: int
) -> Iterator[float]:
    missing = snapshots.missing(thread_id, view, last)
    if not missing:
        return
    began = time.monotonic()
    fold = tenant.store.fold_to(thread_id, view, missing[0] - snapshots.interval)
    for version in range(missing[0], last + 1, snapshots.interval):
        fold.advance(version)
        yield time.monotonic() - began
        began = time.monotonic()
