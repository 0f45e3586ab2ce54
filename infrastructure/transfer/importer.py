"""Imports records into the store: each by itself, in batches, safe to repeat.

While batches are being written, the next one is read and prepared.

Message ids are those of the source, or derived from thread and place; so a second run finds every
message there, and a run over a history that has grown appends what is new.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from domain.errors import AgentlogError
from infrastructure.appending.append_request import Appended, AppendRequest, Outcomes, raised
from infrastructure.transfer.records import History, Plan, is_history, read_history
from infrastructure.transfer.sources import SourceRecord, read_records
from infrastructure.views.store import Store

_BATCH_MESSAGES = 2000
_BATCHES_ON_THEIR_WAY = 1


@dataclass(frozen=True, slots=True)
class Failure:
    """A record that was not imported: its place, and the reason."""

    place: str
    reason: str


@dataclass(slots=True)
class ImportReport:
    """The result of an import; `appended` and `replayed` count events, `mended` lone surrogates."""

    threads: int = 0
    appended: int = 0
    replayed: int = 0
    anomalies: int = 0
    mended: int = 0
    failures: list[Failure] = field(default_factory=list)


class Importer:
    """Imports files by one plan.

    `progress` is called with the bytes of each record. `between` is called when all that is written
    is also counted: an exception from it stops the import there.
    """

    def __init__(
        self,
        store: Store,
        plan: Plan,
        *,
        progress: Callable[[int], None],
        between: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._plan = plan
        self._path = plan.compiled()
        self._progress = progress
        self._between = between
        self._pending: list[tuple[SourceRecord, AppendRequest]] = []
        self._waiting = 0
        self._on_their_way: deque[tuple[Future[Outcomes], Sequence[SourceRecord]]] = deque()
        self.report = ImportReport()

    def import_file(self, path: Path) -> None:
        """Import the records of one file; failures are in the report, the rest is written."""
        try:
            self._read(path)
            self._send()
        finally:  # also if `between` stops it: what is written is counted
            self._settle(but=0)
        self._between()

    def _read(self, path: Path) -> None:
        for record in _histories(self._plan, read_records(path)):
            self._between()
            self.report.mended += record.mended
            try:
                history = read_history(self._plan, self._path, record)
            except AgentlogError as error:
                self._fail(record, error)
                continue
            self._pending.append((record, self._request(history)))
            self._waiting += len(history.drafts)
            if self._waiting >= _BATCH_MESSAGES:
                self._send()

    def _send(self) -> None:
        """Submit the gathered batch, and count those written meanwhile."""
        pending, self._pending, self._waiting = self._pending, [], 0
        if pending:
            answer: Future[Outcomes] = Future()
            self._store.submit([request for _, request in pending], answer.set_result)
            self._on_their_way.append((answer, [record for record, _ in pending]))
        self._settle(but=_BATCHES_ON_THEIR_WAY)

    def _settle(self, *, but: int) -> None:
        """Wait for submitted batches and count them, except for the last `but`."""
        while len(self._on_their_way) > but:
            answer, records = self._on_their_way.popleft()
            for record, outcome in zip(records, raised(answer.result()), strict=True):
                if isinstance(outcome, AgentlogError):
                    self._fail(record, outcome)
                else:
                    self._count(outcome)
                    self._progress(record.size)

    def _request(self, history: History) -> AppendRequest:
        return self._store.request(
            history.thread_id,
            history.drafts,
            facts=[] if history.started is None else [history.started],
            closing=[] if history.closed is None else [history.closed],
        )

    def _count(self, appended: Appended) -> None:
        self.report.threads += 1
        replayed = sum(receipt.replayed for receipt in appended.messages)
        self.report.replayed += replayed
        self.report.appended += len(appended.messages) - replayed
        self.report.anomalies += len(appended.breaches)

    def _fail(self, record: SourceRecord, error: AgentlogError) -> None:
        self.report.failures.append(Failure(record.place, str(error)))
        self._progress(record.size)


def _histories(plan: Plan, records: Iterator[SourceRecord]) -> Iterator[SourceRecord]:
    """Yield records; if a file's array is a single history, that is its one record."""
    first = next(records, None)
    if first is None:
        return
    if not is_history(plan, first.value):
        yield first
        yield from records
        return
    rest = list(records)
    yield SourceRecord(
        place=first.place.rpartition("[")[0] or first.place,
        stem=first.stem,
        number=0,
        size=first.size * (1 + len(rest)),
        value=[first.value, *(record.value for record in rest)],
        mended=first.mended,
    )
