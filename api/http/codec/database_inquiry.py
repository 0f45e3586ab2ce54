"""Repeated database queries for health checks and metrics."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

import psycopg
from anyio import CapacityLimiter, to_thread

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable

CONNECTION_SECONDS = 1.0
"""Seconds to wait for a connection of the pool."""
UNANSWERED = (AgentlogError, psycopg.Error)
"""Errors of a query that the database cannot answer."""

_PATIENCE_SECONDS = 2.0

_Answer = TypeVar("_Answer")


class Inquiry(Generic[_Answer]):
    """Runs a query in a thread of its own: the framework's threads may all wait for the database.

    At most one query runs at a time: an unresponsive database would block a thread for each.
    """

    def __init__(self, database: Database, ask: Callable[[], _Answer]) -> None:
        self._database = database
        self._ask = ask
        self._asking: asyncio.Task[_Answer | None] | None = None

    async def answer(self) -> _Answer | None:
        """Return the result of the query; None if the database does not answer in time."""
        try:
            self._database.check()
        except DatabaseUnavailable:  # a pending query may finish much later
            return None
        asking = self._asking
        if asking is None or asking.done():
            asking = self._asking = asyncio.create_task(
                to_thread.run_sync(self._try, abandon_on_cancel=True, limiter=CapacityLimiter(1))
            )
        # when it ends, another request may have started the next query
        done, _ = await asyncio.wait({asking}, timeout=_PATIENCE_SECONDS)
        return asking.result() if done else None

    def _try(self) -> _Answer | None:
        try:
            return self._ask()
        except UNANSWERED:
            return None
