"""Search of one tenant's messages: candidates from the index, each checked against the log."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from psycopg.rows import tuple_row

from agentlog.domain.events import Event
from agentlog.domain.json.answers import Time, answer
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels.batch import recorded
from agentlog.infrastructure.search.hits import Hit, hit_of
from agentlog.infrastructure.search.index import MODEL, Candidates, Index
from agentlog.infrastructure.search.json_path import Tick, timer
from agentlog.infrastructure.search.query import Cursor, Query

SECONDS = 2.0
"""After this a search answers with what it has found so far."""

_FEW = 0.005
"""If fewer of them match, the search uses the index; if more do, it walks on."""

_FIRST_ROWS, _MOST_ROWS = 500, 8000
"""Rows walked at first, and at most at a time."""

_MOST_EVENTS = 500
"""Most events read at a time; twice as many each time, from those that a page may need."""


@answer
@dataclass(frozen=True, slots=True)
class Hits:
    """Messages that match, phrases first, then newest first, of the log up to position `asOf`.

    Only messages recorded after `searchedAfter` are searched; null where all are.

    With `next` there may be more: a page may have few items or none, where a search took long, and
    `next` is how far it came.
    """

    items: Sequence[Hit]
    as_of: int
    searched_after: Time | None
    next: str | None


class _Pass(NamedTuple):
    """Which messages a pass looks at, and how many hits it returns."""

    since: int
    before: int
    limit: int
    kept: Callable[[set[str]], set[str]] | None


class Search:
    """Search of one tenant's messages.

    `searched`: the connections for the index. Row-level security would prevent its use; what is
    found there is read again in `database`.
    """

    def __init__(
        self,
        database: Connections,
        *,
        tenant: str,
        searched: Connections,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._searched = searched
        self._tenant = tenant
        self._clock = clock

    def find(
        self,
        query: Query,
        *,
        after: str | None = None,
        limit: int = 20,
        kept: Callable[[set[str]], set[str]] | None = None,
    ) -> Hits:
        """Return the next messages that match, newest first; those that hold a phrase come first.

        `after` is the `next` of the page before. `kept` says of which threads, of some, messages
        count; None for all.

        Raises:
            InvalidCursor: `after` is no such cursor.
            NotYetBuilt: the read model is not built yet, or only in another version.
            PathTooSlow: a JSONPath takes too long on one message.
        """
        cursor = Cursor.of(after)
        begun = self._clock()
        index = Index(self._searched, self._tenant)
        query = index.narrowed(query)
        bounds = index.bounds(query)
        ask = _Pass(bounds.since, min(cursor.before, bounds.upto), limit, kept)
        phrases = query.as_phrase
        hits: list[Hit] = []
        if phrases is not None and cursor.of_phrases:
            hits, reached = self._pass(index, phrases, ask, until=begun + SECONDS / 2)
            if reached is not None and len(hits) == limit:
                return Hits(hits, bounds.as_of, index.searched_after(), str(Cursor(reached)))
            cursor = Cursor(bounds.upto, of_phrases=False, phrases_from=reached or bounds.since)
            ask = ask._replace(before=bounds.upto, limit=limit - len(hits))
        if ask.limit == 0:
            return Hits(hits, bounds.as_of, index.searched_after(), str(cursor))

        def is_shown(event: Event) -> bool:
            return (
                phrases is not None
                and (event.position or 0) >= cursor.phrases_from
                and hit_of(phrases, event, self._timer(event)) is not None
            )

        others, reached = self._pass(index, query, ask, until=begun + SECONDS, is_shown=is_shown)
        following = cursor._replace(before=reached or 0, of_phrases=False)
        return Hits(
            [*hits, *others],
            bounds.as_of,
            index.searched_after(),
            None if reached is None else str(following),
        )

    def _pass(
        self,
        index: Index,
        query: Query,
        ask: "_Pass",
        *,
        until: float,
        is_shown: Callable[[Event], bool] = lambda _: False,
    ) -> tuple[list[Hit], int | None]:
        """Return the newest hits before a position, and where to go on; None at the end."""
        hits: list[Hit] = []
        for candidates in _candidates(index, query, since=ask.since, before=ask.before):
            for event in self._events(candidates.positions, at_a_time=ask.limit + 1, kept=ask.kept):
                hit = hit_of(query, event, self._timer(event))
                if hit is not None and not is_shown(event):
                    hits.append(hit)
                if len(hits) > ask.limit:
                    return hits[: ask.limit], hits[ask.limit - 1].position
                if self._clock() > until:
                    return hits, event.position
            if self._clock() > until and candidates.down_to > ask.since:
                return hits, candidates.down_to
        return hits, None

    def _events(
        self,
        positions: Sequence[int],
        *,
        at_a_time: int,
        kept: Callable[[set[str]], set[str]] | None,
    ) -> Iterator[Event]:
        """Yield the events at some positions, newest first, without files."""
        while positions:
            some = positions[:at_a_time]
            parameters = {"tenant": self._tenant, "positions": list(some)}
            with (
                self._database.connection() as connection,
                connection.cursor(binary=True, row_factory=tuple_row) as cursor,
            ):
                rows = cursor.execute(statement("select_found"), parameters).fetchall()
                size = MODEL.long_text_bytes
                events = [match.event for match in recorded(cursor, rows, sizes=[size])[size]]
            threads = {event.thread_id for event in events}
            wanted = threads if kept is None else kept(threads)
            yield from (event for event in events if event.thread_id in wanted)
            # fewer where their texts are long
            last = (events[-1].position if events else None) or some[-1]
            positions = [position for position in positions if position < last]
            at_a_time = min(2 * at_a_time, _MOST_EVENTS)

    def _timer(self, event: Event) -> Tick:
        place = "where", event.thread_id, event.version
        return timer(*place, seconds=SECONDS, clock=self._clock)


def _candidates(index: Index, query: Query, *, since: int, before: int) -> Iterator[Candidates]:
    """Yield candidates, newest first, down to a position.

    The newest rows are walked, where many match; the index finds those that are few.
    """
    walks, few, reach = not query.threads, _MOST_EVENTS, _FIRST_ROWS
    while before > since:
        if walks:
            matches = index.walk(query, since, before, reach)
            walks = not query.narrows or matches.share >= _FEW
            reach = min(4 * reach, _MOST_ROWS)
        else:
            matches = index.look_up(query, since, before, few)
            few *= 4
        yield matches
        before = matches.down_to
