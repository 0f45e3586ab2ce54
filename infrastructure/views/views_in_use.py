"""The views that precomputation writes snapshots of, and those that reads have missed."""

import threading
from functools import cached_property

from agentlog.projections.registry import VIEWS, AnyView, choose_view
from agentlog.projections.view import Options

_MOST_MISSED = 1000


class ViewsInUse:
    """The views to precompute: with default options, and the `most` others read last.

    `changes` counts how often a view was added.
    """

    def __init__(self, *, most: int = 8) -> None:
        self._most = most
        self._others: dict[tuple[str, Options], AnyView] = {}  # most recently used last
        self._missed: dict[tuple[str, str, Options], tuple[str, AnyView, int]] = {}
        self._changing = threading.Lock()
        self.changes = 0

    @cached_property
    def _usual(self) -> list[AnyView]:  # not imported by one that only reads a view
        return [choose_view(name) for name in VIEWS]

    @property
    def views(self) -> list[AnyView]:
        """The views, those with default options first."""
        with self._changing:
            return [*self._usual, *self._others.values()]

    def note(self, view: AnyView) -> None:
        """Record that a view was requested."""
        if view.name in VIEWS and view.options == view.options_type():
            return
        key = view.name, view.options
        with self._changing:
            self.changes += self._others.pop(key, None) is None
            self._others[key] = view
            if len(self._others) > self._most:
                del self._others[next(iter(self._others))]

    def miss(self, thread_id: str, view: AnyView, version: int) -> None:
        """Record that a read up to a version has missed snapshots; the latest are remembered."""
        key = thread_id, view.name, view.options
        with self._changing:
            self._missed.pop(key, None)
            self._missed[key] = thread_id, view, version
            if len(self._missed) > _MOST_MISSED:
                del self._missed[next(iter(self._missed))]

    def take_missed(self) -> list[tuple[str, AnyView, int]]:
        """Return the threads, views and versions of `miss` since the last call."""
        with self._changing:
            missed = list(self._missed.values())
            self._missed.clear()
        return missed
