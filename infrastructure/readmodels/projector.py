"""All projections at work: a thread each, woken as the log grows, going on after failures.

Several projectors may run at once, in one process or many: whoever locks a build first does its
next batch.
"""

import logging
import threading
from collections.abc import Iterable
from typing import Any

import psycopg
from typing_extensions import override

from infrastructure.closing import Closing
from infrastructure.database import Database
from infrastructure.listening import APPENDED, DIRECTED, Listener
from infrastructure.readmodels import builds
from infrastructure.readmodels.projection import Projection, Step
from infrastructure.unavailable import BROKEN_OFF, DatabaseUnavailable
from projections.readmodels.registry import AnyReadModel

logger = logging.getLogger("agentlog")

_PAUSE_SECONDS = 0.5


class Projector(Closing):
    """Keeps read models up with the log, until it is closed.

    `pace_seconds`: at the present it lets so much time pass between batches, so that many small
    appends cost few transactions.
    """

    def __init__(
        self,
        database: Database,
        listener: Listener,
        models: Iterable[AnyReadModel],
        *,
        pace_seconds: float = 0.05,
    ) -> None:
        self._closed = threading.Event()
        self._workers = [_Worker(database, model, self._closed, pace_seconds) for model in models]
        self._off = [
            listener.on(channel, worker.woken.set)
            for worker in self._workers
            for channel in (APPENDED, DIRECTED)
        ]
        for worker in self._workers:
            worker.start()

    @override
    def close(self) -> None:
        """Stop, each projection after the batch that it is at."""
        self._closed.set()
        for off in self._off:
            off()
        for worker in self._workers:
            worker.woken.set()
            worker.join()


class _Worker(threading.Thread):
    """Keeps the builds of one read model up."""

    def __init__(
        self,
        database: Database,
        model: AnyReadModel,
        closed: threading.Event,
        pace_seconds: float,
    ) -> None:
        super().__init__(name=f"projection-{model.name}", daemon=True)
        self.woken = threading.Event()
        self._database = database
        self._model = model
        self._closed = closed
        self._pace_seconds = pace_seconds
        self._known: dict[int, Projection[Any]] = {}
        self._broken_off = False

    @override
    def run(self) -> None:
        """Work until closed, on a new connection wherever one broke."""
        while not self._closed.is_set():
            try:
                with self._database.connect() as connection:
                    self._keep_up(connection)
            except (*BROKEN_OFF, DatabaseUnavailable) as error:
                if not self._broken_off and not self._closed.is_set():
                    logger.warning("projection %s broke off, going on: %s", self._model.name, error)
                self._broken_off = True
            except Exception:  # a defect of ours: the other projections, and the next try, go on
                logger.exception("projection %s failed", self._model.name)
            self._closed.wait(_PAUSE_SECONDS)

    def _keep_up(self, connection: psycopg.Connection) -> None:
        while not self._closed.is_set():
            self.woken.clear()
            more = self.step(connection)
            self._broken_off = False
            if not more:
                self.woken.wait()
                self._closed.wait(self._pace_seconds)

    def step(self, connection: psycopg.Connection) -> bool:
        """Have each build do a batch; tell whether there is more to do."""
        numbers = builds.at_work(connection, self._model)
        self._known = {
            number: self._known.get(number) or Projection(self._model, number) for number in numbers
        }
        steps = [projection.step(connection) for projection in self._known.values()]
        return Step.MORE in steps
