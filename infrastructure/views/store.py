"""The store: all operations on one tenant's threads, for HTTP and the command line.

It is synchronous and thread-safe. Appends go through the writer; a view is folded from the log up
to the requested moment, beginning at the nearest snapshot.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.drafts import NO_ORIGIN, Origin
from agentlog.domain.events import Event
from agentlog.domain.identifiers import check_thread_id
from agentlog.domain.json.text import JsonValue
from agentlog.domain.points_in_time import Moment
from agentlog.infrastructure.appending.append_request import (
    Appended,
    AppendRequest,
    Deliver,
    Outcome,
)
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.views.difference import difference
from agentlog.infrastructure.views.results import Difference, Outline, Page, State
from agentlog.infrastructure.views.snapshots.snapshot_writer import Start
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.view_cache import Folded, RecentViews, ViewsInUse
from agentlog.infrastructure.views.view_fold import BEGINNING, Fold, Place, beyond, place_of
from agentlog.projections.outline import outline
from agentlog.projections.registry import AnyView
from agentlog.projections.view import Printed, StateView
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView

_PAGE, _BEGINNING = 100, 1024
"""Events read at once for their ids, and the most bytes of each one's long contents."""


class Store:
    """One tenant's threads; without `snapshots` every view is folded from its thread's start."""

    def __init__(  # noqa: PLR0913 - what it consists of
        self,
        *,
        reader: LogReader,
        writer: Writer,
        blobs: Blobs,
        tenant: str,
        snapshots: Snapshots | None = None,
        recent: RecentViews | None = None,
    ) -> None:
        self.blobs = blobs
        self.writer = writer
        self._reader = reader
        self._tenant = tenant
        self.recent = RecentViews() if recent is None else recent
        self.snapshots = snapshots
        self.in_use = ViewsInUse()

    def with_hidden(self) -> "Store":
        """Return a store to which hidden threads are known too."""
        copied = copy(self)
        copied._reader = self._reader.with_hidden()  # noqa: SLF001 - a copy of itself
        return copied

    def append(
        self,
        thread_id: str,
        drafts: Sequence[JsonValue],
        *,
        expected_version: int | None = None,
    ) -> Appended:
        """Append messages to a thread, all or none; a thread starts with its first append."""
        return self.writer.append(
            self.request(thread_id, drafts, expected_version=expected_version)
        )

    def append_many(self, requests: Sequence[AppendRequest]) -> Sequence[Outcome]:
        """Append to many threads at once; each request succeeds or fails by itself."""
        return self.writer.append_many(requests)

    def submit(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        """Append as `append_many` does, without waiting: the outcomes are delivered."""
        self.writer.submit(requests, deliver)

    def request(  # noqa: PLR0913 - the parts of a request
        self,
        thread_id: str,
        drafts: Sequence[JsonValue] = (),
        *,
        facts: Sequence[dict[str, JsonValue]] = (),
        expected_version: int | None = None,
        closing: Sequence[dict[str, JsonValue]] = (),
        origin: Origin = NO_ORIGIN,
        times: Sequence[int] = (),
    ) -> AppendRequest:
        """Return the request that `append_many` takes; files may be given as `sha256` of blobs.

        `times` are those of the drafts that give none, in ms since the epoch; else the clock's.

        Raises:
            InvalidMessage: a blob is missing, or the files are too large together.
        """
        if any(isinstance(draft, dict) and "files" in draft for draft in drafts):
            drafts = self.blobs.with_data(drafts)
        return AppendRequest(
            self._tenant,
            thread_id,
            drafts,
            facts,
            expected_version,
            closing,
            origin,
            times,
        )

    def start(
        self,
        thread_id: str,
        facts: dict[str, JsonValue],
        *,
        origin: Origin = NO_ORIGIN,
    ) -> Appended:
        """Start a thread with its goal, parent, limits, policy and metadata.

        Starting it again with the same facts answers as the first time; raises `ThreadExists` with
        others.
        """
        kind = {"type": "thread.started"}
        return self._record(thread_id, {**kind, **facts, **kind}, origin)

    def close(
        self, thread_id: str, reason: str | None = None, *, origin: Origin = NO_ORIGIN
    ) -> Appended:
        """Close a thread: nothing follows; raises `UnknownThread`."""
        self.thread(thread_id)
        given = {} if reason is None else {"reason": reason}
        fact: dict[str, JsonValue] = {"type": "thread.closed", **given}
        return self._record(thread_id, fact, origin)

    def annotate(
        self,
        thread_id: str,
        metadata: dict[str, JsonValue],
        *,
        origin: Origin = NO_ORIGIN,
    ) -> Appended:
        """Merge metadata into a thread's; null removes a key; raises `UnknownThread`."""
        self.thread(thread_id)
        fact: dict[str, JsonValue] = {"type": "thread.annotated", "metadata": metadata}
        return self._record(thread_id, fact, origin)

    def _record(self, thread_id: str, fact: dict[str, JsonValue], origin: Origin) -> Appended:
        request = self.request(thread_id, facts=[fact], origin=origin)
        return self.writer.append(request)

    def thread(self, thread_id: str) -> Head:
        """Return the head of a thread; raises `UnknownThread`."""
        return self._reader.head(check_thread_id(thread_id))

    def threads(self, which: ThreadFilter, *, before: int | None, limit: int) -> list[Head]:
        """Return threads by recency, newest first, below the position `before`."""
        return self._reader.heads(which, before=before, limit=limit)

    def thread_ids(self, *, after: str = "", limit: int) -> list[str]:
        """Return ids of threads in their own order, after `after`."""
        return self._reader.thread_ids(after=after, limit=limit)

    def version_at(self, thread_id: str, moment: Moment | None) -> int:
        """Return a thread's version at a moment; raises `NotThere` if the moment is not there."""
        return self._reader.version_at(self.thread(thread_id), moment)

    def messages(  # noqa: PLR0913 - one parameter a choice
        self,
        thread_id: str,
        *,
        after: int = 0,
        at: Moment | None = None,
        types: Sequence[str] | None = None,
        limit: int | None = None,
        most_bytes: int | None = None,
    ) -> list[Event]:
        """Return a thread's events up to the moment `at`, as `LogReader.events` does."""
        upto = self.version_at(thread_id, at)
        return self._reader.events(
            thread_id, after=after, upto=upto, types=types, limit=limit, most_bytes=most_bytes
        )

    def message_ids(self, thread_id: str) -> Iterator[str]:
        """Yield the ids of a thread's messages in their order, without those of its facts."""
        after = 0
        while page := self.messages(thread_id, after=after, limit=_PAGE, most_bytes=_BEGINNING):
            yield from (event.message_id for event in page if event.type not in FACT_TYPES)
            after = page[-1].originator_version

    def message(self, thread_id: str, message_id: str) -> Event:
        """Return one event; raises `NotThere`."""
        return self._reader.message(check_thread_id(thread_id), message_id)

    def log(
        self, *, after: int = 0, types: Sequence[str] | None = None, limit: int | None = None
    ) -> list[Event]:
        """Return events of all threads by position, after `after`."""
        return self._reader.log(after=after, types=types, limit=limit)

    def view(
        self,
        thread_id: str,
        view: AnyView,
        *,
        at: Moment | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> Page | State:
        """Return a view of a thread at a moment; `after` is a page's `next`.

        Raises:
            NotThere: the thread or the moment is not there.
            InvalidCursor: `after` is no cursor.
        """
        place = BEGINNING if after is None else place_of(after)
        self.in_use.note(view)
        head = self.thread(thread_id)
        version = self._reader.version_at(head, at)
        position = self._reader.position_of(head, version)
        if isinstance(view, StateView):
            state = view.printable(self.fold_to(thread_id, view, version).carry)
            return State(thread_id, version, position, state)
        if limit is None:
            items = beyond(place, self._whole(head, view, version))
        else:
            items = self._items(thread_id, view, version, after=place, limit=limit)
        page = items if limit is None else items[:limit]
        more = len(page) < len(items)
        return Page(thread_id, version, position, page, page[-1].key if more else None)

    def outline(self, thread_id: str, *, at: Moment | None = None) -> Outline:
        """Return a thread's steps up to a moment; raises `NotThere`."""
        head = self.thread(thread_id)
        version = self._reader.version_at(head, at)
        view = TimelineView(TimelineOptions(hint=True))
        self.in_use.note(view)
        fold = self._fold(thread_id, view, 0)
        steps = outline(printed.item for printed in fold.items(version))
        return Outline(thread_id, version, self._reader.position_of(head, version), steps)

    def difference(
        self, thread_id: str, view: AnyView, *, begin: Moment | None, end: Moment | None
    ) -> Difference:
        """Return the changes of a view between two moments; without `begin`, from nothing."""
        self.in_use.note(view)
        head = self.thread(thread_id)
        first = 0 if begin is None else self._reader.version_at(head, begin)
        last = self._reader.version_at(head, end)
        items, patch = difference(lambda at: self.fold_to(thread_id, view, at), view, first, last)
        return Difference(thread_id, first, last, items, patch)

    def _items(
        self, thread_id: str, view: AnyView, version: int, *, after: Place, limit: int
    ) -> list[Printed]:
        """Return the items after `after` at `version`: all, or more than `limit`."""
        # not at the cursor's version itself: that may have items before and after the cursor
        fold = self._fold(thread_id, view, min(max(after[0] - 1, 0), version))
        return fold.page(version, after=after, limit=limit)

    def _whole(self, head: Head, view: AnyView, version: int) -> list[Printed]:
        """Return all items at `version`, continuing from the cached view."""
        erasures = self.recent.erasures
        known = self.recent.get((self._tenant, head.thread_id), view)
        if known is None or known.version > version or self._differs(head, known):
            known = None
            fold = self._fold(head.thread_id, view, 0)
            settled = fold.read_all(version)
        else:
            start = Start(known.version, known.carry)
            fold = Fold(self._reader, head.thread_id, view, start)
            settled = [*known.settled, *fold.read_all(version)]
        if version == head.version and not fold.lacking:
            size = fold.size if known is None else known.size + fold.size
            folded = Folded(version, head.chain, fold.carry, settled, size)
            self.recent.put((self._tenant, head.thread_id), view, folded, erasures=erasures)
        return [*settled, *fold.rest()]

    def _differs(self, head: Head, known: Folded) -> bool:
        """Return whether the cached view is of another history than the thread has now."""
        return self._reader.chain_of(head, known.version) != known.chain

    def fold_to(self, thread_id: str, view: AnyView, version: int) -> Fold[Any, Any]:
        """Return a view's fold at a version; the view need not be in the registry."""
        fold = self._fold(thread_id, view, version)
        fold.advance(version)
        return fold

    def _fold(self, thread_id: str, view: AnyView, begin: int) -> Fold[Any, Any]:
        """Return a fold at `begin` or before, where a snapshot may be."""
        return Fold(self._reader, thread_id, view, begin=begin, snapshots=self.snapshots)
