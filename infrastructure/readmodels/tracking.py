"""Positions of readers of the log, behind the library's `TrackingRecorder`."""

from collections.abc import Sequence

import psycopg
from eventsourcing.persistence import IntegrityError, Tracking, TrackingRecorder
from typing_extensions import override

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.statements import statement


class PostgresTrackingRecorder(TrackingRecorder):
    """One row a reader; a position never decreases."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database

    @override
    def insert_tracking(self, tracking: Tracking) -> None:
        """Move a reader forward; raises `IntegrityError` if it is there already, or further."""
        with self._database.connection() as connection:
            self._move(connection, tracking)

    @override
    def max_tracking_id(self, application_name: str) -> int | None:
        with self._database.connection() as connection:
            row = connection.execute(
                "SELECT notification_id FROM agentlog.tracking WHERE application_name = %s",
                (self._reader(application_name),),
            ).fetchone()
        return None if row is None else row[0]

    def _move(self, connection: psycopg.Connection, tracking: Tracking) -> None:
        reader = self._reader(tracking.application_name)
        move_tracking(connection, Tracking(reader, tracking.notification_id))

    def _reader(self, application_name: str) -> str:
        """Return the name of the row: an application that several read has a row for each."""
        return application_name


def move_tracking(connection: psycopg.Connection, tracking: Tracking) -> None:
    """Move a reader forward, in the transaction that writes the results of the events.

    Raises:
        IntegrityError: it is there already, or further.
    """
    move_all(connection, [tracking.application_name], tracking.notification_id)


def move_all(connection: psycopg.Connection, names: Sequence[str], position: int) -> None:
    """Move some readers forward to one position, as `move_tracking` does.

    Raises:
        IntegrityError: one is there already, or further.
    """
    parameters = {"application_names": list(names), "notification_id": position}
    if connection.execute(statement("move_tracking"), parameters).rowcount != len(names):
        raise IntegrityError(f"one of {', '.join(names)} has tracked {position} already")
