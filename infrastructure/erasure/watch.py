"""Having every process forget what was erased: contents that it keeps in memory.

A notification is but a hint. Erasures are numbered in the order of their commits, so whoever is
rung up asks for those beyond the last that it knows of, and misses none, whatever was lost.
"""

import logging
import threading
from collections.abc import Callable

from typing_extensions import override

from domain.errors import AgentlogError
from infrastructure.closing import Closing
from infrastructure.database import Connections
from infrastructure.erasure.eraser import Eraser
from infrastructure.listening import ERASED, Listener
from infrastructure.sql import statement

logger = logging.getLogger("agentlog")

Forget = Callable[[str, str], None]
"""Told of a tenant and a thread whose contents went; it must be quick."""


class ErasureWatch(Closing):
    """Calls `forget` for each erasure that anybody has done, from a thread of its own.

    First it has `eraser` do those that somebody asked for and did not live to see done.
    """

    def __init__(
        self, database: Connections, listener: Listener, eraser: Eraser, forget: Forget
    ) -> None:
        self._database = database
        self._eraser = eraser
        self._forget = forget
        self._rung = threading.Event()
        self._closed = threading.Event()
        self._number = self._latest()
        self._end = listener.on(ERASED, self._rung.set)
        self._thread = threading.Thread(target=self._work, name="erasures", daemon=True)
        self._thread.start()
        self._rung.set()  # what came meanwhile was not rung for

    @override
    def close(self) -> None:
        """Watch no more."""
        self._closed.set()
        self._end()
        self._rung.set()
        self._thread.join()

    def _work(self) -> None:
        try:
            self._eraser.finish_all()
        except AgentlogError as error:
            logger.warning("erasures that were broken off are left for later: %s", error)
        failing = False
        while not self._closed.is_set():
            self._rung.wait()
            self._rung.clear()
            try:
                self._look()
            except AgentlogError as error:  # the listener rings again at its next poll
                if not failing and not self._closed.is_set():
                    logger.warning("erasures cannot be watched, trying on: %s", error)
                failing = True
            else:
                failing = False

    def _look(self) -> None:
        with self._database.connection() as connection:
            rows = connection.execute(
                statement("select_erasures_done"), {"after": self._number}
            ).fetchall()
        for number, tenant, thread_id in rows:
            self._forget(tenant, thread_id)
            self._number = number

    def _latest(self) -> int:
        with self._database.connection() as connection:
            row = connection.execute(
                "SELECT coalesce(max(number), 0) FROM agentlog.erasures"
            ).fetchone()
        return 0 if row is None else int(row[0])
