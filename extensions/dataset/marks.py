"""Events that identify the log of a dataset: the tenant's first, and the last it depends on."""

import psycopg

from agentlog.extensions.dataset.manifest import Mark
from agentlog.infrastructure.postgres.statements import statement


def first_event(connection: psycopg.Connection, tenant: str) -> Mark | None:
    """Return the tenant's first event."""
    row = connection.execute(statement("select_first_event"), {"tenant": tenant}).fetchone()
    return None if row is None else Mark(position=row[0], chain=row[1].hex())


def last_event(connection: psycopg.Connection, tenant: str, *, upto: int) -> Mark | None:
    """Return the tenant's last event up to a position."""
    parameters = {"tenant": tenant, "upto": upto}
    row = connection.execute(statement("select_last_event"), parameters).fetchone()
    return None if row is None else Mark(position=row[0], chain=row[1].hex())


def later(one: Mark | None, other: Mark | None) -> Mark | None:
    """Return the mark with the larger position."""
    marks = [mark for mark in (one, other) if mark is not None]
    return max(marks, key=lambda mark: mark.position, default=None)
