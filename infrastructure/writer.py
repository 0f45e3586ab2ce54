"""The writer: the one place through which every append of a process passes, by group commit.

Callers leave their requests in a queue, and whoever holds the writer commits all that has gathered,
in one transaction: a lone request pays no waiting time, and many share one commit. While one batch
is on its way to the disk, the next one gathers. Requests are checked and printed before that, in
their callers' time.

Who commits is a caller's thread that finds the writer free, the writer's own, or an event loop that
drives it: that takes small batches step by step, and never waits.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from psycopg import InterfaceError
from psycopg.waiting import Ready as SocketReady
from psycopg.waiting import Wait

from domain.errors import AgentlogError
from infrastructure.answers import Answer, Line, raised
from infrastructure.committer import MOST_STEPPED, Committer, Steps, ended
from infrastructure.database import Database
from infrastructure.entries import Deliver, Entry, Queue, WriterOverloaded, ready_of
from infrastructure.meters import WriterMeters
from infrastructure.prepared import resumed
from infrastructure.requests import Appended, AppendRequest, Outcome, Outcomes, Preparer
from infrastructure.settling import Settling


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
        self._line = Line()
        self._awake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._left: tuple[Sequence[Entry], Steps | None] | None = None
        self._underway: _Underway | None = None
        self._woken = False
        self._driver: _Driver | None = None
        self._database = database
        self._committer = Committer(database, self.meters)
        self._settling = Settling(self._committer, self.meters)

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
            RuntimeError: this thread drives the writer, and would wait for itself.
        """
        if self._driver is not None and self._driver.thread == threading.get_ident():
            raise RuntimeError("the loop that drives the writer must hand appends in, not wait")
        entry = self._entry(requests)
        if not self._waiting and self._holding.acquire(blocking=False):
            return self._append_alone(entry)
        answer = Answer(self._line)
        entry.deliver = answer.deliver
        self._waiting.put(entry)
        # whoever finds the writer free commits in its own time, without waiting for another thread
        if self._holding.acquire(blocking=False):
            answer.stay_awake()
            self._commit(self._waiting.gather())
        return answer.wait()

    def _append_alone(self, entry: Entry) -> Sequence[Outcome]:
        """Commit what is asked for where nobody else is there: without a queue."""
        told: list[Outcomes] = []
        entry.deliver = told.append
        self._commit([entry])
        return raised(told[0])

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
        self._waiting.put(entry)

    def _entry(self, requests: Sequence[AppendRequest]) -> Entry:
        asked_at = time.monotonic()
        if self._waiting.is_full:
            self.meters.turned_away(len(requests))
            raise WriterOverloaded(self._waiting.capacity)
        self._database.check()  # a commit that hears nothing may yet wait for half a minute
        return Entry([self._preparer.prepare(request) for request in requests], asked_at)

    def wake(self) -> None:
        """Have what waits committed, by who drives the writer, or else by its own thread."""
        driver = self._driver
        if driver is None:
            self._wake_thread()
        else:
            driver.wake()

    @contextmanager
    def driven(self, wake: Callable[[], object]) -> Iterator[None]:
        """Leave what waits to an event loop, by whose thread this is called, while the block lasts.

        `wake` is called, in any thread, where it is to `set_out` soon.
        """
        self._driver = driver = _Driver(wake, threading.get_ident())
        try:
            yield
        finally:
            if self._driver is driver:
                self._driver = None
            if self._waiting:
                self.wake()

    def set_out(self) -> int | None:
        """Begin to commit what has gathered, without waiting for it.

        Returns the socket at which to wait for something to read before one may `proceed`, or None
        where there is nothing to wait for: nothing has gathered, or others see to it.
        """
        while self._waiting and self._holding.acquire(blocking=False):
            entries = self._waiting.gather(MOST_STEPPED)
            begun = self._committer.steps(ready_of(entries))
            if begun is None:
                self._leave(entries)
                continue
            fileno, steps = begun
            if self._go(_Underway(entries, fileno, steps), partial(next, steps)):
                return fileno
        return None

    def proceed(self) -> int | None:
        """Take what has set out as far as it goes without waiting, and the next if that is all.

        Returns as `set_out` does.
        """
        underway, self._underway = self._underway, None
        if underway is not None:
            step = partial(underway.steps.send, SocketReady.R)
            if self._go(underway, step):
                return underway.fileno
        return self.set_out()

    def leave(self) -> None:
        """Leave what has set out to the writer's own thread."""
        underway, self._underway = self._underway, None
        if underway is not None:
            self._leave(underway.entries, resumed(underway.steps, Wait.R))

    def _go(self, underway: "_Underway", step: Callable[[], Wait]) -> bool:
        """Take a step; tell whether there is something to read before the next."""
        try:
            waits = step()
        except StopIteration as done:
            self._end(underway.entries, done.value)
            return False
        except Exception as error:  # noqa: BLE001 - it is seen to there
            self._leave(underway.entries, ended(error))
            return False
        except BaseException:  # Ctrl-C
            self._leave(underway.entries, ended(InterfaceError("interrupted")))
            raise
        if waits != Wait.R:  # it is more than the socket takes at once
            self._leave(underway.entries, resumed(underway.steps, waits))
            return False
        self._underway = underway
        return True

    def _end(self, entries: Sequence[Entry], decided: Sequence[Outcome] | None) -> None:
        if decided is None:
            self._leave(entries, ended())
            return
        try:
            self._settling.settled(entries, decided)
        finally:
            self._holding.release()

    def _commit(self, entries: Sequence[Entry], steps: Steps | None = None) -> None:
        """Settle entries, by who holds the writer, and let it go."""
        try:
            self._settling.settle(entries, steps)
        finally:  # also on Ctrl-C: others wait for what gathered meanwhile
            self._let_go()

    def _let_go(self) -> None:
        self._holding.release()
        if self._waiting:
            self.wake()

    def _leave(self, entries: Sequence[Entry], steps: Steps | None = None) -> None:
        """Leave what was gathered, and the writer with it, to the writer's own thread."""
        with self._awake:
            self._left = entries, steps
            self._wake_thread()

    def _wake_thread(self) -> None:
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
                left, self._left = self._left, None
            if left is not None:
                self._commit(*left)
            elif self._holding.acquire(blocking=False):  # else who has it wakes us, if need be
                self._commit(self._waiting.gather())


class _Driver(NamedTuple):
    """An event loop that commits what waits, and the identifier of its thread."""

    wake: Callable[[], object]
    thread: int


class _Underway(NamedTuple):
    """Entries on their way to the log, step by step."""

    entries: Sequence[Entry]
    fileno: int
    steps: Steps
