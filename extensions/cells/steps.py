"""Steps of a tenant at the source of a move, and what they say of its database."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agentlog.extensions.cells.errors import NothingToMove
from agentlog.infrastructure.audit.moves import Move, Step, insert_move, moves_of
from agentlog.infrastructure.audit.tree import LogTree
from agentlog.infrastructure.postgres.log_position import CounterLost, position_in
from agentlog.infrastructure.postgres.statements import statement

NOTHING_TAKEN = "{}"
"""An empty int8multirange."""


def last_step(connection: psycopg.Connection, tenant: str) -> Move | None:
    """Return the last step of a tenant in a database."""
    steps = moves_of(connection, tenant)
    return steps[-1] if steps else None


def next_number(steps: Sequence[Move]) -> int:
    """Return the number of the step after these."""
    return steps[-1].number + 1 if steps else 1


def locked_counter(connection: psycopg.Connection) -> tuple[int, datetime]:
    """Lock the log until the commit; return its position and time."""
    connection.execute("SELECT FROM agentlog.counter FOR UPDATE")
    return counter(connection)


def counter(connection: psycopg.Connection) -> tuple[int, datetime]:
    """Return the log's position and time."""
    row = connection.execute(
        # -infinity, before the first event, is no time of Python's
        "SELECT position, greatest(recorded_at, 'epoch') FROM agentlog.counter"
    ).fetchone()
    if row is None:
        raise CounterLost
    return row[0], row[1]


def erasure_mark(connection: psycopg.Connection) -> int:
    """Return the highest number that an erasure has had in a database."""
    row = connection.execute(statement("select_erasure_mark")).fetchone()
    return 0 if row is None else int(row[0])


def renew_tiles(source: psycopg.Connection, tenant: str) -> None:
    """Store the tree of a tenant's log, so that a fence has little to read while appends wait."""
    with source.cursor(binary=True) as cursor:
        LogTree(cursor, tenant, upto=position_in(source), keeping=True)


def try_fence(
    source: psycopg.Connection, tenant: str, key: Ed25519PrivateKey, *, move_id: str, other: str
) -> Move | None:
    """Fence a tenant, and return the step; None while a redaction of it is to be carried out.

    Raises:
        NothingToMove: it has no events.
    """
    position, recorded_at = locked_counter(source)
    pending = "SELECT FROM agentlog.erasures WHERE tenant = %s AND number IS NULL LIMIT 1"
    if source.execute(pending, (tenant,)).fetchone() is not None:
        return None
    with source.cursor(binary=True) as cursor:
        tree = LogTree(cursor, tenant, upto=position, keeping=True)
        if not tree.size:
            raise NothingToMove(tenant)
        root = tree.root(tree.size)
    first, last = _positions(source, tenant)
    fence = Move(
        tenant=tenant,
        number=next_number(moves_of(source, tenant)),
        step="fenced",
        move_id=move_id,
        other=other,
        events=tree.size,
        first_position=first,
        last_position=last,
        counter_before=position,
        counter_after=position,
        recorded_at=recorded_at,
        taken=NOTHING_TAKEN,
        erasures=erasure_mark(source),
        root=root,
    )
    return insert_move(source, fence, key)


def take_step(
    source: psycopg.Connection,
    here: Move,
    step: Step,
    key: Ed25519PrivateKey,
    *,
    taken: str = NOTHING_TAKEN,
) -> Move:
    """Record the step after `here`; with the log locked, unless rows of the tenant go with it."""
    position, recorded_at = counter(source) if step == "dropped" else locked_counter(source)
    following = replace(
        here,
        step=step,
        number=here.number + 1,
        counter_before=position,
        counter_after=position,
        recorded_at=recorded_at,
        taken=taken,
        erasures=erasure_mark(source),
    )
    return insert_move(source, following, key)


def events_by_heads(connection: psycopg.Connection, tenant: str) -> int:
    """Return how many events a tenant has by the heads of its threads."""
    row = connection.execute(
        "SELECT coalesce(sum(version), 0) FROM agentlog.threads WHERE tenant = %s", (tenant,)
    ).fetchone()
    return 0 if row is None else int(row[0])


def _positions(connection: psycopg.Connection, tenant: str) -> tuple[int, int]:
    """Return the first and the last position of a tenant's events."""
    row = connection.execute(
        "SELECT min(position), max(position) FROM agentlog.events WHERE tenant = %s", (tenant,)
    ).fetchone()
    return (0, 0) if row is None else (row[0], row[1])
