"""Runs one statement by itself, on a connection that is lent for it."""

from psycopg.rows import TupleRow

from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement


def fetch(database: Connections, name: str, /, **parameters: object) -> list[TupleRow]:
    """Return the rows of `name.sql`; raises `DatabaseUnavailable`."""
    with database.connection() as connection:
        return connection.execute(statement(name), parameters).fetchall()


def run(database: Connections, name: str, /, **parameters: object) -> int:
    """Run `name.sql`; return how many rows it changed. Raises `DatabaseUnavailable`."""
    with database.connection() as connection:
        return connection.execute(statement(name), parameters).rowcount
