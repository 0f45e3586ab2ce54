"""The log's position."""

import psycopg

from infrastructure.postgres.database import Connections


class CounterLost(RuntimeError):
    """The database was damaged: the row with the log's position is gone."""

    def __init__(self) -> None:
        super().__init__("agentlog.counter has lost its row: restore it from a backup")


def position_in(connection: psycopg.Connection) -> int:
    """Return the position of the log's latest event, 0 if there is none; raises `CounterLost`."""
    row = connection.execute("SELECT position FROM agentlog.counter").fetchone()
    if row is None:
        raise CounterLost
    position: int = row[0]
    return position


def log_position(database: Connections, *, wait_seconds: float | None = None) -> int:
    """Return the same on a connection of its own.

    Raises:
        DatabaseUnavailable: no connection was free in time, or it broke.
    """
    with database.connection(wait_seconds=wait_seconds) as connection:
        return position_in(connection)
