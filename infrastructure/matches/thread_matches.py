"""The messages of a thread that a filter matches."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from agentlog.domain.events import Event
from agentlog.domain.json.answers import answer
from agentlog.domain.points_in_time import Moment
from agentlog.infrastructure.definitions.rules import Rules
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.search.hits import ThreadMatch
from agentlog.infrastructure.search.json_path import Tick, timer
from agentlog.infrastructure.views.views import Views
from agentlog.lazy import lazy_imports
from agentlog.projections.filters.expression import Expression
from agentlog.projections.search.message_texts import content_of

with lazy_imports():
    from agentlog.infrastructure.matches import message_filter

SECONDS = 2.0
"""After this an answer has what was found so far, and says where to go on."""

_FIRST_EVENTS, _MOST_EVENTS = 100, 2000
"""Events read at first, and the most at a time."""


@answer
@dataclass(frozen=True, slots=True)
class ThreadMatches:
    """Messages of a thread that match, in its order, as of its version `version`.

    With `next` there may be more: a page may have few items or none, where the thread is long.
    """

    thread_id: str
    version: int
    items: Sequence[ThreadMatch]
    next: str | None


class MatchFinder:
    """Finds the messages of one tenant's threads that a filter matches."""

    def __init__(
        self,
        views: Views,
        rules: Callable[[], Rules] = Rules,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._views = views
        self._rules = rules
        self._clock = clock

    def find(  # noqa: PLR0913 - one parameter a choice
        self,
        thread_id: str,
        where: Expression,
        *,
        at: Moment | None = None,
        after: int = 0,
        limit: int | None = None,
        hidden: bool = False,
    ) -> ThreadMatches:
        """Return the messages after a version that a filter of a thread matches.

        Raises:
            NotThere: the thread or the moment is not there.
            InvalidJsonPath: a path of the filter is none.
            PathTooSlow: a path takes too long on one message.
        """
        head = self._views.reader.head(thread_id, hidden=hidden)
        version = self._views.reader.version_at(head, at)
        tried = self._try_messages(head, where, version, after=after)
        items: list[ThreadMatch] = []
        until = self._clock() + SECONDS
        for event, match in tried:
            items += [] if match is None else [match]
            if (len(items) == limit or self._clock() > until) and event.version < version:
                return ThreadMatches(thread_id, version, items, str(event.version))
        return ThreadMatches(thread_id, version, items, None)

    def events(
        self, thread_id: str, where: Expression, *, at: Moment | None = None, hidden: bool = False
    ) -> Iterator[Event]:
        """Yield the messages that match, however long it takes; raises as `find` does."""
        head = self._views.reader.head(thread_id, hidden=hidden)
        for event, match in self._try_messages(
            head, where, self._views.reader.version_at(head, at)
        ):
            if match is not None:
                yield event

    def _try_messages(
        self, head: Head, where: Expression, version: int, *, after: int = 0
    ) -> Iterator[tuple[Event, ThreadMatch | None]]:
        """Return the messages after a version, each with its match."""
        reader, thread_id = self._views.reader, head.thread_id
        wanted = message_filter.MessageFilter(
            where,
            spans=lambda: self._views.timeline(head, version),
            shells=self._rules().shells,
            content_at=lambda at: content_of(reader.events(thread_id, after=at - 1, upto=at)[0]),
        )

        def tried(after: int) -> Iterator[tuple[Event, ThreadMatch | None]]:
            count = _FIRST_EVENTS
            while events := reader.events(thread_id, after=after, upto=version, limit=count):
                for event in events:
                    yield event, wanted.match(event, self._timer(event))
                after, count = events[-1].version, min(2 * count, _MOST_EVENTS)

        return tried(after)

    def _timer(self, event: Event) -> Tick:
        place = "filter", event.thread_id, event.version
        return timer(*place, seconds=SECONDS, clock=self._clock)
