"""Bridges hub notifications to the event loop, with one call per batch."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Self

from typing_extensions import override

from agentlog.infrastructure.runtime.closeable import Closing
from agentlog.infrastructure.subscriptions.hub import Hub, HubEntry
from agentlog.infrastructure.tenants import Tenants


class Follower(Closing):
    """A follower of one thread or of the whole log, until the end of its block.

    `gone`: the client has disconnected, or the service stops.
    """

    __slots__ = ("_following", "_waiting", "gone", "thread_id", "woken")

    def __init__(self, following: "TenantFollowers", thread_id: str | None) -> None:
        self._following = following
        self._waiting: asyncio.Future[None] | None = None
        self.thread_id = thread_id
        self.woken = True
        self.gone = following.closed

    def wake(self) -> None:
        """Notify the follower of new events."""
        self.woken = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def leave(self) -> None:
        """Mark the client as disconnected."""
        self.gone = True
        self.wake()

    async def wait(self, seconds: float) -> bool:
        """Wait for new events, at most so many seconds; return whether there are any."""
        if not self.woken and not self.gone:
            loop = asyncio.get_running_loop()
            self._waiting = loop.create_future()
            timer = loop.call_later(seconds, _settle, self._waiting)
            try:
                await self._waiting
            finally:
                self._waiting = None
                timer.cancel()
        return self.woken

    async def rest(self, seconds: float) -> None:
        """Wait so many seconds, despite new events, or until the follower is gone."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not self.gone and (left := end - loop.time()) > 0:
            self.woken = False
            await self.wait(left)
        self.woken = True

    @override
    def __enter__(self) -> Self:
        self._following.add(self)
        return self

    @override
    def close(self) -> None:
        """Be told nothing more."""
        self._following.remove(self)


_NOTHING_SHARED = -1, -1, b""


class TenantFollowers:
    """The followers of a tenant in one event loop, by thread.

    `heartbeat_seconds`: the interval of heartbeats. `quiet_seconds`: the quiet period before an
    item that may still change is sent to clients that do not expect changes.
    """

    def __init__(
        self, hub: Hub, *, heartbeat_seconds: float = 15.0, quiet_seconds: float = 0.3
    ) -> None:
        self.hub = hub
        self.heartbeat_seconds = heartbeat_seconds
        self.quiet_seconds = quiet_seconds
        self.closed = False
        self.count = 0
        """The current number of followers."""
        self.shared: tuple[int, int, bytes] = _NOTHING_SHARED
        """The log frames joined last: after which position, up to which, and their bytes."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._detach: Callable[[], None] = lambda: None
        self._threads: dict[str | None, set[Follower]] = {}
        self._news: set[str] | None = None
        self._all_told = False
        self._telling = threading.Lock()

    def follow(self, thread_id: str | None) -> Follower:
        """Return a follower of a thread, or of the whole log; active within its block."""
        return Follower(self, thread_id)

    def add(self, follower: Follower) -> None:
        """Register a follower."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._detach()
            self._loop, self._news = loop, None
            self._detach = self.hub.attach(self._on_entries)
        self._threads.setdefault(follower.thread_id, set()).add(follower)
        self.count += 1

    def remove(self, follower: Follower) -> None:
        """Unregister a follower."""
        others = self._threads[follower.thread_id]
        others.discard(follower)
        self.count -= 1
        if not others:
            del self._threads[follower.thread_id]
        if not self.count:
            self._detach()
            self._loop, self.shared = None, _NOTHING_SHARED

    def close(self) -> None:
        """End every stream, and refuse new ones; call it in the event loop."""
        self.closed = True
        self._detach()
        for followers in list(self._threads.values()):
            for follower in list(followers):
                follower.leave()

    def _on_entries(self, entries: Sequence[HubEntry]) -> None:
        """Notify followers from the hub's thread, with one call into the loop per batch."""
        if not entries:  # some were not read, or the log was reset, and its positions repeat
            self.shared = _NOTHING_SHARED
        threads = {entry.event.thread_id for entry in entries}
        with self._telling:
            self._all_told = self._all_told or not entries
            if self._news is not None:
                self._news |= threads
                return
            self._news = threads
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        with self._telling:
            threads, self._news = self._news or set(), None
            concerned = self._threads.keys() if self._all_told else {None, *threads}
            self._all_told = False
        for thread_id in concerned & self._threads.keys():
            for follower in self._threads[thread_id]:
                follower.wake()


class Followers:
    """All followers, by tenant."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants
        self._known: dict[str, TenantFollowers] = {}
        self._closed = False

    @property
    def count(self) -> int:
        """The current number of followers."""
        return sum(followers.count for followers in self._known.values())

    def of(self, tenant: str) -> TenantFollowers:
        """Return the followers of a tenant; call it in the event loop."""
        followers = self._known.get(tenant)
        if followers is None:
            followers = self._known[tenant] = TenantFollowers(self._tenants[tenant].hub)
            followers.closed = self._closed
        return followers

    def close(self) -> None:
        """End every stream, and refuse new ones; call it in the event loop."""
        self._closed = True
        for followers in self._known.values():
            followers.close()


def _settle(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)
