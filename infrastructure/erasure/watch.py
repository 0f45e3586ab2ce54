"""Clears erased contents from memory in every process.

A notification is only a hint. Erasures are numbered in the order of their commits, so a process
reads those after the last that it knows, and misses none even if notifications are lost.
"""

from collections.abc import Callable

from typing_extensions import override

from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.listening.notifications import ERASED, Listener
from agentlog.infrastructure.postgres.listening.watcher import Watch, warn
from agentlog.infrastructure.postgres.queries import fetch

Discard = Callable[[str, str], None]
"""Called with tenant and thread id after an erasure; it must be quick."""


class ErasureWatch(Watch):
    """Calls `discard` for each erasure by any process, in a thread of its own.

    Once the database takes writes, `eraser` carries out redactions left pending by a crash.
    """

    def __init__(
        self, database: Connections, listener: Listener, eraser: Eraser, discard: Discard
    ) -> None:
        self._database = database
        self._eraser = eraser
        self._discard = discard
        self._number = self._latest()
        self._is_to_finish = True
        super().__init__(listener, ERASED, name="erasures", failing="erasures cannot be watched")

    @override
    def _look(self) -> None:
        if self._is_to_finish and self._database.write_access.is_given:
            self._is_to_finish = False
            try:
                self._eraser.finish_all()
            except Exception as error:  # noqa: BLE001 - later erasures are watched all the same
                warn("erasures that were broken off are left for later", error)
        done = fetch(self._database, "select_erasures_done", after=self._number)
        for number, tenant, thread_id in done:
            self._discard(tenant, thread_id)
            self._number = number

    def _latest(self) -> int:
        with self._database.connection() as connection:
            row = connection.execute(
                "SELECT coalesce(max(number), 0) FROM agentlog.erasures"
            ).fetchone()
        return 0 if row is None else int(row[0])
