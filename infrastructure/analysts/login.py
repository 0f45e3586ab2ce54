"""Database login of analysts.

It is a login of its own, not the service's with fewer rights: SQL can undo `SET ROLE`, but not the
login. On the embedded PostgreSQL the role is made on first use; only this account can reach its
socket. On any other server nothing is made: an administrator makes the role from `grants`, and the
setting AGENTLOG_ANALYST_URL names it.
"""

import threading
from collections.abc import Callable
from hashlib import sha256

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from agentlog.infrastructure.analysts.errors import NoAnalystLogin
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.statements import statement

Login = Callable[[], str]
"""Returns the connection string of an analyst's login."""

_ROLE = "agentlog_analyst"
_RACES = 5
_LOST_RACES = (
    psycopg.errors.DuplicateObject,
    psycopg.errors.UniqueViolation,
    psycopg.errors.InternalError_,  # "tuple concurrently updated" has no code of its own
)


def role_of(tenant: str) -> str:
    """Return the role's name for a tenant's analysts; all roles see it, so it is a digest."""
    if tenant == "default":
        return _ROLE
    return f"{_ROLE}_{sha256(tenant.encode()).hexdigest()[:16]}"


def given_login(url: str | None) -> Login:
    """Return the login that the settings name; calling it without one raises `NoAnalystLogin`."""

    def login() -> str:
        if url is None:
            raise NoAnalystLogin
        return url

    return login


def own_login(database: Database, url: str, *, tenant: str) -> Login:
    """Return the login to the embedded server at `url`, whose role is made on first use.

    Calling it raises `DatabaseUnavailable`.
    """
    made = threading.Lock()
    urls: list[str] = []

    def login() -> str:
        with made:
            if not urls:
                with database.connection() as connection:
                    make_role(connection, tenant)
                urls.append(make_conninfo(url, user=role_of(tenant)))
        return urls[0]

    return login


def make_role(connection: psycopg.Connection, tenant: str) -> None:
    """Create the role of a tenant's analysts if it is missing, as a superuser.

    Roles belong to the server: sessions in other databases may create it at the same time.
    """
    for race in range(1, _RACES + 1):
        try:
            with connection.transaction():
                if not _is_made(connection, tenant):
                    connection.execute("SELECT pg_advisory_xact_lock(hashtext('analysts'))")
                    name = connection.info.dbname
                    connection.execute(_fill("grant_analyst", tenant, database=name))
                    connection.execute(_fill("restrict_analyst", tenant, database=name))
        except _LOST_RACES:
            if race == _RACES:
                raise
        else:
            return


def grants(tenant: str, *, database: str) -> str:
    """Return the SQL with which an administrator creates the login of a tenant's analysts.

    `database` is its name.
    """
    granted = _fill("grant_analyst", tenant, database=database).as_string()
    restricted = _fill("restrict_analyst", tenant, database=database).as_string()
    role = sql.Identifier(role_of(tenant))
    password = sql.SQL("ALTER ROLE {role} PASSWORD {password};").format(
        role=role, password=sql.Literal("choose one of your own")
    )
    later = "\n".join(f"-- {line}".rstrip() for line in restricted.splitlines())
    return (
        f"{granted}{password.as_string()}\n\n"
        f"-- Then: AGENTLOG_ANALYST_URL=postgresql://{role_of(tenant)}:PASSWORD@HOST/{database}\n\n"
        f"-- Stricter still, if you like:\n\n{later}\n"
    )


def _is_made(connection: psycopg.Connection, tenant: str) -> bool:
    row = connection.execute(
        "SELECT FROM agentlog.analysts JOIN pg_roles ON rolname = role "
        "WHERE role = %s AND tenant = %s",
        (role_of(tenant), tenant),
    ).fetchone()
    return row is not None


def _fill(name: str, tenant: str, *, database: str) -> sql.Composed:
    return sql.SQL(statement(name)).format(
        role=sql.Identifier(role_of(tenant)),
        name=sql.Literal(role_of(tenant)),
        tenant=sql.Literal(tenant),
        database=sql.Identifier(database),
    )
