"""Stream of the whole log, optionally filtered."""

from collections.abc import Sequence

from fastapi.sse import KEEPALIVE_COMMENT
from typing_extensions import override

from agentlog.api.http.streaming.sse_framing import log_frame, place_frame
from agentlog.api.http.streaming.sse_response import MOST, Stream
from agentlog.api.http.streaming.subscribers import TenantFollowers
from agentlog.api.tails import LogFilter, Pace
from agentlog.domain.events import Event
from agentlog.infrastructure.subscriptions.hub import HubEntry, Paging

_WINDOW = 10_000
"""Positions searched per query, where few events pass the filter."""
_FAR = 1000
"""Positions without an event for the client, after which it gets a new place to resume from."""


class LogStream(Stream):
    """Streams events after a position; `present` is the log's current position."""

    def __init__(  # noqa: PLR0913 - what is asked for, and where it stands
        self,
        following: TenantFollowers,
        which: LogFilter,
        *,
        position: int,
        present: int,
        finite: bool,
        pace: Pace | None,
    ) -> None:
        super().__init__(following, finite=finite, pace=pace)
        self._which = which
        self._position = self._announced = position
        self._present = present
        self._paging = Paging()

    @override
    def recent(self) -> tuple[Sequence[bytes], bool] | None:
        if self._which.all:
            return self._shared()
        entries = self.following.hub.log_after(self._position, limit=MOST)
        if entries is None:
            return None
        frames = [frame for entry in entries for frame in self._pass(entry)]
        return [*frames, *self._silence()], len(entries) == MOST

    @override
    def older(self) -> tuple[Sequence[bytes], bool]:
        upto = self._present if self.finite else self.following.hub.position
        events = self._page(upto)
        frames = [frame for event in events for frame in self._pass(HubEntry(event))]
        return [*frames, *self._silence()], self._position < upto

    @override
    def past(self) -> Sequence[Event]:
        while self._position < self._present:
            events = self._page(self._present)
            taken = [event for event in events if self._which.takes(event)]
            if taken:
                return taken
        return ()

    @override
    def tell(self, event: Event) -> Sequence[bytes]:
        self._announced = event.position or 0
        return [log_frame(HubEntry(event))]

    @override
    def end(self) -> Sequence[bytes]:
        return [place_frame(self._position)] if self._announced < self._position else ()

    @override
    def heartbeat(self) -> bytes:
        if self._announced < self._position:
            self._announced = self._position
            return place_frame(self._position)
        return KEEPALIVE_COMMENT

    def _shared(self) -> tuple[Sequence[bytes], bool] | None:
        """Return frames shared by all followers at this position; joined once."""
        before, after, piece = self.following.shared
        if before != self._position or after != self.following.hub.position:
            entries = self.following.hub.log_after(self._position, limit=MOST)
            if entries is None:
                return None
            if not entries:
                return (), False
            after = entries[-1].event.position or 0
            piece = b"".join(map(log_frame, entries))
            self.following.shared = (self._position, after, piece)
        self._position = self._announced = after
        return [piece], after < self.following.hub.position

    def _page(self, upto: int) -> Sequence[Event]:
        """Read the next events, up to `upto` at most, and move the position."""
        upto = min(upto, self._position + _WINDOW)
        events = self.following.hub.reader.log(
            after=self._position, upto=upto, types=self._which.types, limit=self._paging.limit
        )
        full = self._paging.read(events)
        self._position = (events[-1].position or 0) if full else max(upto, self._position)
        return events

    def _pass(self, entry: HubEntry) -> Sequence[bytes]:
        position = entry.event.position or 0
        self._position = max(self._position, position)
        if not self._which.takes(entry.event):
            return ()
        self._announced = position
        return [log_frame(entry)]

    def _silence(self) -> Sequence[bytes]:
        if self._position - self._announced < _FAR:
            return ()
        self._announced = self._position
        return [place_frame(self._position)]
