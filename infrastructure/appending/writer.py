"""The writer: group commit for all appends of a process.

Callers put their requests into a queue. A caller that finds the writer free commits all that is
queued, in one transaction: a lone request waits for no other thread, and many share one commit.
While one batch is being committed, the next one gathers, for the writer's own thread. Requests are
checked and serialised before that, in the callers' threads.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.appending.append_request import (
    Appended,
    AppendRequest,
    Deliver,
    Outcome,
    Outcomes,
    Preparer,
    Ready,
    WriterOverloaded,
    appended_in,
    raised,
)
from agentlog.infrastructure.appending.commit_plan import Commit
from agentlog.infrastructure.appending.committer import Committer
from agentlog.infrastructure.appending.masks import TenantMasks
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import (
    DatabaseUnavailable,
    LockNotGranted,
    StatementTooLong,
)
from agentlog.infrastructure.postgres.statements import statement
from agentlog.lazy import Part, lazy_imports

with lazy_imports():
    from agentlog.infrastructure.appending import writer_metrics

logger = logging.getLogger("agentlog")

_BATCH_REQUESTS = 1000
_BATCH_BYTES = 8 * 2**20


@dataclass(slots=True)
class _Entry:
    """Requests handed in together at a time of `time.monotonic`, and their outcomes."""

    tried: Sequence[Ready | AgentlogError]
    ready: Sequence[Ready]
    asked_at: float
    deliver: Deliver
    outcomes: Outcomes | None = None


class Writer:
    """Appends to the log; any number of threads may call it.

    `clock` returns milliseconds since the epoch, `new_id` a fresh ULID; `capacity` is how many
    appends may wait; `meters` counts appends and commits, and calls `on_commit` for each.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], int],
        new_id: Callable[[], str],
        capacity: int = 8192,
        on_commit: Callable[[Commit], None] | None = None,
    ) -> None:
        self.making = threading.RLock()
        self._on_commit = on_commit
        self.masks = TenantMasks(database)
        self.preparer = Preparer(clock=clock, new_id=new_id, masks=self.masks)
        self._capacity = capacity
        self._queue: deque[_Entry] = deque()
        self._holding = threading.Lock()
        self._awake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._woken = False
        self._is_failing = False
        self._database = database
        self._committer = Committer(database, self._count)

    def _count(self, commit: Commit) -> None:
        self.meters.committed(commit)

    def _make_meters(self) -> "writer_metrics.WriterMeters":
        return writer_metrics.WriterMeters(self._on_commit)

    meters = Part(_make_meters)

    @property
    def waiting(self) -> int:
        """How many appends wait."""
        return len(self._queue)

    def check_writable(self, *, wait_seconds: float) -> None:
        """Write without appending, if the last append could not be written.

        Raises:
            psycopg.Error, DatabaseUnavailable: the database still takes no writes.
        """
        if self._is_failing:
            with self._database.connection(wait_seconds=wait_seconds) as connection:
                connection.execute(statement("touch_counter"))
            self._is_failing = False

    def append(self, request: AppendRequest) -> Appended:
        """Append one request durably; raises the error that refuses it."""
        return appended_in(self.append_many([request]))

    def append_many(self, requests: Sequence[AppendRequest]) -> Sequence[Outcome]:
        """Append requests together; return the outcome of each, in order.

        Raises:
            WriterOverloaded: too many are waiting; nothing was written.
            DatabaseReadOnly: the database takes no writes.
            DatabaseUnavailable: it is not known whether they were written; trying again is safe.
        """
        answer: Future[Outcomes] = Future()
        self._put(requests, answer.set_result)
        # if the writer is free, commit in this thread: that saves two thread switches
        if self._holding.acquire(blocking=False):
            self._commit()
        return raised(answer.result())

    def submit(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        """Append requests together, and deliver the outcomes in another thread.

        Raises:
            WriterOverloaded: too many are waiting; nothing will be written.
            DatabaseReadOnly: the database takes no writes.
        """
        self._put(requests, deliver)
        self._wake()

    def _put(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        asked_at = time.monotonic()
        if len(self._queue) >= self._capacity:
            self.meters.turned_away(len(requests))
            raise WriterOverloaded(self._capacity)
        self._database.write_access.check()
        self._database.check()  # a commit without an answer may wait for half a minute
        tried = [self.preparer.prepare(request) for request in requests]
        ready = [outcome for outcome in tried if isinstance(outcome, Ready)]
        self._queue.append(_Entry(tried, ready, asked_at, deliver))

    def _commit(self) -> None:
        """Settle the queue in the thread that holds the writer, then release the writer."""
        try:
            self._settle(self._gather())
        finally:  # also on Ctrl-C: other callers wait for what was queued meanwhile
            self._holding.release()
            if self._queue:
                self._wake()

    def _gather(self) -> list[_Entry]:
        """Remove and return entries for one batch; at least one if the queue is not empty."""
        entries: list[_Entry] = []
        requests = size = 0
        while self._queue:
            ready = self._queue[0].ready
            requests += len(ready)
            size += sum([request.size for request in ready])
            if entries and (requests > _BATCH_REQUESTS or size > _BATCH_BYTES):
                break
            entries.append(self._queue.popleft())
        return entries

    def _settle(self, entries: Sequence[_Entry]) -> None:
        """Commit entries and deliver their outcomes."""
        try:
            self._write(entries)
        finally:  # also on Ctrl-C in the committing thread, so that no caller waits for ever
            for entry in entries:
                self._deliver(entry)

    def _write(self, entries: Sequence[_Entry]) -> None:
        """Write entries together; one that cannot be written does not affect the others."""
        try:
            decided = self._committer.write(
                [request for entry in entries for request in entry.ready]
            )
        except Exception as error:  # noqa: BLE001 - it is given to the callers
            if len(entries) > 1 and not isinstance(error, DatabaseUnavailable):
                for entry in entries:
                    self._write([entry])
                return
            if isinstance(error, DatabaseUnavailable):
                self._is_failing = not isinstance(error, StatementTooLong | LockNotGranted)
            if isinstance(error, AgentlogError):
                error.detached()
            for entry in entries:
                entry.outcomes = error
            return
        self._is_failing = False
        rest = iter(decided)
        for entry in entries:
            entry.outcomes = [
                outcome if isinstance(outcome, AgentlogError) else next(rest)
                for outcome in entry.tried
            ]

    def _deliver(self, entry: _Entry) -> None:
        outcomes, taken = entry.outcomes, time.monotonic() - entry.asked_at
        try:
            if outcomes is None:
                outcomes = DatabaseUnavailable("the append was interrupted")
            if isinstance(outcomes, BaseException):
                self.meters.failed(len(entry.tried), taken)
            else:
                self.meters.answered(outcomes, taken)
            entry.deliver(outcomes)
        except Exception:  # a failing callback must not stop delivery to the others
            logger.exception("what came of an append could not be delivered")

    def _wake(self) -> None:
        """Wake the writer's own thread, which is started on first use."""
        with self._awake:
            self._woken = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
                self._thread.start()
            self._awake.notify()

    def _work(self) -> None:
        while True:
            with self._awake:
                self._awake.wait_for(lambda: self._woken)
                self._woken = False
            if self._holding.acquire(blocking=False):  # else its holder wakes this thread if needed
                self._commit()
