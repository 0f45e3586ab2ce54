"""A question to the database that whoever watches the service asks over and over."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

import psycopg
from anyio import CapacityLimiter, to_thread

from domain.errors import AgentlogError
from infrastructure.postgres.database import Database
from infrastructure.postgres.errors import DatabaseUnavailable

CONNECTION_SECONDS = 1.0
"""How long to wait for a connection of the pool."""
UNANSWERED = (AgentlogError, psycopg.Error)
"""What a question ends with where the database cannot answer it."""

_PATIENCE_SECONDS = 2.0

_FOUND = TypeVar("_FOUND")


class Inquiry(Generic[_FOUND]):
    """Asks in a thread of its own, beside the framework's, which may all wait for the database.

    While one question is out there is no second: a database that vanished without a word would take
    a thread for each.
    """

    def __init__(self, database: Database, ask: Callable[[], _FOUND]) -> None:
        self._database = database
        self._ask = ask
        self._asking: asyncio.Task[_FOUND | None] | None = None

    async def answer(self) -> _FOUND | None:
        """Return what the database says; None if it says nothing soon."""
        try:
            self._database.check()
        except DatabaseUnavailable:  # the one that is out may have its answer much later
            return None
        asking = self._asking
        if asking is None or asking.done():
            asking = self._asking = asyncio.create_task(
                to_thread.run_sync(self._try, abandon_on_cancel=True, limiter=CapacityLimiter(1))
            )
        # by the time that one is answered, somebody else may have put the next question
        done, _ = await asyncio.wait({asking}, timeout=_PATIENCE_SECONDS)
        return asking.result() if done else None

    def _try(self) -> _FOUND | None:
        try:
            return self._ask()
        except UNANSWERED:
            return None
