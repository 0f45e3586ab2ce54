"""A user's tables beside the log, and how far they have come."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import ClassVar, LiteralString

import psycopg
from eventsourcing.persistence import Tracking
from typing_extensions import override

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels.tracking import PostgresTrackingRecorder


class View(PostgresTrackingRecorder):
    """Tables of your own in the log's database, for a `Projection` to fill.

    Subclass it: `schema` makes the tables where they are missing, and methods read and write them.
    """

    schema: ClassVar[LiteralString] = ""
    """Statements that are run at each start: `CREATE TABLE IF NOT EXISTS …`."""

    def __init__(self, database: Database, *, projection: str, tenant: str) -> None:
        super().__init__(database)
        self._projection, self._tenant = projection, tenant
        with database.connection() as connection, connection.transaction():
            # those who start together would make the same table
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('agentlog_view'))")
            connection.execute(self.schema)

    @contextmanager
    def transaction(self, tracking: Tracking) -> Iterator[psycopg.Connection]:
        """Commit what the block writes together with its place in the log, or neither.

        Raises:
            IntegrityError: the event was processed already, here or by another process.
        """
        with self._database.connection() as connection, connection.transaction():
            self._move(connection, tracking)
            yield connection

    def connection(self) -> AbstractContextManager[psycopg.Connection]:
        """Lend a connection in autocommit mode, to read."""
        return self._database.connection()

    @override
    def _reader(self, application_name: str) -> str:
        return f"{self._projection}.{application_name}@{self._tenant}"
