"""The log while somebody else holds it: what is appended waits."""

from collections.abc import Iterator
from contextlib import contextmanager

from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import fetch
from tests.waiting import until


@contextmanager
def held(database: Database) -> Iterator[None]:
    """Hold the log, as another process that appends would."""
    with database.connection() as connection, connection.transaction():
        connection.execute("SELECT FROM agentlog.counter FOR UPDATE")
        yield


def until_waited_for(database: Database) -> None:
    """Return once an append waits for the log that is `held`."""
    until(lambda: fetch(database, "SELECT FROM pg_locks WHERE NOT granted"))
