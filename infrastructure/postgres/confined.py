"""Connections that see only the rows of one tenant."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import psycopg

from agentlog.infrastructure.postgres.write_access import WriteAccess


@dataclass(frozen=True, slots=True)
class Confined:
    """Connections of a database, lent by `lend`, to one tenant's rows."""

    lend: Callable[[str, float | None], AbstractContextManager[psycopg.Connection]]
    tenant: str
    write_access: WriteAccess

    def connection(
        self, *, wait_seconds: float | None = None
    ) -> AbstractContextManager[psycopg.Connection]:
        """Lend a connection, as `Database.connection` does."""
        return self.lend(self.tenant, wait_seconds)
