"""The views to fold ahead of reads: all with default options, and those read recently."""

import threading

from projections.registry import VIEWS, AnyView, choose_view
from projections.view import Options


class ViewsInUse:
    """All views with their default options, and the `most` others requested last.

    `changes` counts how often a view was added.
    """

    def __init__(self, *, most: int = 8) -> None:
        self._most = most
        self._usual = [choose_view(name) for name in VIEWS]
        self._defaults = {(view.name, view.options) for view in self._usual}
        self._others: dict[tuple[str, Options], AnyView] = {}  # most recently used last
        self._changing = threading.Lock()
        self.changes = 0

    @property
    def views(self) -> list[AnyView]:
        """The views, those with default options first."""
        with self._changing:
            return [*self._usual, *self._others.values()]

    def note(self, view: AnyView) -> None:
        """Record that a view was requested."""
        key = view.name, view.options
        if key in self._defaults:
            return
        with self._changing:
            self.changes += self._others.pop(key, None) is None
            self._others[key] = view
            if len(self._others) > self._most:
                del self._others[next(iter(self._others))]
