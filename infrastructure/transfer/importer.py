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
from itertools import chain, islice

from agentlog.domain.drafts import NO_ORIGIN
from agentlog.domain.errors import (
    AgentlogError,
    InvalidInput,
    MessageConflict,
    ThreadExists,
    VersionConflict,
)
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.appending.append_request import (
    Appended,
    AppendRequest,
    Outcome,
    Outcomes,
    raised,
)
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.documents import Documents, Plan
from agentlog.infrastructure.transfer.files.records import SourceRecord, read_records
from agentlog.infrastructure.transfer.files.source_file import SourceFile
from agentlog.infrastructure.transfer.files.sources import Sources
from agentlog.infrastructure.transfer.growth import (
    NOTHING,
    SharedThread,
    Written,
    explained,
    request_to_add,
)
from agentlog.infrastructure.transfer.imports import RunningImport
from agentlog.infrastructure.transfer.report import ImportReport
from agentlog.infrastructure.transfer.threads import ImportedThread, threads_of
from agentlog.infrastructure.transfer.ways_out import with_way_out
from agentlog.projections.readers.draft import Unmapped
from agentlog.projections.readers.history import Format
from agentlog.projections.readers.registry import recognise

_BATCH_MESSAGES = 2000
_BATCHES_ON_THEIR_WAY = 1
_TRIED = 20
"""The first records of a file, with which a way out is tried."""


class Unknown(InvalidInput):
    """A record has what its reader does not know, and `--strict` was asked for."""

    def __init__(self, aside: Unmapped) -> None:
        super().__init__(f"{aside.place}: {aside.what} is not known")


@dataclass(frozen=True, slots=True)
class _Sent:
    """A thread on its way, and its record."""

    record: SourceRecord
    thread: ImportedThread
    request: AppendRequest


class Importer:
    """Imports files by one plan.

    `progress` is called with the bytes of each record. `between` is called when all that is written
    is also counted: an exception from it stops the import there.

    `written` has threads as earlier imports sent them, and is kept up to date: of what has only
    grown since, the rest is sent. `running` puts the import on record: each thread that it
    makes has a start then, with the import's id.
    """

    def __init__(  # noqa: PLR0913 - what it consists of
        self,
        threads: Threads,
        plan: Plan,
        *,
        progress: Callable[[int], None],
        between: Callable[[], None] = lambda: None,
        written: dict[str, Written] | None = None,
        running: RunningImport | None = None,
    ) -> None:
        self._threads = threads
        self._running = running
        if threads.mask is not None:
            plan = replace(plan, masks=(*plan.masks, threads.mask))
        self._plan = plan
        self._documents = Documents(plan)
        self._progress = progress
        self._between = between
        self._before = {} if written is None else dict(written)
        self._written = written
        self._places: dict[str, str] = {}
        self._pending: list[_Sent] = []
        self._waiting = 0
        self._on_their_way: deque[tuple[Future[Outcomes], Sequence[_Sent]]] = deque()
        self.report = ImportReport()

    def import_sources(self, sources: Sources) -> None:
        """Import all files; failures are in the report, the rest is written."""
        for place, reason in sources.passed_over.items():
            self.report.pass_over(place, reason)
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
            self.report.refuse(file.place, with_way_out(self._plan, error))
            self._progress(file.size)
            return
        formats = set[Format]()
        is_empty = True
        first = list(islice(records, _TRIED))
        for record in chain(first, records):
            is_empty = False
            self._between()
            self.report.mend(record.place, record.mended)
            try:
                document, beside = self._documents.split(record)
                known = chosen or recognise([document])
                threads = self._threads_of(known, record, document, beside)
            except AgentlogError as error:
                self._refuse(record, with_way_out(self._plan, error, record, first))
                continue
            formats.add(known)
            for n, thread in enumerate(threads):
                self.report.keep_aside(record, thread.unmapped)
                self.report.kept.update(thread.kept)
                self.report.mask(record.place, thread.masked)
                last = n == len(threads) - 1
                self._add(replace(record, size=record.size if last else 0), thread)
        self.report.formats.update(formats)
        if is_empty:
            self.report.pass_over(file.place, "it is empty")

    def _threads_of(
        self,
        chosen: Format,
        record: SourceRecord,
        document: JsonValue,
        beside: Mapping[str, JsonValue],
    ) -> list[ImportedThread]:
        """Return the threads of a record, all or none."""
        threads = threads_of(self._plan, chosen, record, document, beside)
        for thread in threads:
            if self._plan.strict and thread.unmapped:
                raise Unknown(thread.unmapped[0])
            named = thread.thread_id in self._places
            place = self._places.setdefault(thread.thread_id, record.place)
            if named and not thread.is_own_id:
                raise SharedThread(thread.thread_id, place, template=self._plan.thread_id)
        return threads

    def _add(self, record: SourceRecord, thread: ImportedThread) -> None:
        before = self._before.get(thread.thread_id, NOTHING)
        written = before if before.begins(thread) else NOTHING
        started = None if thread.started == written.started else thread.started
        drafts = thread.drafts[written.count :]
        if written is not NOTHING and not drafts and started is None:
            return
        if started is None and written is NOTHING and self._running is not None:
            started = {"type": "thread.started"}
        try:
            request = self._threads.request(
                thread.thread_id,
                drafts,
                facts=[] if started is None else [started],
                expected_version=written.version,
                closing=[] if thread.closed is None else [thread.closed],
                times=thread.times[written.count :],
                origin=NO_ORIGIN if self._running is None else self._running.origin,
            )
        except InvalidInput as error:  # a file of it is not there
            self._refuse(record, error)
            return
        self._pending.append(_Sent(record, thread, request))
        self._waiting += len(drafts)
        if self._waiting >= _BATCH_MESSAGES:
            self._send()

    def _send(self) -> None:
        """Submit the gathered batch, and count those written meanwhile."""
        pending, self._pending, self._waiting = self._pending, [], 0
        if pending:
            answer: Future[Outcomes] = Future()
            self._threads.submit([entry.request for entry in pending], answer.set_result)
            self._on_their_way.append((answer, pending))
        self._settle(but=_BATCHES_ON_THEIR_WAY)

    def _settle(self, *, but: int) -> None:
        """Wait for submitted batches and count them, except for the last `but`."""
        while len(self._on_their_way) > but:
            answer, sent = self._on_their_way.popleft()
            outcomes = self._tried_again(sent, raised(answer.result()))
            for entry, outcome in zip(sent, outcomes, strict=True):
                if isinstance(outcome, AgentlogError):
                    self._refuse(entry.record, outcome)
                    continue
                self.report.count(entry.record.place, outcome)
                if self._written is not None:
                    self._written[outcome.thread_id] = Written.of(entry.thread, outcome.version)
                self._progress(entry.record.size)
            if self._running is not None:
                self._running.count(
                    [outcome for outcome in outcomes if isinstance(outcome, Appended)]
                )

    def _tried_again(self, sent: Sequence[_Sent], outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
        """Append again, to threads that are there already, what may be added to them."""
        settled = list(outcomes)
        again: dict[int, AppendRequest] = {}
        for n, (refused, outcome) in enumerate(zip(sent, outcomes, strict=True)):
            if isinstance(outcome, ThreadExists | VersionConflict | MessageConflict):
                addition = request_to_add(self._threads, refused.thread, refused.request, outcome)
                if isinstance(addition, AppendRequest):
                    again[n] = addition
                else:
                    settled[n] = addition
        if again:
            appended = self._threads.append_many(list(again.values()))
            for n, outcome in zip(again, appended, strict=True):
                settled[n] = outcome
        return settled

    def _refuse(self, record: SourceRecord, error: AgentlogError) -> None:
        self.report.refuse(record.place, explained(error, template=self._plan.thread_id))
        self._progress(record.size)
