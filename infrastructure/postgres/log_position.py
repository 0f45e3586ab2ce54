"""The log's position and clock."""

from datetime import UTC, datetime

import psycopg

from agentlog.domain.errors import FutureMoment
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement


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


def replay_lag(database: Connections, *, wait_seconds: float | None = None) -> float | None:
    """Return how many seconds a standby's replay is behind; no lock of a table delays it.

    None where that is unknown, and for what is no standby. Raises as `log_position`.
    """
    with database.connection(wait_seconds=wait_seconds) as connection:
        row = connection.execute(statement("replay_lag")).fetchone()
    return None if row is None else row[0]


def check_past(database: Connections, time: datetime) -> None:
    """Raise `FutureMoment` where events at or before a time may still come."""
    with database.connection() as connection:
        settled = connection.execute(
            "SELECT recorded_at >= %s FROM agentlog.counter", (time,)
        ).fetchone()
        if settled == (True,):
            return
        try:
            row = connection.execute(statement("store_clock")).fetchone()
        except psycopg.errors.ReadOnlySqlTransaction:  # a standby may be behind its primary
            present = "this database takes no writes, and its log ends before that"
            raise FutureMoment(time.isoformat(), present=present) from None
    if row is None or not isinstance(row[0], datetime):
        raise CounterLost
    if time > row[0]:
        now = row[0].astimezone(UTC).isoformat()
        raise FutureMoment(time.isoformat(), present=f"the store's clock says {now}")
