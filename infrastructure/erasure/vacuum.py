"""Vacuums erased contents out of tables and indexes; for the owner of the tables."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import LiteralString

import psycopg
from psycopg import sql
from psycopg.errors import Diagnostic, InsufficientPrivilege

from agentlog.infrastructure.postgres.conninfo import untimed
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement

SCHEMAS = ("agentlog", "agentlog_readmodels")


def vacuum(database: Connections, *, full: bool) -> Iterator[str]:
    """Vacuum every table that holds or held contents; yield PostgreSQL's warnings.

    Indexes are built anew beside the old ones: a GIN index never gives up a key. `full` rewrites
    the tables too, so that nothing is left in unused parts of their pages; it locks out all other
    sessions meanwhile. `pg_statistic` holds the planner's statistics, which contain values. Paths
    of imports that made erased threads are erased first: the service itself may not.

    Raises:
        DatabaseUnavailable: the connection broke; tables vacuumed so far stay so.
    """
    warnings: list[str] = []

    def note(diagnostic: Diagnostic) -> None:
        warnings.append(diagnostic.message_primary or "")

    with database.connection() as connection:
        connection.add_notice_handler(note)
        tables = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname = ANY (%s) ORDER BY 1, 2",
            (list(SCHEMAS),),
        ).fetchall()
        vacuuming: LiteralString = "VACUUM (FULL, ANALYZE) {}" if full else "VACUUM (ANALYZE) {}"
        try:
            with untimed(connection):
                connection.execute("SET client_min_messages = warning")
                with suppress(InsufficientPrivilege):  # it is said of the table below
                    connection.execute(statement("erase_import_paths"))
                for index in connection.execute(statement("select_unfinished_indexes")).fetchall():
                    _run(connection, "DROP INDEX CONCURRENTLY IF EXISTS {}", index)
                for table in [*tables, ("pg_catalog", "pg_statistic")]:
                    _run(connection, vacuuming, table)
                    if table in tables and not full and not warnings:
                        _run(connection, "REINDEX TABLE CONCURRENTLY {}", table)
                    yield from warnings
                    warnings.clear()
        finally:
            connection.remove_notice_handler(note)
            connection.execute("RESET client_min_messages")


def _run(connection: psycopg.Connection, command: LiteralString, name: Sequence[str]) -> None:
    connection.execute(sql.SQL(command).format(sql.Identifier(*name)))
