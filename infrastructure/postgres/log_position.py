"""The log's position, read as a check that the database answers."""

from infrastructure.postgres.database import Database
from infrastructure.postgres.statements import statement


def log_position(database: Database, *, wait_seconds: float | None = None) -> int:
    """Return the position of the log's latest event, 0 if there is none.

    Raises:
        DatabaseUnavailable: no connection was free in time, or it broke.
    """
    with database.connection(wait_seconds=wait_seconds) as connection:
        row = connection.execute(statement("log_position")).fetchone()
    if row is None:
        raise RuntimeError("agentlog.counter has lost its row: restore it from a backup")
    position: int = row[0]
    return position
