"""Histories whose clients append the items of their own format, as these come.

What an item means may depend on those before it: a result on its call, the figures of an answer on
all its lines. So a reader goes on where it stopped. It is kept in memory, at a version of its
thread; where there is none, another reads the items so far, which the view `source` gives back.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agentlog.domain.drafts import NO_ORIGIN, Origin
from agentlog.domain.errors import AgentlogError, NotThere, VersionConflict
from agentlog.domain.events import Event
from agentlog.domain.identifiers import check_thread_id, derived_message_id
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, text_at
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.appending.append_request import Appended, AppendRequest
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import Page
from agentlog.infrastructure.views.view_cache import RecentOfThreads
from agentlog.infrastructure.views.views import Views
from agentlog.projections.readers.draft import Draft, templated
from agentlog.projections.readers.history import OngoingHistory
from agentlog.projections.residue import residues_of
from agentlog.projections.view import Item
from agentlog.projections.views.items.view import SESSION_CLEARED
from agentlog.projections.views.source import WIRE, SourceView


class SourceReader:
    """Reads the items of one thread.

    A session that was cleared `clearings` times begins anew: the same item is another message then.
    `family` is the id of the thread, or of its parent, by which sub-threads are named.
    """

    def __init__(self, history: OngoingHistory, *, family: str, clearings: int = 0) -> None:
        self._history = history
        self._family = family
        self._clearings = clearings

    @property
    def metadata(self) -> Mapping[str, JsonValue]:
        """What the items say of their thread, so far."""
        return self._history.facts().metadata

    @property
    def goal(self) -> str | None:
        """The goal that the items name."""
        return self._history.facts().goal

    def read(self, items: Iterable[Item], *, key: str) -> list[Draft]:
        """Return the messages of the next items, but of those that came before.

        `key` makes ids for those that have none of their own.
        """
        drafts: list[Draft] = []
        for index, item in enumerate(items):
            read = self._history.read(item, f"[{index}]")
            drafts += [
                self._in_thread({"id": derived_message_id(key, index, number), **draft})
                for number, draft in enumerate(templated(WIRE, read, item) if read else ())
            ]
        return drafts

    def _in_thread(self, draft: Draft) -> Draft:
        """Return a draft with the ids that it and its sub-thread have here."""
        if self._clearings:
            own_id = derived_message_id(str(draft["id"]), "cleared", self._clearings)
            draft = {**draft, "id": own_id}
        facts = self._history.facts()
        source = facts.parent or facts.id
        thread_id = text_at(draft, "threadId")
        if source is None or thread_id is None or not thread_id.startswith(f"{source}:"):
            return draft
        return {**draft, "threadId": self._family + thread_id.removeprefix(source)}


_VIEW = SourceView()
_LOCKS, _ATTEMPTS, _SINCE = 64, 10, 50


class ThreadContended(AgentlogError, kind="unavailable", transient=True):
    """Others append to the same thread without a pause: ask again a little later."""


@dataclass(frozen=True, slots=True)
class OpenHistory:
    """A reader at a version of its thread; `size` is that of what it read, in bytes."""

    reader: SourceReader
    version: int
    size: int


RecentReaders = RecentOfThreads[str, OpenHistory]
"""Readers by their threads and formats."""


class OpenHistories:
    """Appends items to the threads of one tenant; thread-safe."""

    def __init__(
        self, threads: Threads, views: Views, *, tenant: str, recent: RecentReaders
    ) -> None:
        self._threads = threads
        self._views = views
        self._tenant = tenant
        self.recent = recent
        self._locks = [threading.Lock() for _ in range(_LOCKS)]

    def append(  # noqa: PLR0913 - what a request consists of
        self,
        thread_id: str,
        items: Sequence[Item],
        *,
        format_name: str,
        begin: Callable[[], OngoingHistory],
        key: str,
        expected_version: int | None = None,
        origin: Origin = NO_ORIGIN,
    ) -> Appended:
        """Append the messages of items, all or none; items that the thread has are passed over.

        `begin` begins a history of the format. `key` makes ids for messages that have none of their
        own, the same in each retry. The thread's metadata follows what its items say of it.

        Raises:
            AgentlogError: the append is refused.
        """
        thread = self._tenant, check_thread_id(thread_id)
        with self._locks[hash(thread) % _LOCKS]:
            for _ in range(_ATTEMPTS):
                erasures = self.recent.erasures
                head = self._head(thread_id)
                opened = self.recent.take(thread, format_name)
                if opened is None or not self._is_current(opened, head):
                    opened = self._reopen(head, begin())
                drafts = opened.reader.read(items, key=key)
                request = self._threads.request(
                    thread_id,
                    drafts,
                    facts=_facts(opened.reader, head),
                    expected_version=head.version if expected_version is None else expected_version,
                    origin=origin,
                )
                try:
                    appended = self._append(request, head)
                except VersionConflict:
                    if expected_version is not None:
                        raise
                    continue
                size = opened.size + sum(len(print_bytes(item)) for item in items)
                opened = OpenHistory(opened.reader, appended.version, size)
                self.recent.put(thread, format_name, opened, erasures=erasures)
                return appended
        raise ThreadContended(f"others append to {thread_id}: ask again a little later")

    def _append(self, request: AppendRequest, head: Head) -> Appended:
        if request.drafts or request.facts:
            return self._threads.writer.append(request)
        return Appended(head.thread_id, head.version, head.position, ())

    def _head(self, thread_id: str) -> Head:
        try:
            return self._threads.head(thread_id)
        except NotThere:
            return Head(self._tenant, thread_id)

    def _is_current(self, opened: OpenHistory, head: Head) -> bool:
        """Return whether what came after a reader's version is nothing that it reads."""
        if opened.version == head.version:
            return True
        since = self._threads.messages(head.thread_id, after=opened.version, limit=_SINCE)
        return 0 < len(since) < _SINCE and not any(map(_is_read, since))

    def _reopen(self, head: Head, history: OngoingHistory) -> OpenHistory:
        """Return a reader that has read the items of a thread so far."""
        family, thread_id = head.parent or head.thread_id, head.thread_id
        if not head.version:
            return OpenHistory(SourceReader(history, family=family), 0, 0)
        clearings = self._threads.messages(thread_id, types=[SESSION_CLEARED])
        page = self._views.view(thread_id, _VIEW, at=AtVersion(head.version))
        items = page.items if isinstance(page, Page) else ()
        reader = SourceReader(history, family=family, clearings=len(clearings))
        reader.read((printed.item for printed in items), key="")
        return OpenHistory(reader, head.version, sum(len(printed.text) for printed in items))


def _is_read(event: Event) -> bool:
    """Return whether a reader would have read an event, or must begin anew after it."""
    is_session = event.type.startswith("session.") or event.type == "thread.redacted"
    return is_session or bool(residues_of(event, _VIEW.name))


def _facts(reader: SourceReader, head: Head) -> list[Draft]:
    """Return the facts by which a thread has what its items say of it; maybe none."""
    known = head.metadata
    new: dict[str, JsonValue] = {
        key: value for key, value in reader.metadata.items() if known.get(key) != value
    }
    if not head.version:
        goal: Draft = {} if reader.goal is None else {"goal": reader.goal}
        return [{"type": "thread.started", "policy": "record", **goal, "metadata": new}]
    return [{"type": "thread.annotated", "metadata": new}] if new else []
