"""Restarts a killed server, which then recovers from its own log.

The system may have run out of memory, or the process was killed by mistake. A server that was shut
down in an orderly way stays down.
"""

import logging
import threading

from typing_extensions import override

from agentlog.infrastructure.embedded.errors import EmbeddedServerError
from agentlog.infrastructure.embedded.server import EmbeddedServer
from agentlog.infrastructure.runtime.backoff import pause_seconds
from agentlog.infrastructure.runtime.closeable import Closing

logger = logging.getLogger("agentlog")


class Keeper(Closing):
    """Checks whether a server lives, in a thread of its own, and restarts it if it was killed."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="keeper", daemon=True)
        self._thread.start()

    @override
    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _work(self) -> None:
        failures = 0
        while not self._closing.wait(pause_seconds(failures, first=0.5, most=2.0)):
            if not self._server.was_killed:
                failures = 0
                continue
            logger.warning("PostgreSQL in %s was killed, starting it again", self._server.data_dir)
            try:
                self._server.revive()
            except (EmbeddedServerError, OSError) as error:
                logger.error("PostgreSQL cannot be started again, trying on: %s", error)  # noqa: TRY400 - it says why
                failures += 1
