"""Which views somebody reads: those that are worth having ready."""

import threading

from projections.registry import AnyView
from projections.view import Options


class ViewsInUse:
    """The views that were asked for last, at most so many."""

    def __init__(self, *, most: int = 8) -> None:
        self._most = most
        self._views: dict[tuple[str, Options], AnyView] = {}  # the latest last
        self._changing = threading.Lock()

    @property
    def views(self) -> list[AnyView]:
        """The views, those that were asked for longest ago first."""
        with self._changing:
            return list(self._views.values())

    def note(self, view: AnyView) -> None:
        """Take down that somebody asked for a view."""
        key = view.name, view.options
        with self._changing:
            self._views.pop(key, None)
            self._views[key] = view
            if len(self._views) > self._most:
                del self._views[next(iter(self._views))]
