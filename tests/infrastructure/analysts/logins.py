"""Logins of analysts to databases of tests."""

from contextlib import suppress
from functools import partial

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from agentlog.infrastructure.analysts.login import Login, make_role, role_of
from agentlog.infrastructure.postgres.database import Database

PASSWORD = "only for tests"  # noqa: S105 - it opens nothing else


def login_of(database: Database, tenant: str) -> Login:
    """Return the login of a tenant's analysts, which is made when it is first asked for."""
    return partial(analyst_url, database, tenant)


def analyst_url(database: Database, tenant: str) -> str:
    """Return a database once more, by the login of a tenant's analysts, which is made for it."""
    with database.connection() as connection:
        make_role(connection, tenant)
        if not connection.pgconn.used_password:
            return make_conninfo(database._conninfo, user=role_of(tenant))
        with suppress(psycopg.errors.InternalError_):  # another test sets it just then, the same
            connection.execute(
                sql.SQL("ALTER ROLE {} PASSWORD {}").format(
                    sql.Identifier(role_of(tenant)), sql.Literal(PASSWORD)
                )
            )
    return make_conninfo(database._conninfo, user=role_of(tenant), password=PASSWORD)
