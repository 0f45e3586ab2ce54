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
from queue import SimpleQueue

import psycopg

from domain.errors import AgentlogError
from infrastructure.batch import Batch, wanted_by
from infrastructure.changes import Wanted
from infrastructure.database import Database, DatabaseUnavailable
from infrastructure.log import append_onward, log_transaction, look
from infrastructure.recall import Recall, StoreClock
from infrastructure.requests import Appended, AppendRequest, Outcome, Preparer, Ready

logger = logging.getLogger("agentlog")

Deliver = Callable[["Outcomes", float], None]
"""Takes what came of requests, and in how many seconds that may be told, which is 0 mostly."""

Outcomes = Sequence[Outcome] | BaseException
"""What came of each request, in order; or the defect that kept them from being tried."""

_BATCH_REQUESTS = 1000
_BATCH_BYTES = 8 * 2**20
_TRIES = 3
_PAUSE_SECONDS = 0.05
_FIRST_PLANS = 100
_YOUNG = 200_000  # events; by then the server has looked by itself
_ANALYZE = (
    "ANALYZE (SKIP_LOCKED) agentlog.events, agentlog.threads, agentlog.ledger, agentlog.blobs"
)
_ONWARD_BYTES = 2**20  # more is not sent before it is certain to be written


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
    """Requests that were handed in together, and what came of them."""

    tried: Sequence[Ready | AgentlogError]
    deliver: Deliver
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
    appends may wait.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], int],
        new_id: Callable[[], str],
        capacity: int = 8192,
    ) -> None:
        self._database = database
        self._preparer = Preparer(clock=clock, new_id=new_id)
        self._capacity = capacity
        self._waiting: deque[_Entry] = deque()
        self._holding = threading.Lock()
        self._awake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._connection: psycopg.Connection | None = None
        self._recall = Recall()
        self._clock = StoreClock(time.monotonic)
        self._position = self._planned_at = 0
        self._missed_at: int | None = None

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
        delivered: SimpleQueue[tuple[Outcomes, float]] = SimpleQueue()
        self._enqueue(requests, lambda outcomes, seconds: delivered.put((outcomes, seconds)))
        # whoever finds the writer free commits in its own time, without waiting for another thread
        if self._holding.acquire(blocking=False):
            try:
                self._commit_waiting()
            finally:  # also on Ctrl-C: others wait for what gathered meanwhile
                self._holding.release()
                if self._waiting:
                    self._wake()
        outcomes, seconds = delivered.get()
        if seconds > 0:
            time.sleep(seconds)
        if isinstance(outcomes, BaseException):
            raise outcomes
        return outcomes

    def submit(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        """Append requests together, and have what came of each delivered, in another thread.

        Raises:
            WriterOverloaded: too many are waiting; nothing will be written.
        """
        self._enqueue(requests, deliver)
        self._wake()

    def _enqueue(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        if len(self._waiting) >= self._capacity:
            raise WriterOverloaded(self._capacity)
        entry = _Entry([self._preparer.prepare(request) for request in requests], deliver)
        self._waiting.append(entry)

    def _wake(self) -> None:
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
        entries = self._gathered()
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
            decided, recorded_at = self._write([each for entry in entries for each in entry.ready])
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

    def _write(self, ready: Sequence[Ready]) -> tuple[Sequence[Outcome], datetime | None]:
        """Write a batch in one transaction, again where the database broke off.

        Returns what came of each, and the time of it all where that was a guess.

        After a break nobody knows whether the transaction was committed. A second try finds the
        messages of the first by their ids, so it never writes anything twice.
        """
        if not ready:
            return (), None
        for attempt in range(_TRIES):
            try:
                connection = self._connected()
                self._renew_plans(connection)
                wanted = wanted_by(ready, again=attempt > 0)
                written = None if attempt else self._write_onward(connection, ready, wanted)
                return written or (self._write_holding(connection, ready, wanted), None)
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                self._disconnect()
                if attempt == _TRIES - 1:
                    raise DatabaseUnavailable(str(error).strip()) from error
                logger.warning("append broke off, trying again: %s", error)
                time.sleep(_PAUSE_SECONDS * 2**attempt)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _write_onward(
        self, connection: psycopg.Connection, ready: Sequence[Ready], wanted: Wanted
    ) -> tuple[Sequence[Outcome], datetime] | None:
        """Write a batch on what is remembered of the log; None where that does not do.

        It does for most, not for what is to be refused or was there before.
        """
        if not self._recall.alone or sum(each.size for each in ready) > _ONWARD_BYTES:
            return None
        missing = self._recall.missing(wanted.threads)
        position, heads = look(connection, missing) if missing else (None, {})
        if position is not None and not self._recall.holds_at(position):
            return None
        ground = self._recall.ground(wanted, heads)
        batch = Batch(ground, stored_body=_unknown)
        outcomes = [batch.decide(each) for each in ready]
        recorded_at = self._clock.stamp(len(batch), after=self._recall.recorded_at)
        refused = any(isinstance(each, AgentlogError) for each in outcomes)
        if refused or recorded_at is None or not len(batch):
            return None
        changes = batch.changes(recorded_at)
        assumed = frozenset(
            (thread, key) for thread, key in wanted.keys if key not in ground.ledger.get(thread, ())
        )
        asked_at = self._clock.elapsed()
        reading = append_onward(connection, ground.position, changes, assumed)
        if reading is None:
            self._missed_at = ground.position
            return None
        self._clock.note(reading, asked_at=asked_at, stamped=True)
        self._recall.note(ground.position, changes)
        self._position = changes.position
        return outcomes, recorded_at

    def _write_holding(
        self, connection: psycopg.Connection, ready: Sequence[Ready], wanted: Wanted
    ) -> Sequence[Outcome]:
        """Write a batch while holding the log, on what there is."""
        asked_at = self._clock.elapsed()
        with log_transaction(connection, wanted) as log:
            missed_at, self._missed_at = self._missed_at, None
            if missed_at == log.ground.position and not log.ground.places:
                self._clock.missed()  # nobody else has written, and nothing was there before
            self._clock.note(log.clock, asked_at=asked_at)
            batch = Batch(log.ground, stored_body=log.body)
            outcomes = [batch.decide(each) for each in ready]
            changes = batch.changes(log.recorded_at) if len(batch) else None
            if changes is not None:
                log.append(changes)
        if changes is not None:
            self._recall.note(log.ground.position, changes)
            self._position = changes.position
        return outcomes

    def _renew_plans(self, connection: psycopg.Connection) -> None:
        """Have statements planned anew whenever the log has doubled.

        Plans of prepared statements stay, and one that was made while the tables were small may
        read all of them for ever: a scan, or an index that fits worse than the key. While the log
        is young the server has not looked at the tables at all, and knows no better.
        """
        if self._position > self._planned_at * 2 + _FIRST_PLANS:
            if self._position < _YOUNG:
                connection.execute(_ANALYZE)
            connection.execute("DISCARD PLANS")
            self._planned_at = self._position

    def _deliver(self, entry: _Entry) -> None:
        """Have callers told, once it is past: who has been told of an event finds it so."""
        outcomes, recorded_at = entry.outcomes, entry.recorded_at
        seconds = 0.0 if recorded_at is None else self._clock.seconds_until(recorded_at)
        try:
            if outcomes is None:
                outcomes = DatabaseUnavailable("the append was interrupted")
            entry.deliver(outcomes, seconds)
        except Exception:  # who asked is gone; whoever commits here goes on for all the others
            logger.exception("what came of an append could not be delivered")

    def _connected(self) -> psycopg.Connection:
        if self._connection is None or self._connection.closed:
            self._connection = self._database.connect()
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._recall.forget()
            self._clock.forget()


def _unknown(tenant: str, thread_id: str, version: int) -> bytes:
    raise AssertionError(f"no place was looked up, so {tenant}/{thread_id}/{version} is none")
