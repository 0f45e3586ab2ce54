"""The writer: the one place through which every append of a process passes, by group commit.

Callers leave their requests in a queue, and whoever holds the writer commits all that has gathered,
in one transaction: a lone request pays no waiting time, and many share one commit. While one batch
is on its way to the disk, the next one gathers. Requests are checked and printed before that, in
their callers' time.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from domain.errors import AgentlogError
from infrastructure.answers import Answer, Line, outcomes_in_time
from infrastructure.committer import Committer
from infrastructure.database import Database
from infrastructure.meters import WriterMeters
from infrastructure.requests import (
    Appended,
    AppendRequest,
    Outcome,
    Outcomes,
    Preparer,
    Ready,
)
from infrastructure.unavailable import DatabaseUnavailable

logger = logging.getLogger("agentlog")

Deliver = Callable[[Outcomes, float], None]
"""Takes what came of requests, and in how many seconds that may be told, which is 0 mostly."""

_BATCH_REQUESTS = 1000
_BATCH_BYTES = 8 * 2**20


class WriterOverloaded(AgentlogError):
    """More appends are waiting than the writer takes: ask again a little later."""

    def __init__(self, capacity: int) -> None:
        super().__init__(
            f"{capacity} appends are waiting already: ask again a little later; "
            "nothing of this one was written"
        )
        self.capacity = capacity


@dataclass(slots=True)
class _Entry:
    """Requests handed in together, at a time of `time.monotonic`, and what came of them."""

    tried: Sequence[Ready | AgentlogError]
    asked_at: float
    deliver: Deliver = field(init=False)
    outcomes: Outcomes | None = None
    recorded_at: datetime | None = None
    ready: Sequence[Ready] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.ready = [each for each in self.tried if isinstance(each, Ready)]
        self.size = sum(each.size for each in self.ready)

    def settle(self, decided: Sequence[Outcome], recorded_at: datetime | None) -> None:
        """Put what was decided beside what had been refused before.

        `recorded_at` is a time that may not have come yet: before it nobody is told.
        """
        self.recorded_at = recorded_at
        rest = iter(decided)
        self.outcomes = [
            each if isinstance(each, AgentlogError) else next(rest) for each in self.tried
        ]


class Writer:
    """Appends to the log; any number of threads may call it.

    `clock` returns milliseconds since the epoch, `new_id` a fresh ULID; `capacity` is how many
    appends may wait; `meters` count what is done.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], int],
        new_id: Callable[[], str],
        capacity: int = 8192,
        meters: WriterMeters | None = None,
    ) -> None:
        self.meters = WriterMeters() if meters is None else meters
        self._preparer = Preparer(clock=clock, new_id=new_id)
        self._capacity = capacity
        self._waiting: deque[_Entry] = deque()
        self._holding = threading.Lock()
        self._line = Line()
        self._awake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._committer = Committer(database, self.meters)

    @property
    def waiting(self) -> int:
        """How many appends wait."""
        return len(self._waiting)

    def append(self, request: AppendRequest) -> Appended:
        """Append one request durably; raises what refuses it."""
        (outcome,) = self.append_many([request])
        if isinstance(outcome, AgentlogError):
            raise outcome
        return outcome

    def append_many(self, requests: Sequence[AppendRequest]) -> Sequence[Outcome]:
        """Append requests together; return what came of each, in order.

        Raises:
            WriterOverloaded: too many are waiting; nothing was written.
            DatabaseUnavailable: it is not known whether they were written; trying again is safe.
        """
        entry = self._entry(requests)
        if not self._waiting and self._holding.acquire(blocking=False):
            return self._append_alone(entry)
        answer = Answer(self._line)
        entry.deliver = answer.deliver
        self._waiting.append(entry)
        # whoever finds the writer free commits in its own time, without waiting for another thread
        if self._holding.acquire(blocking=False):
            answer.stay_awake()
            try:
                self._commit_waiting()
            finally:  # also on Ctrl-C: others wait for what gathered meanwhile
                self._holding.release()
                if self._waiting:
                    self.wake()
        return answer.wait()

    def _append_alone(self, entry: _Entry) -> Sequence[Outcome]:
        """Commit what is asked for where nobody else is there: without a queue."""
        told: list[tuple[Outcomes, float]] = []
        entry.deliver = lambda outcomes, seconds: told.append((outcomes, seconds))
        try:
            self._settle([entry])
        finally:
            self._holding.release()
            if self._waiting:
                self.wake()
        return outcomes_in_time(*told[0])

    def submit(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        """Append requests together, and have what came of each delivered, in another thread.

        Raises:
            WriterOverloaded: too many are waiting; nothing will be written.
        """
        self.hand_in(requests, deliver)
        self.wake()

    def hand_in(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        """Do as `submit`, but leave it to the caller to `wake` the writer after the last one."""
        entry = self._entry(requests)
        entry.deliver = deliver
        self._waiting.append(entry)

    def _entry(self, requests: Sequence[AppendRequest]) -> _Entry:
        asked_at = time.monotonic()
        if len(self._waiting) >= self._capacity:
            self.meters.turned_away(len(requests))
            raise WriterOverloaded(self._capacity)
        return _Entry([self._preparer.prepare(request) for request in requests], asked_at)

    def wake(self) -> None:
        """Have the writer's own thread commit what waits; it is started when first needed."""
        with self._awake:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
                self._thread.start()
            self._awake.notify()

    def _work(self) -> None:
        while True:
            with self._awake:
                self._awake.wait_for(lambda: self._waiting)
            with self._holding:
                self._commit_waiting()

    def _commit_waiting(self) -> None:
        """Commit what has gathered, as much of it as fits one batch, and deliver."""
        self._settle(self._gathered())

    def _settle(self, entries: Sequence[_Entry]) -> None:
        if not entries:
            return
        try:
            self._commit(entries)
        finally:  # also where Ctrl-C ends the one who commits: nobody waits for ever
            for entry in entries:
                self._deliver(entry)

    def _gathered(self) -> list[_Entry]:
        entries: list[_Entry] = []
        requests = size = 0
        while self._waiting:
            entry = self._waiting[0]
            requests += len(entry.ready)
            size += entry.size
            if entries and (requests > _BATCH_REQUESTS or size > _BATCH_BYTES):
                break
            entries.append(self._waiting.popleft())
        return entries

    def _commit(self, entries: Sequence[_Entry]) -> None:
        """Settle every entry, come what may: one that cannot be written takes no other with it."""
        try:
            decided, recorded_at = self._committer.write(
                [each for entry in entries for each in entry.ready]
            )
        except Exception as error:  # noqa: BLE001 - it is given to the callers
            if len(entries) > 1 and not isinstance(error, DatabaseUnavailable):
                for entry in entries:
                    self._commit([entry])
                return
            for entry in entries:
                entry.outcomes = error
            return
        start = 0
        for entry in entries:
            entry.settle(decided[start : start + len(entry.ready)], recorded_at)
            start += len(entry.ready)

    def _deliver(self, entry: _Entry) -> None:
        """Have callers told, once it is past: who has been told of an event finds it so."""
        outcomes, recorded_at = entry.outcomes, entry.recorded_at
        seconds = 0.0 if recorded_at is None else self._committer.seconds_until(recorded_at)
        taken = time.monotonic() - entry.asked_at + seconds
        try:
            if outcomes is None:
                outcomes = DatabaseUnavailable("the append was interrupted")
            if isinstance(outcomes, BaseException):
                self.meters.failed(len(entry.tried), taken)
            else:
                self.meters.answered(outcomes, taken)
            entry.deliver(outcomes, seconds)
        except Exception:  # who asked is gone; whoever commits here goes on for all the others
            logger.exception("what came of an append could not be delivered")
