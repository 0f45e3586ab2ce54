"""The floor: PostgreSQL by psycopg with nothing around it. No rule, no order, no hash, no head."""

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from benchmarks.harness.databases import connected


@dataclass(frozen=True, slots=True)
class StoredBody:
    """A message as the log has it."""

    thread_id: str
    version: int
    type: str
    body: bytes


def stored_bodies(url: str) -> list[StoredBody]:
    """Return every event of a log: what floor and peer write in their turn."""
    query = (
        "SELECT thread_id, version, type, agentlog.body_of(tenant, body, cuts) "
        "FROM agentlog.events ORDER BY thread_id, version"
    )
    with connected(url) as connection, connection.cursor(binary=True) as cursor:
        return [StoredBody(*row) for row in cursor.execute(query)]


def make_table(connection: psycopg.Connection) -> None:
    """Make a new, empty table of events with a key and nothing else."""
    connection.execute("DROP TABLE IF EXISTS floor_events")
    connection.execute(
        "CREATE TABLE floor_events (thread_id text, version bigint, type text, body bytea, "
        "PRIMARY KEY (thread_id, version))"
    )


def copy_all(connection: psycopg.Connection, bodies: Sequence[StoredBody]) -> None:
    """Write them by one binary COPY."""
    statement = "COPY floor_events (thread_id, version, type, body) FROM STDIN (FORMAT binary)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(["text", "int8", "text", "bytea"])
        for body in bodies:
            copy.write_row((body.thread_id, body.version, body.type, body.body))


def insert_all(connection: psycopg.Connection, bodies: Sequence[StoredBody]) -> None:
    """Write them by executemany, in one transaction."""
    with connection.transaction(), connection.cursor() as cursor:
        cursor.executemany(
            _INSERT, [(body.thread_id, body.version, body.type, body.body) for body in bodies]
        )


def insert_one(connection: psycopg.Connection, body: StoredBody) -> None:
    """Write one by an INSERT that commits by itself."""
    connection.execute(_INSERT, (body.thread_id, body.version, body.type, body.body))


def select_thread(connection: psycopg.Connection, thread_id: str) -> list[bytes]:
    """Return the bodies of a thread out of the table that `copy_all` filled."""
    query = "SELECT body FROM floor_events WHERE thread_id = %s ORDER BY version"
    with connection.cursor(binary=True) as cursor:
        return [row[0] for row in cursor.execute(query, (thread_id,))]


def select_some(
    connection: psycopg.Connection, thread_id: str, *, after: int, limit: int
) -> list[bytes]:
    """Return the bodies of some versions of a thread, as `select_thread` does."""
    query = (
        "SELECT body FROM floor_events WHERE thread_id = %s "
        "AND version > %s AND version <= %s ORDER BY version"
    )
    with connection.cursor(binary=True) as cursor:
        return [row[0] for row in cursor.execute(query, (thread_id, after, after + limit))]


_INSERT = "INSERT INTO floor_events (thread_id, version, type, body) VALUES (%s, %s, %s, %s)"
