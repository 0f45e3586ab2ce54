"""Runs all projections: woken as the log grows, retrying after failures.

Several projectors may run at once, in one process or many: the first to lock a build does its next
batch.
"""

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import psycopg
from typing_extensions import override

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import BROKEN_OFF, DatabaseUnavailable
from agentlog.infrastructure.postgres.listening.notifications import APPENDED, DIRECTED, Listener
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.live_batch import LiveBatch
from agentlog.infrastructure.readmodels.projection import Projection, StepResult
from agentlog.infrastructure.runtime.closeable import Closing
from agentlog.projections.readmodels.registry import AnyReadModel

logger = logging.getLogger("agentlog")

_PAUSE_SECONDS = 0.5
_REST = 2  # times the duration of a step
_MOST_REST_SECONDS = 0.25


class Projector(Closing):
    """Keeps read models up to date with the log, until it is closed.

    A worker for each read model brings it to the end of the log; from there all are processed
    together. Batches are then `pace_seconds` apart, more if they take long: so many small appends
    cost few transactions, and two thirds of the time are left to appends.

    `search_days`: builds of the index of words leave out events that are older when they begin.
    """

    def __init__(
        self,
        database: Database,
        listener: Listener,
        models: Iterable[AnyReadModel],
        *,
        pace_seconds: float = 0.05,
        search_days: int | None = None,
    ) -> None:
        self._closed = threading.Event()
        self._together = _Together(
            database, models, self._closed, pace_seconds, search_days=search_days
        )
        self._off = [
            listener.on(APPENDED, self._together.woken.set),
            *(
                listener.on(channel, callback)
                for worker in self._together.workers
                for channel, callback in ((APPENDED, worker.look), (DIRECTED, worker.take_charge))
            ),
        ]
        self._threads = [self._together, *self._together.workers]
        for thread in self._threads:
            thread.start()

    @override
    def close(self) -> None:
        """Stop each projection after its current batch."""
        self._closed.set()
        for off in self._off:
            off()
        for thread in self._threads:
            thread.woken.set()
        for thread in self._threads:
            thread.join()


class _ProjectorThread(threading.Thread, ABC):
    """A thread that works when woken, on a connection of its own, and retries after failures."""

    def __init__(
        self, name: str, database: Database, closed: threading.Event, pace_seconds: float
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.woken = threading.Event()
        self._database = database
        self._closed = closed
        self._pace_seconds = pace_seconds
        self._broken_off = False

    @abstractmethod
    def step(self, connection: psycopg.Connection) -> bool:
        """Process a batch; return whether there is more to do."""

    @override
    def run(self) -> None:
        """Work until closed; reconnects after a broken connection."""
        while not self._closed.is_set():
            try:
                with self._database.connect() as connection:
                    self._keep_up(connection)
            except (*BROKEN_OFF, DatabaseUnavailable) as error:
                if not self._broken_off and not self._closed.is_set():
                    logger.warning("%s broke off, going on: %s", self.name, error)
                self._broken_off = True
            except Exception:  # a defect: the other projections go on, and this one is retried
                logger.exception("%s failed", self.name)
            self._closed.wait(_PAUSE_SECONDS)

    def _keep_up(self, connection: psycopg.Connection) -> None:
        while not self._closed.is_set():
            self.woken.clear()
            began = time.monotonic()
            more = self.step(connection)
            took = time.monotonic() - began
            self._broken_off = False
            if not more:
                self._closed.wait(min(_REST * took, _MOST_REST_SECONDS) - self._pace_seconds)
                self.woken.wait()
                self._closed.wait(self._pace_seconds)


class _Worker(_ProjectorThread):
    """Brings the builds of one read model to the end of the log, and hands them over there."""

    def __init__(  # noqa: PLR0913 - as its projector, and what it hands over
        self,
        database: Database,
        model: AnyReadModel,
        closed: threading.Event,
        pace_seconds: float,
        *,
        hand_over: Callable[[], None],
        search_days: int | None,
    ) -> None:
        super().__init__(f"projection {model.name}", database, closed, pace_seconds)
        self.model = model
        self.in_charge = True
        self._hand_over = hand_over
        self._search_days = search_days
        self._known: dict[int, Projection[Any]] = {}

    def look(self) -> None:
        """Wake up, unless the read model was handed over."""
        if self.in_charge:
            self.woken.set()

    def take_charge(self) -> None:
        """Take the read model back, and wake up."""
        self.in_charge = True
        self.woken.set()

    @override
    def step(self, connection: psycopg.Connection) -> bool:
        """Process a batch for each build; return whether there is more to do."""
        numbers = builds.at_work(connection, self.model, days=self._search_days)
        self._known = {
            number: self._known.get(number) or Projection(self.model, number) for number in numbers
        }
        steps = {projection.step(connection) for projection in self._known.values()}
        self.in_charge = steps != {StepResult.AT_PRESENT}
        if not self.in_charge:
            self._hand_over()
        return StepResult.MORE in steps


class _Together(_ProjectorThread):
    """Processes live read models together; returns those it cannot process to their workers."""

    def __init__(
        self,
        database: Database,
        models: Iterable[AnyReadModel],
        closed: threading.Event,
        pace_seconds: float,
        *,
        search_days: int | None,
    ) -> None:
        super().__init__("projections", database, closed, pace_seconds)
        self.workers = [
            _Worker(
                database,
                model,
                closed,
                pace_seconds,
                hand_over=self.woken.set,
                search_days=search_days,
            )
            for model in models
        ]
        self._joint = LiveBatch(worker.model for worker in self.workers)

    @override
    def step(self, connection: psycopg.Connection) -> bool:
        """Process a batch for all read models handed over; return whether there is more to do."""
        ours = {worker.model.name: worker for worker in self.workers if not worker.in_charge}
        if not ours:
            return False
        try:
            joined = self._joint.step(connection, ours)
        except Exception as error:
            for worker in ours.values():  # each finds out whether it is the failing one
                worker.take_charge()
            if isinstance(error, BROKEN_OFF):
                raise
            logger.warning("projections go on each by itself for now: %s", error)
            self._closed.wait(_PAUSE_SECONDS)
            return False
        for name in joined.apart:
            ours[name].take_charge()
        return joined.more
