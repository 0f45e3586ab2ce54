"""Imports records into the store: each by itself, in batches, safe to repeat.

While batches are being written, the next one is read and prepared.

Message ids are those of the source, or derived from thread and place; so a second run finds every
message there, and a run over a history that has grown appends what is new. Metadata that a thread
lacks, or has otherwise, is added to it.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace

from domain.drafts import NO_ORIGIN
from domain.errors import AgentlogError, InvalidInput, ThreadExists
from domain.json.text import JsonValue
from infrastructure.appending.append_request import (
    Appended,
    AppendRequest,
    Outcome,
    Outcomes,
    raised,
)
from infrastructure.transfer.documents import Documents, Plan
from infrastructure.transfer.files.records import SourceRecord, read_records
from infrastructure.transfer.files.source_file import SourceFile
from infrastructure.transfer.files.sources import Sources
from infrastructure.transfer.imports import RunningImport
from infrastructure.transfer.report import ImportReport
from infrastructure.transfer.threads import ImportedThread, annotation, threads_of
from infrastructure.views.store import Store
from projections.readers.draft import Aside, Draft
from projections.readers.history import Format

_BATCH_MESSAGES = 2000
_BATCHES_ON_THEIR_WAY = 1


class Unknown(InvalidInput):
    """A record has what its reader does not know, and `--strict` was asked for."""

    def __init__(self, aside: Aside) -> None:
        super().__init__(f"{aside.place}: {aside.what} is not known")


class SharedThread(InvalidInput):
    """Two records that do not name their thread come to the same id."""

    def __init__(self, thread_id: str, place: str) -> None:
        super().__init__(
            f"its thread {thread_id} is that of {place} too: name it otherwise, as in "
            "--thread-id '{path}-{record}'"
        )


@dataclass(frozen=True, slots=True)
class Written:
    """What the log has of a thread: so many messages from its first on, and its start."""

    messages: int = 0
    started: Draft | None = None


_NOTHING = Written()


@dataclass(frozen=True, slots=True)
class _Sent:
    """A thread on its way: its record, and what the log has of it afterwards."""

    record: SourceRecord
    request: AppendRequest
    after: Written


class Importer:
    """Imports files by one plan; without a `store` it only reads them, and counts.

    `progress` is called with the bytes of each record. `between` is called when all that is written
    is also counted: an exception from it stops the import there.

    `written` is what the log has of threads already: it is not sent again. Afterwards the attribute
    has what it has then. `running` puts the import on record: each thread that it makes has a start
    then, with the import's id.
    """

    def __init__(  # noqa: PLR0913 - what it consists of
        self,
        store: Store | None,
        plan: Plan,
        *,
        progress: Callable[[int], None],
        between: Callable[[], None] = lambda: None,
        written: Mapping[str, Written] | None = None,
        running: RunningImport | None = None,
    ) -> None:
        self._store = store if store is None else store.with_hidden()
        self._running = running
        self._plan = plan
        self._documents = Documents(plan)
        self._progress = progress
        self._between = between
        self.written = dict(written or {})
        self._places: dict[str, str] = {}
        self._pending: list[_Sent] = []
        self._waiting = 0
        self._on_their_way: deque[tuple[Future[Outcomes], Sequence[_Sent]]] = deque()
        self.report = ImportReport()

    def import_sources(self, sources: Sources) -> None:
        """Import all files; failures are in the report, the rest is written."""
        for place in sources.passed_over:
            self.report.pass_over(place, "by its name it has no histories")
        for file in sources.files:
            self._import_file(file)

    def _import_file(self, file: SourceFile) -> None:
        try:
            self._read(file)
            self._send()
        finally:  # also if `between` stops it: what is written is counted
            self._settle(but=0)
        self._between()

    def _read(self, file: SourceFile) -> None:
        try:
            chosen, records = self._documents.of(read_records(file))
        except AgentlogError as error:
            self.report.refuse(file.place, error)
            self._progress(file.size)
            return
        if chosen is not None:
            self.report.formats[chosen] += 1
        is_empty = True
        for record in records:
            is_empty = False
            self._between()
            self.report.mend(record.place, record.mended)
            try:
                document = self._documents.value(record)
                threads = [] if chosen is None else self._threads(chosen, record, document)
            except AgentlogError as error:
                self._refuse(record, error)
                continue
            for n, thread in enumerate(threads):
                self.report.keep_aside(record, thread.asides)
                self.report.mask(record.place, thread.masked)
                last = n == len(threads) - 1
                self._add(replace(record, size=record.size if last else 0), thread)
        if is_empty:
            self.report.pass_over(file.place, "it is empty")

    def _threads(
        self, chosen: Format, record: SourceRecord, document: JsonValue
    ) -> list[ImportedThread]:
        """Return the threads of a record, all or none."""
        found = list(threads_of(self._plan, chosen, record, document))
        for thread in found:
            if self._plan.strict and thread.asides:
                raise Unknown(thread.asides[0])
            named = thread.thread_id in self._places
            place = self._places.setdefault(thread.thread_id, record.place)
            if named and not thread.is_own_id:
                raise SharedThread(thread.thread_id, place)
        return found

    def _add(self, record: SourceRecord, thread: ImportedThread) -> None:
        if self._store is None:
            self.report.foresee(thread)
            self._progress(record.size)
            return
        written = self.written.get(thread.thread_id, _NOTHING)
        drafts = thread.drafts[written.messages :]
        started = None if thread.started == written.started else thread.started
        if written is not _NOTHING and not drafts and started is None:
            return
        if started is None and written is _NOTHING and self._running is not None:
            started = {"type": "thread.started"}
        request = self._store.request(
            thread.thread_id,
            drafts,
            facts=[] if started is None else [started],
            closing=[] if thread.closed is None else [thread.closed],
            times=thread.times[written.messages :],
            origin=NO_ORIGIN if self._running is None else self._running.origin,
        )
        after = Written(len(thread.drafts), thread.started)
        self._pending.append(_Sent(record, request, after))
        self._waiting += len(drafts)
        if self._waiting >= _BATCH_MESSAGES:
            self._send()

    def _send(self) -> None:
        """Submit the gathered batch, and count those written meanwhile."""
        pending, self._pending, self._waiting = self._pending, [], 0
        if pending and self._store is not None:
            answer: Future[Outcomes] = Future()
            self._store.submit([each.request for each in pending], answer.set_result)
            self._on_their_way.append((answer, pending))
        self._settle(but=_BATCHES_ON_THEIR_WAY)

    def _settle(self, *, but: int) -> None:
        """Wait for submitted batches and count them, except for the last `but`."""
        while len(self._on_their_way) > but:
            answer, sent = self._on_their_way.popleft()
            outcomes = self._annotated([each.request for each in sent], raised(answer.result()))
            for each, outcome in zip(sent, outcomes, strict=True):
                if isinstance(outcome, AgentlogError):
                    self._refuse(each.record, outcome)
                else:
                    self.report.count(each.record.place, outcome)
                    self.written[each.request.thread_id] = each.after
                    self._progress(each.record.size)
            if self._running is not None:
                self._running.count([each for each in outcomes if isinstance(each, Appended)])

    def _annotated(
        self, requests: Sequence[AppendRequest], outcomes: Sequence[Outcome]
    ) -> Sequence[Outcome]:
        """Append again what was refused as its thread has other metadata, with an annotation."""
        found = list(outcomes)
        again: dict[int, AppendRequest] = {}
        for n, (request, outcome) in enumerate(zip(requests, outcomes, strict=True)):
            if self._store is None or not isinstance(outcome, ThreadExists):
                continue
            head = self._store.thread(request.thread_id)
            facts = annotation(head, request.facts[0])
            if facts is None:
                continue
            if facts or request.drafts or request.closing:
                again[n] = request._replace(facts=facts)
            else:
                found[n] = Appended(head.thread_id, head.version, head.position, ())
        if self._store is not None and again:
            appended = self._store.append_many(list(again.values()))
            for n, outcome in zip(again, appended, strict=True):
                found[n] = outcome
        return found

    def _refuse(self, record: SourceRecord, error: AgentlogError) -> None:
        self.report.refuse(record.place, error)
        self._progress(record.size)
