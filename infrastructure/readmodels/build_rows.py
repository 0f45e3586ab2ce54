"""Rows in the table of a build, whatever its columns: they may be those of other code."""

import psycopg
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Identifier, Literal

from agentlog.infrastructure.readmodels.tables import SCHEMA


def columns_of(connection: psycopg.Connection, bare_name: str) -> list[str]:
    """Return the columns of a build's table, in their order."""
    rows = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) "
        "AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        (f"{SCHEMA}.{bare_name}",),
    ).fetchall()
    return [name for (name,) in rows]


def rows_of_thread(
    connection: psycopg.Connection, bare_name: str, tenant: str, thread_id: str
) -> list[TupleRow]:
    """Return a thread's rows in a build's table as text, which any value has, in its order."""
    name = Identifier(SCHEMA, bare_name)
    return connection.execute(
        SQL(
            "SELECT kept::text FROM {name} AS kept "
            "WHERE tenant = %s AND thread_id = %s ORDER BY kept::text"
        ).format(name=name),
        (tenant, thread_id),
        prepare=False,
    ).fetchall()


def threads_without_head(connection: psycopg.Connection, bare_name: str, tenant: str) -> list[str]:
    """Return the threads of a build's rows that the log does not have."""
    rows = connection.execute(
        SQL(
            "SELECT DISTINCT thread_id FROM {name} AS kept WHERE tenant = %s AND NOT EXISTS ("
            "SELECT FROM agentlog.threads AS head "
            "WHERE (head.tenant, head.thread_id) = (kept.tenant, kept.thread_id)"
            ") ORDER BY thread_id"
        ).format(name=Identifier(SCHEMA, bare_name)),
        (tenant,),
        prepare=False,
    ).fetchall()
    return [thread_id for (thread_id,) in rows]


def delete_rows(
    connection: psycopg.Connection, bare_name: str, tenant: str, thread_id: str | None = None
) -> None:
    """Delete a thread's rows, or a tenant's, from a build's table, whatever its columns."""
    one = SQL("") if thread_id is None else SQL(" AND thread_id = {}").format(Literal(thread_id))
    connection.execute(
        SQL("DELETE FROM {name} WHERE tenant = {tenant}{one}").format(
            name=Identifier(SCHEMA, bare_name), tenant=Literal(tenant), one=one
        ),
        prepare=False,
    )
