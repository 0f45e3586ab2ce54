"""Views as they were read last: whoever reads one again pays for what has come since.

An agent reads its own history before each turn, and a person looks at a thread that grows. What a
whole view came to stays in memory with the carry to go on from, and with the link of the hash chain
at which it stood: of another history, such as a database's that was restored, nothing is taken.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from infrastructure.appending.append_request import ThreadKey
from projections.registry import AnyView
from projections.view import Options, Printed

_SHARE = 4
"""A view that would take more than this part of all is not kept."""

Key = tuple[ThreadKey, str, Options]
"""Of a view: tenant and thread, name and options."""


@dataclass(frozen=True, slots=True)
class Folded:
    """What a whole view came to at a version; `size` in bytes is what its events and items take."""

    version: int
    chain: bytes
    carry: Any
    settled: Sequence[Printed]
    size: int


class RecentViews:
    """The views read last, of at most `most_bytes` in all; tenants and threads share it."""

    def __init__(self, *, most_bytes: int = 16 * 2**20) -> None:
        self._most_bytes = most_bytes
        self._views: dict[Key, Folded] = {}  # the latest last
        self._bytes = 0
        self._erasures = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Bytes that they take altogether."""
        return self._bytes

    @property
    def erasures(self) -> int:
        """How often something was erased: whoever reads a view asks before, and tells `put`."""
        return self._erasures

    def forget(self, thread: ThreadKey) -> None:
        """Forget all views of a thread, and whatever is being read just now of any."""
        with self._lock:
            self._erasures += 1
            for key in [key for key in self._views if key[0] == thread]:
                self._bytes -= self._views.pop(key).size

    def get(self, thread: ThreadKey, view: AnyView) -> Folded | None:
        """Return what is known of a view."""
        key = _key(thread, view)
        with self._lock:
            found = self._views.pop(key, None)
            if found is not None:
                self._views[key] = found
        return found

    def put(self, thread: ThreadKey, view: AnyView, folded: Folded, *, erasures: int = 0) -> None:
        """Remember a view, and forget those that were read longest ago where there is no room.

        `erasures` is what was said before it was read: after another, it is not to be remembered.
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


def _key(thread: ThreadKey, view: AnyView) -> Key:
    return thread, view.name, view.options
