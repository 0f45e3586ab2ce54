"""Stream of one thread in any view."""

from collections.abc import Sequence

from typing_extensions import override

from agentlog.api.http.streaming.sse_framing import Framing
from agentlog.api.http.streaming.sse_response import MOST, Stream
from agentlog.api.http.streaming.subscribers import TenantFollowers
from agentlog.api.tails import Pace, Tail
from agentlog.domain.events import Event
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.subscriptions.hub import Paging
from agentlog.projections.followed_view import FollowUpdate


class ThreadStream(Stream):
    """Streams a thread from the place of a tail."""

    def __init__(
        self,
        following: TenantFollowers,
        tail: Tail,
        framing: Framing,
        *,
        finite: bool,
        pace: Pace | None,
    ) -> None:
        super().__init__(following, finite=finite, pace=pace)
        self._tail = tail
        self._live = tail.live
        self._framing = framing
        self._version = tail.version
        self._paging = Paging()
        self.opening = framing.opening
        self.patient = tail.live.patient

    @override
    def recent(self) -> tuple[Sequence[bytes], bool] | None:
        entries = self.following.hub.thread_after(self._tail.thread_id, self._version, limit=MOST)
        if entries is None:
            return None
        frames = [frame for entry in entries for frame in self.tell(entry.event)]
        return frames, len(entries) == MOST

    @override
    def older(self) -> tuple[Sequence[bytes], bool]:
        events = self._page(self._tail.present if self.finite else BIGGEST)
        more = self._paging.read(events)
        return [frame for event in events for frame in self.tell(event)], more

    @override
    def past(self) -> Sequence[Event]:
        events = self._page(self._tail.present)
        self._paging.read(events)
        return events

    @override
    def tell(self, event: Event) -> Sequence[bytes]:
        self._version = event.version
        return self._frames(self._live.fold(event))

    @override
    def present(self) -> Sequence[bytes]:
        return self._frames(self._live.present())

    @override
    def end(self) -> Sequence[bytes]:
        return self._frames(self._live.end())

    @override
    def heartbeat(self) -> bytes:
        return self._framing.heartbeat

    def _page(self, upto: int) -> Sequence[Event]:
        return self.following.hub.reader.events(
            self._tail.thread_id, after=self._version, upto=upto, limit=self._paging.limit
        )

    def _frames(self, updates: Sequence[FollowUpdate]) -> Sequence[bytes]:
        return [self._framing.frame(update) for update in updates]
