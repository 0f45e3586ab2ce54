"""Rows of a query to a table of another database, as PostgreSQL's binary COPY."""

from collections.abc import Callable

import psycopg
from psycopg.sql import SQL, Composable


def copy_rows(  # noqa: PLR0913 - from where and what, to where and what
    source: psycopg.Connection,
    target: psycopg.Connection,
    rows: Composable,
    table: Composable,
    columns: Composable,
    *,
    copied: Callable[[int], None] | None = None,
) -> None:
    """Copy the rows, in the current transaction of each; `copied` is told the bytes so far."""
    size = 0
    out = SQL("COPY ({}) TO STDOUT (FORMAT binary)").format(rows)
    into = SQL("COPY {} ({}) FROM STDIN (FORMAT binary)").format(table, columns)
    with source.cursor().copy(out) as read, target.cursor().copy(into) as written:
        for data in read:
            written.write(data)
            size += len(data)
            if copied is not None:
                copied(size)
