"""Subscription hub: one reader of the log a process, with its latest events in memory.

Followers have no queues here. A follower has a place, and asks for events after it: the ring buffer
has the latest, the log has older ones. So a slow follower delays no other, and takes no memory in
the hub.
"""

import logging
import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.listening.notifications import APPENDED, Listener
from agentlog.infrastructure.postgres.listening.watcher import Looking
from agentlog.infrastructure.runtime.background import Callbacks

logger = logging.getLogger("agentlog")

_PAUSE_SECONDS = 0.25
_SMALL_PAGE, _LARGE_PAGE = 32, 512
_PAGE_BYTES = 128 * 2**10  # which each of thousands of followers may have in memory


class HubEntry:
    """An event in memory, and its frame, made by the first follower that needs it and shared."""

    __slots__ = ("event", "frame")

    def __init__(self, event: Event) -> None:
        self.event = event
        self.frame: bytes | None = None


OnEntries = Callable[[Sequence[HubEntry]], None]


class Paging:
    """Adapts how many events to read at once to their size."""

    __slots__ = ("limit",)

    def __init__(self) -> None:
        self.limit = _SMALL_PAGE

    def read(self, events: Sequence[Event]) -> bool:
        """Adapt to a page that was read with `limit`; return whether there may be more."""
        full = len(events) >= self.limit
        if sum(len(event.body) for event in events) > _PAGE_BYTES:
            self.limit = max(1, self.limit // 4)
        elif full:
            self.limit = min(_LARGE_PAGE, 2 * self.limit)
        return full


class Hub(Looking):
    """Reads one tenant's log as it grows, in a thread of its own, while there are followers.

    It keeps at most `most_events` of the latest events, with bodies of at most `most_bytes`; their
    parsed form is kept too, and is several times as large.
    """

    def __init__(
        self,
        reader: LogReader,
        listener: Listener,
        *,
        most_events: int = 8192,
        most_bytes: int = 8 * 2**20,
    ) -> None:
        super().__init__(
            name="hub", failing="the log cannot be followed", retry_seconds=_PAUSE_SECONDS
        )
        self.reader = reader
        """For what the ring does not have."""
        self._listener = listener
        self._ring = _Ring(most_events, most_bytes)
        self._callbacks = Callbacks[[Sequence[HubEntry]]]("who follows the log could not be told")
        self._changing = threading.Lock()
        self._is_resuming = False
        self._end: Callable[[], None] = lambda: None

    @property
    def position(self) -> int:
        """The position up to which the log has been read."""
        return self._ring.position

    def start(self) -> None:
        """Be ready for followers, unless it is already; raises `DatabaseUnavailable`."""
        if self._thread.ident is not None:
            return
        position = self.reader.position()
        with self._changing:
            if self._thread.ident is not None or self._closed.is_set():
                return
            self._ring.begin(position)
            self._begin()

    def attach(self, callback: OnEntries) -> Callable[[], None]:
        """Call `callback` with new entries, in the hub's thread; one call serves all followers.

        Called with no entries if there are some that the hub has not read, or the log went back.
        Returns a function that detaches it; the hub reads nothing while none is attached.
        `callback` must be quick.
        """
        with self._changing:
            if not self._callbacks:
                self._is_resuming = True
                self._end = self._listener.on(APPENDED, self._woken.set)
            end = self._callbacks.add(callback)
        self._woken.set()  # events before this were not notified

        def detach() -> None:
            with self._changing:
                had_some = bool(self._callbacks)
                end()
                if had_some and not self._callbacks:
                    self._end()
                    self._ring.discard()

        return detach

    def log_after(self, position: int, *, limit: int) -> Sequence[HubEntry] | None:
        """Return events of the log after a position; None if they have to be read from the log."""
        return self._ring.after(position, limit)

    def thread_after(
        self, thread_id: str, version: int, *, limit: int
    ) -> Sequence[HubEntry] | None:
        """Return events of a thread after a version; None if they have to be read from the log."""
        return self._ring.of_thread(thread_id, version, limit)

    def discard(self) -> None:
        """Drop all events from memory, for example after an erasure; followers read the log."""
        self._ring.discard()

    @override
    def close(self) -> None:
        """Stop following."""
        with self._changing:
            self._closed.set()
        self._end()
        super().close()

    def _resume(self) -> None:
        """Go on where the last follower left, or from the end of the log if that is too far on."""
        last = self.reader.position()
        self._is_resuming = False
        if last - self.position > self._ring.most_events:
            self._ring.begin(last)  # what was before, followers read from the log
            self._callbacks.call(())

    @override
    def _look(self) -> None:
        if self._is_resuming:
            self._resume()
        if not self._callbacks:
            return
        paging = Paging()
        before = self.position
        more = True
        while more and not self._closed.is_set():
            discards = self._ring.discards
            events = self.reader.log(after=self.position, limit=paging.limit)
            more = paging.read(events)
            entries = self._ring.add(events, discards) if events else ()
            if entries is None:
                more = True  # an erasure since the read may concern these
            elif entries:
                self._callbacks.call(entries)
        if self.position > before:
            return
        last = self.reader.position()
        if last < before:
            logger.error(
                "the log went back from position %d to %d: its database was restored or replaced; "
                "who followed it goes on where it passes the place that they had come to",
                before,
                last,
            )
            self._ring.begin(last)
            self._callbacks.call(())


class _Ring:
    """Ring buffer of the latest events: all after a floor, by position and by thread."""

    def __init__(self, most_events: int, most_bytes: int) -> None:
        self.position = 0
        self.discards = 0
        """How often all was discarded."""
        self._floor = 0
        self.most_events, self._most_bytes = most_events, most_bytes
        self._bytes = 0
        self._entries: list[HubEntry] = []
        self._threads: dict[str, deque[HubEntry]] = {}
        self._lock = threading.Lock()

    def begin(self, position: int) -> None:
        """Clear it, and continue from `position`."""
        with self._lock:
            self.position = position
            self._clear()

    def discard(self) -> None:
        """Clear it, and reject events read before now."""
        with self._lock:
            self.discards += 1
            self._clear()

    def add(self, events: Sequence[Event], discards: int) -> Sequence[HubEntry] | None:
        """Add the events after `position`; return their entries.

        `discards` is the counter's value before they were read; returns None if it has changed.
        """
        entries = [HubEntry(event) for event in events]
        with self._lock:
            if discards != self.discards:
                return None
            self._entries += entries
            for entry in entries:
                self._threads.setdefault(entry.event.thread_id, deque()).append(entry)
                self._bytes += len(entry.event.body)
            self.position = _position(entries[-1])
            self._discard()
        return entries

    def after(self, position: int, limit: int) -> Sequence[HubEntry] | None:
        with self._lock:
            if position < self._floor:
                return None
            begin = bisect_right(self._entries, position, key=_position)
            return self._entries[begin : begin + limit]

    def of_thread(self, thread_id: str, version: int, limit: int) -> Sequence[HubEntry] | None:
        with self._lock:
            events = self._threads.get(thread_id)
            if events is None or events[0].event.version > version + 1:
                return None
            begin = version + 1 - events[0].event.version  # versions have no gaps
            return list(islice(events, begin, begin + limit))

    def _clear(self) -> None:
        self._floor = self.position
        self._bytes = 0
        self._entries = []
        self._threads = {}

    def _discard(self) -> None:
        count = 0
        over = len(self._entries) - self.most_events
        while count < over or self._bytes > self._most_bytes:
            event = self._entries[count].event
            self._bytes -= len(event.body)
            of_thread = self._threads[event.thread_id]
            of_thread.popleft()
            if not of_thread:
                del self._threads[event.thread_id]
            count += 1
        if count:
            self._floor = _position(self._entries[count - 1])
            del self._entries[:count]


def _position(entry: HubEntry) -> int:
    return entry.event.position or 0
