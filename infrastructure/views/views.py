"""Reads of views: at any moment, by pages, as an outline, and the difference of two moments."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from agentlog.domain.identifiers import check_thread_id
from agentlog.domain.json.beginning import BEGINNING_BYTES
from agentlog.domain.points_in_time import AtVersion, Moment
from agentlog.infrastructure.definitions.rules import Rules
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.views.difference import difference
from agentlog.infrastructure.views.results import Difference, Outline, Page, State
from agentlog.infrastructure.views.snapshots.snapshot_writer import Start
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.view_cache import Folded, Growing, RecentViews, name_of
from agentlog.infrastructure.views.view_fold import CHUNK, Fold, beyond, place_of
from agentlog.infrastructure.views.views_in_use import ViewsInUse
from agentlog.lazy import lazy_imports
from agentlog.projections.context.sent import is_sent
from agentlog.projections.registry import AnyView
from agentlog.projections.view import BEFORE_ALL, Item, Place, Printed, StateView

with lazy_imports():
    from agentlog.infrastructure.views import endings
    from agentlog.projections.context import context
    from agentlog.projections.exchanges import model_call
    from agentlog.projections.outline import copied, groups, steps
    from agentlog.projections.views.timeline import view as timeline
    from agentlog.projections.why import trail as trails
    from agentlog.projections.why import why as reasons

_SPARE = 50
_PIECE = 100
"""Events that are read at first where items are wanted one after another."""
_LONGEST_ANSWER = 500
"""Messages after the one asked for that may be of its answer."""


class Views:
    """The views of one tenant's threads, folded from the nearest snapshot; thread-safe.

    `copies` are the answers of a thread that count in another, by their versions. Nothing is
    written: precomputation learns from `in_use` where snapshots are missing. A read
    knows of hidden threads if it is `hidden`.
    """

    def __init__(  # noqa: PLR0913 - what views are read with
        self,
        reader: LogReader,
        *,
        tenant: str,
        snapshots: Snapshots,
        recent: RecentViews | None = None,
        rules: Callable[[], Rules] = Rules,
        copies: Callable[[str], Mapping[int, str]] = lambda _: {},
    ) -> None:
        self.reader = reader
        self.snapshots = snapshots
        self.recent = RecentViews() if recent is None else recent
        self.in_use = ViewsInUse()
        self._tenant = tenant
        self._rules = rules
        self._copies = copies

    def view(  # noqa: PLR0913 - one parameter a choice
        self,
        thread_id: str,
        view: AnyView,
        *,
        at: Moment | None = None,
        after: str | None = None,
        limit: int | None = None,
        hidden: bool = False,
    ) -> Page | State:
        """Return a view of a thread at a moment; `after` is a page's `next`.

        Raises:
            NotThere: the thread or the moment is not there.
            InvalidCursor: `after` is no cursor.
        """
        place = BEFORE_ALL if after is None else place_of(after)
        self.in_use.note(view)
        head = self._head(thread_id, hidden=hidden)
        version = self.reader.version_at(head, at)
        position = self.reader.position_of(head, version)
        if isinstance(view, StateView):
            state = view.printable(self.fold_to(thread_id, view, version).carry)
            return State(thread_id, version, position, state)
        if limit is None:
            items = beyond(place, self._whole(head, view, version))
        else:
            items = self._page(thread_id, view, version, after=place, limit=limit)
        page = items if limit is None else items[:limit]
        cursor = page[-1].key if len(page) < len(items) else None
        events = self.reader.events(thread_id, upto=version) if is_sent(view) else None
        sent = None if events is None else context.context_at(events)
        return Page(thread_id, version, position, page, cursor, sent)

    def items(
        self, thread_id: str, view: AnyView, *, at: Moment | None = None
    ) -> Iterator[Printed]:
        """Yield all items of a view at a moment, so that a page of a long thread is soon read.

        Few are in memory at once. Raises `NotThere` at the first.
        """
        self.in_use.note(view)
        head = self._head(thread_id, hidden=False)
        version = self.reader.version_at(head, at)
        for piece in self._stream(head, view, version, chunk=_PIECE):
            yield from piece

    def outline(self, thread_id: str, *, at: Moment | None = None, hidden: bool = False) -> Outline:
        """Return a thread's steps up to a moment; raises `NotThere`."""
        head = self._head(thread_id, hidden=hidden)
        version = self.reader.version_at(head, at)
        items = [*self.timeline(head, version)]
        position = self.reader.position_of(head, version)
        return Outline(
            thread_id, version, position, steps.outline(items), groups.groups_of(items, version)
        )

    def why(
        self, thread_id: str, *, at: Moment | None = None, hidden: bool = False
    ) -> "reasons.Why":
        """Return why a run went as it went up to a moment; raises `NotThere`."""
        head = self._head(thread_id, hidden=hidden)
        version = self.reader.version_at(head, at)
        trail = trails.trail_of([*self.timeline(head, version)])
        messages = {
            place: event
            for place in reasons.versions_of(trail)
            for event in self.reader.events(
                thread_id, after=place - 1, upto=place, most_bytes=BEGINNING_BYTES
            )
        }
        place = thread_id, version, self.reader.position_of(head, version)
        return reasons.why_of(place, trail, messages, self.endings().at(thread_id, version))

    def endings(self) -> "endings.Endings":
        """Return how runs ended, by the tenant's rule of now."""
        return endings.Endings(self.reader, self._rules().success)

    def model_call(
        self, thread_id: str, version: int | None = None, *, hidden: bool = False
    ) -> "model_call.ModelCall":
        """Return the call that the message of a version came of; without one, the last.

        Raises:
            NotThere: the thread or the version is not there.
            NothingToAsk: no message stands before it.
        """
        head = self._head(thread_id, hidden=hidden)
        call_version = head.version
        if version is not None:
            call_version = self.reader.version_at(head, AtVersion(version))
        upto = min(head.version, call_version + _LONGEST_ANSWER)
        return model_call.model_call(self.reader.events(thread_id, upto=upto), call_version)

    def timeline(self, head: Head, version: int) -> Iterable[Item]:
        """Yield the items of the timeline at a version, with hints and attempts.

        Answers that count in another thread have figures of 0.
        """
        view = timeline.TimelineView(timeline.TimelineOptions(hint=True, attempts=True))
        self.in_use.note(view)
        items = [printed.item for printed in self._whole(head, view, version)]
        copies = self._copies(head.thread_id) if any(map(copied.may_be_copy, items)) else {}
        return copied.uncounted(items, copies)

    def difference(
        self,
        thread_id: str,
        view: AnyView,
        *,
        begin: Moment | None,
        end: Moment | None,
        hidden: bool = False,
    ) -> Difference:
        """Return the changes of a view between two moments; without `begin`, from nothing."""
        self.in_use.note(view)
        head = self._head(thread_id, hidden=hidden)
        first = 0 if begin is None else self.reader.version_at(head, begin)
        last = self.reader.version_at(head, end)
        items, patch = difference(lambda at: self.fold_to(thread_id, view, at), view, first, last)
        return Difference(thread_id, first, last, items, patch)

    def fold_to(self, thread_id: str, view: AnyView, version: int) -> Fold[Any, Any]:
        """Return a view's fold at a version; the view need not be in the registry."""
        start = self.snapshots.nearest(thread_id, view, version)
        self._note_missed(thread_id, view, start.version, version)
        fold = Fold(self.reader, thread_id, view, start)
        fold.advance(version)
        return fold

    def _page(
        self, thread_id: str, view: AnyView, version: int, *, after: Place, limit: int
    ) -> list[Printed]:
        """Return the items after `after` at `version`: all, or more than `limit`."""
        # not at the cursor's version itself: that may have items before and after the cursor
        begin = min(max(after[0] - 1, 0), version)
        # some messages yield no item: a few events too many cost less than a round trip
        chunk = min(1 + limit + limit // 4 + _SPARE, CHUNK)
        items: list[Printed] = []
        for piece in self._pieces(thread_id, view, version, begin=begin, chunk=chunk):
            items += beyond(after, piece)
            if len(items) > limit:
                break
        return items

    def _pieces(
        self, thread_id: str, view: AnyView, version: int, *, begin: int = 0, chunk: int = CHUNK
    ) -> Iterator[list[Printed]]:
        """Yield the items at `version` from some settled at or before `begin` on.

        A reader that stops early needs no carry where snapshots have the items.
        """
        last = begin
        for end, items in self._from_snapshots(thread_id, view, version, begin=begin, chunk=chunk):
            last = end
            yield items
        self._note_missed(thread_id, view, last, version)
        fold = self.fold_to(thread_id, view, last)
        yield from fold.read(version, chunk=chunk)
        yield fold.rest()

    def _from_snapshots(
        self, thread_id: str, view: AnyView, version: int, *, begin: int = 0, chunk: int = CHUNK
    ) -> Iterator[tuple[int, list[Printed]]]:
        """Yield items that snapshots have, and the version up to which they are all."""
        interval = self.snapshots.interval
        return self.snapshots.items(
            thread_id,
            view,
            after=begin - begin % interval,
            upto=version,
            few=-(-(begin % interval + chunk) // interval),
        )

    def _whole(self, head: Head, view: AnyView, version: int) -> list[Printed]:
        """Return all items at `version`, continuing from the cached view."""
        return [item for piece in self._stream(head, view, version) for item in piece]

    def _stream(
        self, head: Head, view: AnyView, version: int, *, chunk: int = CHUNK
    ) -> Iterator[Sequence[Printed]]:
        """Yield all items at `version`, continuing from the cached view; cache it at the end."""
        most_bytes = self.recent.most_of_one
        erasures = self.recent.erasures
        known = self.recent.get((self._tenant, head.thread_id), name_of(view))
        if known is None or known.version > version or self._differs(head, known):
            last, kept = 0, Growing((), 0, most_bytes=most_bytes)
            for end, items in self._from_snapshots(head.thread_id, view, version, chunk=chunk):
                last = end
                kept.add(items)
                yield items
            self._note_missed(head.thread_id, view, last, version)
            fold = self.fold_to(head.thread_id, view, last)
        else:
            kept = Growing(known.settled, known.size, most_bytes=most_bytes)
            yield known.settled
            start = Start(known.version, known.carry)
            fold = Fold(self.reader, head.thread_id, view, start)
        for items in fold.read(version, chunk=chunk):
            kept.add(items)
            yield items
        if version == head.version and kept.items is not None and not fold.lacking:
            size = kept.size + fold.body_bytes
            folded = Folded(version, head.chain, fold.carry, kept.items, size)
            thread = self._tenant, head.thread_id
            self.recent.put(thread, name_of(view), folded, erasures=erasures)
        yield fold.rest()

    def _differs(self, head: Head, known: Folded) -> bool:
        """Return whether the cached view is of another history than the thread has now."""
        return self.reader.chain_of(head, known.version) != known.chain

    def _note_missed(self, thread_id: str, view: AnyView, begin: int, end: int) -> None:
        """Record that a fold from `begin` to `end` passes places of snapshots."""
        if begin // self.snapshots.interval < end // self.snapshots.interval:
            self.in_use.miss(thread_id, view, end)

    def _head(self, thread_id: str, *, hidden: bool) -> Head:
        return self.reader.head(check_thread_id(thread_id), hidden=hidden)
