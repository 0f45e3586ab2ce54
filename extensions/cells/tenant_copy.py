"""Copies a tenant's rows from one database to another, and deletes them.

Rows go as PostgreSQL's binary COPY, in the target's one transaction, by the owner of the tables.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import psycopg
from psycopg.sql import SQL, Composable, Identifier, Literal

from agentlog.extensions.cells.copying import copy_rows
from agentlog.extensions.cells.errors import KeyTaken
from agentlog.extensions.cells.steps import erasure_mark
from agentlog.infrastructure.audit.moves import Move
from agentlog.infrastructure.postgres.locks import erase_alone
from agentlog.infrastructure.postgres.statements import statement

Copied = Callable[[str, int], None]
"""Callback for progress: the table, and the bytes of it so far."""

TABLES: Mapping[str, str] = {
    "blobs": "sha256, piece",
    "loose_blobs": "sha256",
    "events": "position",  # a redaction makes its row in erasures
    "threads": "position",  # a head is refused before its event, and makes its row to search in
    "ledger": "thread_id, kind, id_sha256",
    "checkpoints": "size",
    "definitions": "kind, name, number",
    "imports": "id",
    "subscriptions": "name",
    "deliveries": "subscription, number",
    "accesses": "number",
    "keys": "id",
}
"""The tables that are copied, in this order, and the order of their rows."""

ON_RECORD: Mapping[str, str] = {
    "keys": "insert_arrived_keys",
    "accesses": "insert_arrived_accesses",
}
"""Those that stay where a tenant was dropped, and the statement that adds what is not there."""

MADE_ANEW = ("thread_search", "erasures", "snapshots", "tiles")
"""The tables that follow from those, or from reads."""


def first_filled(connection: psycopg.Connection, tenant: str) -> str | None:
    """Return a table of the log with rows of the tenant, None if there is none."""
    for table in (*TABLES, *MADE_ANEW):
        if table not in ON_RECORD:
            asked = SQL("SELECT FROM {} WHERE tenant = {} LIMIT 1").format(
                _name(table), Literal(tenant)
            )
            if connection.execute(asked, prepare=False).fetchone() is not None:
                return table
    return None


def has_keys(connection: psycopg.Connection, tenant: str) -> bool:
    """Return whether there are keys of the tenant that were not revoked."""
    valid = "SELECT FROM agentlog.keys WHERE tenant = %s AND revoked_at IS NULL LIMIT 1"
    return connection.execute(valid, (tenant,)).fetchone() is not None


def copy_tenant(
    source: psycopg.Connection, target: psycopg.Connection, fence: Move, copied: Copied
) -> None:
    """Copy the rows of a tenant, in the current transaction of each; the source's is one snapshot.

    Erasures of the source count as done at the target, by numbers that neither has had.
    """
    tenant = fence.tenant
    for table, order in TABLES.items():
        columns = SQL(", ").join(map(Identifier, _columns(target, table)))
        rows = SQL("SELECT {columns} FROM {table} WHERE tenant = {tenant} ORDER BY {order}").format(
            columns=columns, table=_name(table), tenant=Literal(tenant), order=SQL(order)
        )
        if table in ON_RECORD:
            _copy_beside(source, target, table, rows, columns)
        else:
            count = partial(copied, table)
            copy_rows(source, target, rows, _name(table), columns, copied=count)
    erase_alone(target)  # numbers of erasures follow commits; until here others may go on
    erasures = source.execute(statement("select_erasures_of_tenant"), {"tenant": tenant}).fetchall()
    mark = max(erasure_mark(target), fence.erasures)
    with target.cursor() as cursor:
        cursor.executemany(
            statement("note_erasure_done"),
            [
                {
                    "tenant": tenant,
                    "thread_id": thread_id,
                    "version": version,
                    "done_at": done_at,
                    "number": number,
                }
                for number, (thread_id, version, done_at) in enumerate(erasures, mark + 1)
            ],
        )


def delete_tenant(connection: psycopg.Connection, tenant: str) -> None:
    """Delete the rows of a dropped tenant, in the current transaction; what is on record stays."""
    for table in reversed((*TABLES, *MADE_ANEW)):
        if table not in ON_RECORD:
            asked = SQL("DELETE FROM {} WHERE tenant = {}").format(_name(table), Literal(tenant))
            connection.execute(asked, prepare=False)


def _copy_beside(
    source: psycopg.Connection,
    target: psycopg.Connection,
    table: str,
    rows: Composable,
    columns: Composable,
) -> None:
    """Copy rows into a table of which a tenant that was here before has rows.

    Raises:
        KeyTaken: another key of the target has the id of one.
    """
    beside = Identifier(f"arrived_{table}")
    made = SQL("CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA")
    target.execute(made.format(beside, columns, _name(table)), prepare=False)
    copy_rows(source, target, rows, beside, columns)
    if table == "keys":
        row = target.execute(statement("select_taken_key"), prepare=False).fetchone()
        if row is not None:
            raise KeyTaken(str(row[0]))
    target.execute(statement(ON_RECORD[table]), prepare=False)


def _columns(connection: psycopg.Connection, table: str) -> Sequence[str]:
    """Return the columns of a table, without those that the database counts up by itself."""
    parameters = {"table": f"agentlog.{table}"}
    return [name for (name,) in connection.execute(statement("select_own_columns"), parameters)]


def _name(table: str) -> Identifier:
    return Identifier("agentlog", table)
