"""Restarts a killed server, which then recovers from its own log.

The system may have run out of memory, or the process was killed by mistake. A server that was shut
down in an orderly way stays down.
"""

import logging

from typing_extensions import override

from agentlog.infrastructure.embedded.errors import EmbeddedServerError
from agentlog.infrastructure.embedded.server import EmbeddedServer
from agentlog.infrastructure.runtime.background import Background
from agentlog.infrastructure.runtime.backoff import pause_seconds

logger = logging.getLogger("agentlog")


class Keeper(Background):
    """Checks whether a server lives, in a thread of its own, and restarts it if it was killed."""

    def __init__(self, server: EmbeddedServer) -> None:
        super().__init__("keeper")
        self._server = server
        self._begin()

    @override
    def _work(self) -> None:
        failures = 0
        while not self._closed.wait(pause_seconds(failures, first=0.5, most=2.0)):
            if not self._server.was_killed:
                failures = 0
                continue
            logger.warning("PostgreSQL in %s was killed, starting it again", self._server.data_dir)
            try:
                self._server.revive()
            except (EmbeddedServerError, OSError) as error:
                logger.error("PostgreSQL cannot be started again, trying on: %s", error)  # noqa: TRY400 - it says why
                failures += 1
