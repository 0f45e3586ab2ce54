"""Vacuums erased contents out of the tables; for the owner of the tables."""

from collections.abc import Iterator

from psycopg import sql
from psycopg.errors import Diagnostic

from infrastructure.postgres.database import Connections

SCHEMAS = ("agentlog", "agentlog_readmodels")

_SETTINGS = (
    "SET statement_timeout = 0",
    "SET lock_timeout = 0",
    "SET client_min_messages = warning",
)
_RESETS = tuple(f"RESET {each.split()[1]}" for each in _SETTINGS)


def vacuum(database: Connections, *, full: bool) -> Iterator[str]:
    """Vacuum every table that holds or held contents; yield PostgreSQL's warnings.

    `full` rewrites the tables, so that nothing is left in unused parts of their pages; it locks out
    all other sessions meanwhile. `pg_statistic` holds the planner's statistics, which contain
    values.

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
        try:
            for setting in _SETTINGS:
                connection.execute(setting)
            for table in [*tables, ("pg_catalog", "pg_statistic")]:
                options = sql.SQL("FULL, ANALYZE" if full else "ANALYZE")
                statement = sql.SQL("VACUUM ({}) {}").format(options, sql.Identifier(*table))
                connection.execute(statement)
                yield from warnings
                warnings.clear()
        finally:
            connection.remove_notice_handler(note)
            for reset in _RESETS:
                connection.execute(reset)
