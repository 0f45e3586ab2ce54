"""Streams events from a place in the log to the present, and then live.

Older events are read and folded in a thread, page by page as the client reads them; recent events
are sent from memory, in the event loop. Waiting needs no thread. A lost database ends no stream: it
resumes where it stopped.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from typing import Literal

from fastapi.sse import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from agentlog.api.http.streaming.subscribers import Follower, TenantFollowers
from agentlog.api.tails import Pace
from agentlog.domain.events import Event
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable

MOST = 512
"""Maximum number of events to send at once."""
_PIECE_BYTES = 64 * 2**10
_RETRY_SECONDS = 1.0

Then = Literal["go on", "wait", "end"]

_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


class Stream(ABC):
    """The content of one connection; sends events in order, each once.

    `finite`: it ends at the present. `pace`: the pace of past events.
    """

    opening = b""
    patient = False
    """Whether to send `present` only after a quiet period."""

    def __init__(self, following: TenantFollowers, *, finite: bool, pace: Pace | None) -> None:
        self.following = following
        self.finite = finite
        self._pace = pace

    @abstractmethod
    def recent(self) -> tuple[Sequence[bytes], bool] | None:
        """Return frames of events in memory, and whether more may follow; None if not in memory.

        Quick: it runs in the event loop.
        """

    @abstractmethod
    def older(self) -> tuple[Sequence[bytes], bool]:
        """Return frames of the log's next page, and whether there may be more."""

    @abstractmethod
    def past(self) -> Sequence[Event]:
        """Return the next page of past events to send at a pace; empty after the last."""

    @abstractmethod
    def tell(self, event: Event) -> Sequence[bytes]:
        """Return the frames of one event."""

    def present(self) -> Sequence[bytes]:
        """Return the frames to send where there are no more events for now."""
        return ()

    def end(self) -> Sequence[bytes]:
        """Return the last frames."""
        return self.present()

    @abstractmethod
    def heartbeat(self) -> bytes:
        """Return the heartbeat frame."""

    async def pieces(self, follower: Follower) -> AsyncGenerator[bytes]:
        """Yield bytes to send, until the end or until the client disconnects."""
        if self.opening:
            yield self.opening
        if self._pace is not None:
            async for piece in self._replay(follower, self._pace):
                yield piece
        while not follower.gone:
            follower.woken = False
            frames, then = await self._step(follower)
            pieces = joined(frames)
            del frames  # a slow client's frames are in memory only once
            for piece in pieces:
                yield piece
            if then == "end":
                return
            if then == "wait":
                while not await follower.wait(self.following.heartbeat_seconds):
                    yield self.heartbeat()

    async def _step(self, follower: Follower) -> tuple[Sequence[bytes], Then]:
        """Return the next frames, and the next step."""
        try:
            recent = None if self.finite else self.recent()
            frames, more = await run_in_threadpool(self.older) if recent is None else recent
        except DatabaseUnavailable:
            await follower.rest(_RETRY_SECONDS)
            return [self.heartbeat()], "go on"
        if more or (frames and self.patient and not self.finite):
            return frames, "go on"
        if self.finite:
            return [*frames, *self.end()], "end"
        if self.patient and await follower.wait(self.following.quiet_seconds):
            return (), "go on"
        return [*frames, *self.present()], "wait"

    async def _replay(self, follower: Follower, pace: Pace) -> AsyncGenerator[bytes]:
        while not follower.gone:
            try:
                events = await run_in_threadpool(self.past)
            except DatabaseUnavailable:
                yield self.heartbeat()
                await follower.rest(_RETRY_SECONDS)
                continue
            if not events:
                return
            for event in events:
                async for piece in self._pause(follower, pace.pause(event)):
                    yield piece
                for piece in joined(self.tell(event)):
                    yield piece

    async def _pause(self, follower: Follower, seconds: float) -> AsyncGenerator[bytes]:
        """Pause as between two messages; held items are sent meanwhile."""
        if seconds > self.following.quiet_seconds:
            for piece in joined(self.present()):
                yield piece
        while seconds > 0 and not follower.gone:
            step = min(seconds, self.following.heartbeat_seconds)
            await follower.rest(step)
            seconds -= step
            if seconds > 0:
                yield self.heartbeat()


class StreamResponse(EventSourceResponse):
    """A stream as a response; it ends when the client disconnects or the service stops."""

    def __init__(self, stream: Stream, thread_id: str | None) -> None:
        self._follower = stream.following.follow(thread_id)
        self._pieces = stream.pieces(self._follower)
        super().__init__(self._pieces, headers=_HEADERS)

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._follower as follower:
            listening = asyncio.create_task(_leave(receive, follower))
            try:
                await self.stream_response(send)
            finally:
                listening.cancel()
                await self._pieces.aclose()


async def _leave(receive: Receive, follower: Follower) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    follower.leave()


def joined(frames: Sequence[bytes]) -> Sequence[bytes]:
    """Return frames joined into few pieces of limited size."""
    if len(frames) <= 1:
        return frames
    blocks: list[bytes] = []
    held: list[bytes] = []
    size = 0
    for frame in frames:
        held.append(frame)
        size += len(frame)
        if size >= _PIECE_BYTES:
            blocks.append(b"".join(held))
            held, size = [], 0
    if held:
        blocks.append(b"".join(held))
    return blocks
