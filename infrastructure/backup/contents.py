"""Contents of the log as of a snapshot: each tenant's events, and the tree over them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.integrity.merkle_tree import Frontier
from agentlog.infrastructure.audit.checkpoints import LogContradicted
from agentlog.infrastructure.audit.moves import Move, moves_of
from agentlog.infrastructure.audit.tree import leaf_pages
from agentlog.infrastructure.backup.errors import NothingToBackUp
from agentlog.infrastructure.postgres.log_position import position_in
from agentlog.infrastructure.postgres.statements import statement

Progress = Callable[[str, int, int | None], None]
"""Callback for progress: what is done, the amount so far, and the total if it is known."""


@dataclass(frozen=True, slots=True)
class TenantContents:
    """A tenant's events and threads, and the root of the tree over the events."""

    tenant: str
    threads: int
    events: int
    root: bytes


@dataclass(frozen=True, slots=True)
class LogContents:
    """Contents of the database: the log's position, its migrations, its tenants, their moves."""

    position: int
    schema: dict[int, str]
    tenants: Sequence[TenantContents]
    moves: Sequence[Move]


def applied_migrations(connection: psycopg.Connection) -> dict[int, str]:
    """Return the migrations applied to the database, with their digests.

    Raises:
        NothingToBackUp: there are none.
    """
    row = connection.execute("SELECT to_regclass('agentlog.migrations') IS NULL").fetchone()
    if row == (True,):
        raise NothingToBackUp
    rows = connection.execute("SELECT number, sha256 FROM agentlog.migrations").fetchall()
    return dict(rows)


def contents_of(
    connection: psycopg.Connection, progress: Progress, *, checked: bool
) -> LogContents:
    """Return the contents of the database, as the current transaction sees it.

    Raises:
        LogContradicted: the log is not the one that its last checkpoint was signed over; only if
            that is to be `checked`.
    """
    with connection.cursor(binary=True) as cursor:
        position = position_in(connection)
        tenants = [tenant for (tenant,) in cursor.execute(statement("select_tenants")).fetchall()]
        of_tenants, done = [], 0
        for tenant in tenants:
            parameters = {"tenant": tenant}
            threads = cursor.execute(
                "SELECT count(*) FROM agentlog.threads WHERE tenant = %(tenant)s", parameters
            ).fetchone()

            def tell(events: int, before: int = done) -> None:
                progress("events", before + events, position)

            tree = _tree(cursor, tenant, tell, checked=checked)
            done += tree.size
            count = 0 if threads is None else int(threads[0])
            of_tenants.append(TenantContents(tenant, count, tree.size, tree.root()))
    row = connection.execute("SELECT to_regclass('agentlog.moves') IS NULL").fetchone()
    moves = () if row == (True,) else moves_of(connection)  # an older schema has none
    return LogContents(position, applied_migrations(connection), of_tenants, moves)


def _tree(
    cursor: psycopg.Cursor[TupleRow], tenant: str, tell: Callable[[int], None], *, checked: bool
) -> Frontier:
    """Return the tree over a tenant's events; `checked`: compared with the last checkpoint."""
    size, root = 0, b""
    if checked:
        parameters = {"tenant": tenant}
        last = cursor.execute(statement("select_latest_checkpoint"), parameters).fetchone()
        size, root = (size, root) if last is None else (last[0], last[2])
    tree = Frontier()
    for leaves in leaf_pages(cursor, tenant):
        for _, hashed in leaves:
            tree.add(hashed)
            if tree.size == size and tree.root() != root:
                raise LogContradicted(size)
        tell(tree.size)
    if tree.size < size:
        raise LogContradicted(size)
    return tree
