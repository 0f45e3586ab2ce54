"""Arrivals: a tenant copied, and owned by the target, in one transaction of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from psycopg.errors import LockNotAvailable

from agentlog.domain.points_in_time import BIGGEST
from agentlog.extensions.cells.errors import (
    CopyDiffers,
    MoveUnderWay,
    OtherTenant,
    TenantThere,
)
from agentlog.extensions.cells.read_models import copy_read_models, settle_builds
from agentlog.extensions.cells.steps import (
    erasure_mark,
    events_by_heads,
    last_step,
    locked_counter,
    next_number,
)
from agentlog.extensions.cells.tenant_copy import copy_tenant, first_filled, has_keys
from agentlog.infrastructure.audit.moves import Move, insert_move, moves_of
from agentlog.infrastructure.audit.tree import LogTree
from agentlog.infrastructure.postgres.listening.notifications import APPENDED

Progress = Callable[[str, int], None]
"""Callback for progress: a step or a table, and the bytes of it so far."""

OTHERS_SECONDS = 3.0
"""How long the session of a mover that was killed may hold its lock."""

_AT_LEISURE = (
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL lock_timeout = '60s'",
    "SET LOCAL idle_in_transaction_session_timeout = 0",
)


@contextmanager
def only_arrival(there: psycopg.Connection, tenant: str) -> Iterator[None]:
    """Hold a transaction of the target in which alone the tenant may arrive.

    One that was begun before ends first: a mover that was killed may have left its COMMIT
    behind, which waits for a standby and cannot be seen.
    """
    with there.transaction():
        there.execute("SELECT set_config('lock_timeout', %s, true)", (f"{OTHERS_SECONDS}s",))
        name = f"agentlog arrival {tenant}"
        try:
            there.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))
        except LockNotAvailable:
            raise MoveUnderWay(tenant) from None
        at_leisure(there)
        yield


def arrival_of(there: psycopg.Connection, fence: Move) -> Move | None:
    """Return the arrival of what was fenced, if the target has it."""
    steps = moves_of(there, fence.tenant)
    arrivals = (move for move in steps if move.step == "arrived")
    return next((move for move in arrivals if move.move_id == fence.move_id), None)


def is_there(there: psycopg.Connection, left: Move) -> bool:
    """Return whether the target has what left the source, or had it and has passed it on."""
    if arrival_of(there, left) is None:
        return False
    if moves_of(there, left.tenant)[-1].step in {"left", "dropped"}:
        return True
    return _has_grown_from(there, left)


def _has_grown_from(connection: psycopg.Connection, move: Move) -> bool:
    """Return whether a database has the log that a tenant had at a step, or more of it."""
    with connection.cursor(binary=True) as cursor:
        tree = LogTree(cursor, move.tenant, upto=BIGGEST, keeping=False)
        return tree.size >= move.events and tree.root(move.events) == move.root


def check_free(source: psycopg.Connection, there: psycopg.Connection, tenant: str) -> None:
    """Check that the target has nothing of the tenant, or of another of its name.

    Raises:
        TenantThere: there are rows.
        OtherTenant: one of that name was there with another log, or has keys there.
    """
    table = first_filled(there, tenant)
    if table is not None:
        raise TenantThere(tenant, table)
    last = last_step(there, tenant)
    if has_keys(there, tenant) if last is None else not _has_grown_from(source, last):
        raise OtherTenant(tenant)


def arrive(
    source: psycopg.Connection,
    there: psycopg.Connection,
    fence: Move,
    key: Ed25519PrivateKey,
    progress: Progress,
) -> Move:
    """Copy the tenant and record its arrival, in the current transaction of the target."""
    with source.transaction():
        source.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        at_leisure(source)
        check_free(source, there, fence.tenant)
        copy_tenant(source, there, fence, progress)
        progress("check", 0)
        _check_tree(there, fence)
        progress("read models", 0)
        copied = copy_read_models(source, there, fence.tenant, upto=fence.last_position)
        before, recorded_at = locked_counter(there)
        if events_by_heads(there, fence.tenant) != fence.events:  # it was appended to meanwhile
            raise CopyDiffers(fence.tenant)
        # always moved, so that what writers remember of the tenant's threads is void
        after = max(before + 1, fence.counter_after)
        settle_builds(there, fence.tenant, copied, before=before, after=after)
        arrival = replace(
            fence,
            number=next_number(moves_of(there, fence.tenant)),
            step="arrived",
            other=name_of(source),
            counter_before=before,
            counter_after=after,
            recorded_at=max(recorded_at, fence.recorded_at),
            erasures=max(erasure_mark(there), fence.erasures),
        )
        there.execute(
            "UPDATE agentlog.counter SET position = %s, recorded_at = %s",
            (arrival.counter_after, arrival.recorded_at),
        )
        there.execute("SELECT pg_notify(%s, %s)", (APPENDED, str(arrival.counter_after)))
        return insert_move(there, arrival, key)


def _check_tree(there: psycopg.Connection, fence: Move) -> None:
    with there.cursor(binary=True) as cursor:
        tree = LogTree(cursor, fence.tenant, upto=fence.last_position, keeping=True)
        if (tree.size, tree.root(tree.size)) != (fence.events, fence.root):
            raise CopyDiffers(fence.tenant)


def name_of(connection: psycopg.Connection) -> str:
    """Return the name of a database: host:port/name."""
    info = connection.info
    return f"{info.host}:{info.port}/{info.dbname}"


def at_leisure(connection: psycopg.Connection) -> None:
    """Let statements take any time in the current transaction."""
    for setting in _AT_LEISURE:
        connection.execute(setting)
