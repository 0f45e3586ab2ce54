"""The writer: the one place through which every append of a process passes, by group commit.

Callers leave their requests in a queue, and a caller who finds the writer free commits all that has
gathered, in one transaction: a lone request pays no waiting time, and many share one commit. While
one batch is on its way to the disk, the next one gathers, for the writer's own thread. Requests are
checked and printed before that, in their callers' time.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from infrastructure.appending.append_queue import Deliver, Entry, Queue, WriterOverloaded
from infrastructure.appending.append_request import (
    Appended,
    AppendRequest,
    Outcome,
    Outcomes,
    Preparer,
    appended_in,
    raised,
)
from infrastructure.appending.committer import Committer
from infrastructure.appending.completion import Settling
from infrastructure.appending.writer_metrics import WriterMeters
from infrastructure.postgres.database import Database


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
        self._waiting = Queue(capacity)
        self._holding = threading.Lock()
        self._awake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._woken = False
        self._database = database
        self._committer = Committer(database, self.meters)
        self._settling = Settling(self._committer, self.meters)

    @property
    def waiting(self) -> int:
        """How many appends wait."""
        return len(self._waiting)

    def append(self, request: AppendRequest) -> Appended:
        """Append one request durably; raises what refuses it."""
        return appended_in(self.append_many([request]))

    def append_many(self, requests: Sequence[AppendRequest]) -> Sequence[Outcome]:
        """Append requests together; return what came of each, in order.

        Raises:
            WriterOverloaded: too many are waiting; nothing was written.
            DatabaseUnavailable: it is not known whether they were written; trying again is safe.
        """
        answer: Future[Outcomes] = Future()
        self._put(requests, answer.set_result)
        # a caller who finds the writer free commits in its own time, and waits for no other thread
        if self._holding.acquire(blocking=False):
            self._commit()
        return raised(answer.result())

    def submit(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        """Append requests together, and have what came of each delivered, in another thread.

        Raises:
            WriterOverloaded: too many are waiting; nothing will be written.
        """
        self._put(requests, deliver)
        self._wake()

    def _put(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        asked_at = time.monotonic()
        if self._waiting.is_full:
            self.meters.turned_away(len(requests))
            raise WriterOverloaded(self._waiting.capacity)
        self._database.check()  # a commit that hears nothing may yet wait for half a minute
        tried = [self._preparer.prepare(request) for request in requests]
        self._waiting.put(Entry(tried, asked_at, deliver))

    def _commit(self) -> None:
        """Settle what waits, by the thread that holds the writer, and let the writer go."""
        try:
            self._settling.settle(self._waiting.gather())
        finally:  # also on Ctrl-C: others wait for what gathered meanwhile
            self._holding.release()
            if self._waiting:
                self._wake()

    def _wake(self) -> None:
        """Have the writer's own thread look for work; it is started when first needed."""
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
            if self._holding.acquire(blocking=False):  # else its holder wakes us, if need be
                self._commit()
