"""The log while somebody else holds it: what is appended waits."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from infrastructure.database import Database
from tests.infrastructure.appends import fetch

_WAIT_SECONDS = 20


@contextmanager
def held(database: Database) -> Iterator[None]:
    """Hold the log, as another process that appends would."""
    with database.connection() as connection, connection.transaction():
        connection.execute("SELECT FROM agentlog.counter FOR UPDATE")
        yield


def until_waited_for(database: Database) -> None:
    """Return once an append waits for the log that is `held`."""
    until(lambda: fetch(database, "SELECT FROM pg_locks WHERE NOT granted"))


def until(is_so: Callable[[], object]) -> None:
    """Return once it is so, which it must be before long."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)
