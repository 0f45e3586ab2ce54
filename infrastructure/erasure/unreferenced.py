"""Blobs that no event refers to any more: found without a lock, made sure of under one."""

from collections.abc import Collection

import psycopg
from psycopg.rows import TupleRow

from infrastructure.cuts import Digest
from infrastructure.sql import statement


def delete_unreferenced(
    connection: psycopg.Connection, tenant: str, candidates: Collection[Digest]
) -> set[Digest]:
    """Delete those of some blobs that nothing refers to; return them.

    Whoever appends holds the counter while it adds an event and its blobs. So all events are looked
    through first, which may take long, and only what came meanwhile while appends are held up. The
    caller is to commit at once.
    """
    with connection.cursor(binary=True) as cursor:
        row = cursor.execute("SELECT position FROM agentlog.counter").fetchone()
        position = 0 if row is None else int(row[0])
        free = _unreferenced(cursor, tenant, set(candidates), after=0)
        if not free:
            return free
        cursor.execute("SELECT FROM agentlog.counter FOR UPDATE")
        free = _unreferenced(cursor, tenant, free, after=position)
        cursor.execute(statement("delete_blobs"), {"tenant": tenant, "digests": list(free)})
    return free


def _unreferenced(
    cursor: psycopg.Cursor[TupleRow], tenant: str, digests: set[Digest], *, after: int
) -> set[Digest]:
    if not digests:
        return digests
    asked = {"tenant": tenant, "after": after, "digests": list(digests)}
    rows = cursor.execute(statement("select_referenced"), asked).fetchall()
    return digests - {bytes(digest) for (digest,) in rows}
