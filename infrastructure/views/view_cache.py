"""In-memory cache of recently read views, so that a repeated read folds only new events.

An entry holds the items of a whole view, the carry to go on from, and the link of the hash chain at
its version. An entry of another history, such as that of a database restored since, is not used.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentlog.infrastructure.appending.append_request import ThreadKey
from agentlog.projections.registry import AnyView
from agentlog.projections.view import Options, Printed

_SHARE = 4
"""A view larger than this fraction of the cache is not kept."""

CacheKey = tuple[ThreadKey, str, Options]
"""Key of a view: tenant and thread, name and options."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A whole view at a version; `size` is that of its events and items, in bytes."""

    version: int
    chain: bytes
    carry: Any
    settled: Sequence[Printed]
    size: int


class RecentViews:
    """An LRU cache of views, of at most `most_bytes` in all; tenants and threads share it."""

    def __init__(self, *, most_bytes: int = 16 * 2**20) -> None:
        self._most_bytes = most_bytes
        self._views: dict[CacheKey, Folded] = {}  # most recently used last
        self._bytes = 0
        self._erasures = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Bytes of all cached views."""
        return self._bytes

    @property
    def erasures(self) -> int:
        """The number of erasures so far; read before a view is folded, and passed to `put`."""
        return self._erasures

    def discard(self, thread: ThreadKey) -> None:
        """Evict all views of a thread, and reject `put` for views read before now."""
        with self._lock:
            self._erasures += 1
            for key in [key for key in self._views if key[0] == thread]:
                self._bytes -= self._views.pop(key).size

    def get(self, thread: ThreadKey, view: AnyView) -> Folded | None:
        """Return a cached view, or None."""
        key = _key(thread, view)
        with self._lock:
            folded = self._views.pop(key, None)
            if folded is not None:
                self._views[key] = folded
        return folded

    def put(self, thread: ThreadKey, view: AnyView, folded: Folded, *, erasures: int = 0) -> None:
        """Cache a view; evict the least recently used ones where there is no room.

        `erasures` is the count from before the read: if it has changed since, the view is not
        cached.
        """
        key = _key(thread, view)
        with self._lock:
            if erasures != self._erasures:
                return
            old = self._views.pop(key, None)
            self._bytes -= 0 if old is None else old.size
            if folded.size * _SHARE > self._most_bytes:
                return
            self._views[key] = folded
            self._bytes += folded.size
            while self._bytes > self._most_bytes:
                self._bytes -= self._views.pop(next(iter(self._views))).size


def _key(thread: ThreadKey, view: AnyView) -> CacheKey:
    return thread, view.name, view.options
