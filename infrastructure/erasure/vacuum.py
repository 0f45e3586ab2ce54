"""Dead rows of erased contents taken out of the tables at once, for whoever owns them."""

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
    """Vacuum every table that may hold contents, or held them; yield what PostgreSQL warns of.

    `full` rewrites the tables, so that nothing is left in unused room of their pages either; it
    locks out everybody else meanwhile. `pg_statistic` is the planner's figures, which hold values.

    Raises:
        DatabaseUnavailable: the database broke off; what is done is done.
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
