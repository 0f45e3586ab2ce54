"""In-memory cache of what was folded of threads, so that a repeated read folds only new events.

A view's entry holds its items, the carry to go on from, and the link of the hash chain at its
version. An entry of another history, such as that of a database restored since, is not used.
"""

import threading
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from agentlog.infrastructure.appending.append_request import ThreadKey
from agentlog.projections.registry import AnyView
from agentlog.projections.view import Options, Printed

_SHARE = 4
"""What is larger than this fraction of the cache is not kept."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A whole view at a version; `size` is that of its events and items, in bytes."""

    version: int
    chain: bytes
    carry: Any
    settled: Sequence[Printed]
    size: int


class Sized(Protocol):
    """Something of a known size in bytes."""

    @property
    def size(self) -> int: ...  # noqa: D102 - as the class


NameT = TypeVar("NameT", bound=Hashable)
SizedT = TypeVar("SizedT", bound=Sized)


class RecentOfThreads(Generic[NameT, SizedT]):
    """An LRU cache of at most `most_bytes` in all, by thread and name; tenants share it."""

    def __init__(self, *, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: dict[tuple[ThreadKey, NameT], SizedT] = {}  # most recently used last
        self._bytes = 0
        self._erasures = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Bytes of all that is cached."""
        return self._bytes

    @property
    def most_of_one(self) -> int:
        """Bytes of what is cached at most of one thread by one name."""
        return self._most_bytes // _SHARE

    @property
    def erasures(self) -> int:
        """The number of erasures so far; read before contents are, and passed to `put`."""
        return self._erasures

    def discard(self, thread: ThreadKey) -> None:
        """Evict all of a thread, and reject `put` for what was read before now."""
        with self._lock:
            self._erasures += 1
            for key in [key for key in self._kept if key[0] == thread]:
                self._bytes -= self._kept.pop(key).size

    def get(self, thread: ThreadKey, name: NameT) -> SizedT | None:
        """Return what is cached, or None."""
        with self._lock:
            value = self._kept.pop((thread, name), None)
            if value is not None:
                self._kept[thread, name] = value
        return value

    def take(self, thread: ThreadKey, name: NameT) -> SizedT | None:
        """Return what is cached, which is not from then on; or None."""
        with self._lock:
            value = self._kept.pop((thread, name), None)
            self._bytes -= 0 if value is None else value.size
        return value

    def put(self, thread: ThreadKey, name: NameT, value: SizedT, *, erasures: int = 0) -> None:
        """Cache a value; evict the least recently used ones where there is no room.

        `erasures` is the count from before the read: if it has changed since, it is not cached.
        """
        with self._lock:
            if erasures != self._erasures:
                return
            old = self._kept.pop((thread, name), None)
            self._bytes -= 0 if old is None else old.size
            if value.size > self.most_of_one:
                return
            self._kept[thread, name] = value
            self._bytes += value.size
            while self._bytes > self._most_bytes:
                self._bytes -= self._kept.pop(next(iter(self._kept))).size


ViewName = tuple[str, Options]


class Growing:
    """Items that are kept as long as they may be cached; `size` is in bytes."""

    def __init__(self, items: Sequence[Printed], size: int, *, most_bytes: int) -> None:
        self.items: list[Printed] | None = list(items)
        self.size = size
        self._most_bytes = most_bytes

    def add(self, items: Sequence[Printed]) -> None:
        """Keep more items, or none any more."""
        self.size += sum(len(item.text) for item in items)
        if self.size > self._most_bytes:
            self.items = None
        if self.items is not None:
            self.items += items


class RecentViews(RecentOfThreads[ViewName, Folded]):
    """The views that were read last, by their names and options."""

    def __init__(self, *, most_bytes: int = 16 * 2**20) -> None:
        super().__init__(most_bytes=most_bytes)


def name_of(view: AnyView) -> ViewName:
    """Return the name of a view in the cache."""
    return view.name, view.options
