"""Maintenance of tables: takes as long as it takes, and one process at a time does it."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg


@contextmanager
def untimed(connection: psycopg.Connection) -> Iterator[None]:
    """Let statements on a connection in autocommit mode take any time, in the block."""
    for timeout in ("statement_timeout", "lock_timeout"):
        connection.execute("SELECT set_config(%s, '0', false)", (timeout,))
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute("RESET statement_timeout")
            connection.execute("RESET lock_timeout")


def try_lock(connection: psycopg.Connection, name: str) -> bool:
    """Take a lock of the database that this session holds until `unlock`, if no other has it."""
    asked = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
    return connection.execute(asked, (name,)).fetchone() == (True,)


def unlock(connection: psycopg.Connection, name: str) -> None:
    """Free a lock that this session holds; one that has ended holds none."""
    if not connection.closed:
        connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", (name,))
