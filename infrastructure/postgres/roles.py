"""Database roles of the service, and the rights they lack.

`agentlog_service` appends for all tenants and fills the read models; it can read and add events,
and never change or remove one. `agentlog_tenant` sees the rows of one tenant, by row-level
security. The owner of the tables runs migrations and is not needed otherwise.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import psycopg
from psycopg import sql

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.postgres.errors import DatabaseTooOld
from agentlog.infrastructure.postgres.write_access import WriteAccess

SERVICE = "agentlog_service"
TENANT = "agentlog_tenant"
LOGIN = "agentlog_login"
"""The service's login in the embedded PostgreSQL: a member of both roles, without other rights."""

_WORK_AS = "SELECT set_config('role', %s, false), set_config('agentlog.tenant', %s, false)"
_LACKING = """
SELECT session_user
FROM pg_roles
WHERE rolname = ANY (%s) AND NOT pg_has_role(session_user, oid, 'MEMBER')
"""
_LET_AUDIT = f"""
DO $$
BEGIN
    IF NOT has_database_privilege('{SERVICE}', current_database(), 'TEMPORARY') THEN
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO {SERVICE}', current_database());
    END IF;
END
$$
"""


class NoServiceRole(AgentlogError, kind="unavailable"):
    """The login may not work as the service."""

    def __init__(self, user: str) -> None:
        super().__init__(
            f"{user} may not work as the service: have the owner of the tables run "
            f'GRANT {SERVICE}, {TENANT} TO "{user}"'
        )
        self.user = user


def confine(connection: psycopg.Connection, tenant: str) -> None:
    """Restrict a session of the service to one tenant's rows, from now on."""
    connection.execute(_WORK_AS, (TENANT, tenant))


def unconfine(connection: psycopg.Connection) -> None:
    """Let a session of the service see all tenants' rows again."""
    connection.execute(_WORK_AS, (SERVICE, ""))


def check_membership(connection: psycopg.Connection) -> None:
    """Check that the login is a member of the roles; raises `NoServiceRole`."""
    row = connection.execute(_LACKING, ([SERVICE, TENANT],)).fetchone()
    if row is not None:
        raise NoServiceRole(str(row[0]))


def make_login(connection: psycopg.Connection) -> None:
    """Create the service's login on the embedded server if it is missing, and let it audit.

    Roles belong to the server: sessions in other databases may create it at the same time.
    """
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('agentlog_roles'))")
        connection.execute(_LET_AUDIT)  # analysts may have taken it from PUBLIC
        known = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (LOGIN,)).fetchone()
        if known is not None:
            return
        connection.execute(
            sql.SQL("CREATE ROLE {} LOGIN IN ROLE {}, {}").format(
                *map(sql.Identifier, (LOGIN, SERVICE, TENANT))
            )
        )


MINIMUM_SERVER = 150000
"""PostgreSQL 15, as `server_version` counts."""

_TIMEOUTS = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
_WITHOUT = "SELECT name FROM pg_settings WHERE name = ANY (%s) AND setting = '0' ORDER BY name"


class UnsafeSession(AgentlogError, kind="unavailable"):
    """A session in the database is not as it was asked for."""

    def __init__(self, flaws: Sequence[str]) -> None:
        super().__init__(
            f"a session in the database is not as it was asked for: {'; '.join(flaws)}. Take these "
            "options out of AGENTLOG_DATABASE_URL; where a pooler leaves out startup options, name "
            "the server itself or set them for the login by ALTER ROLE (docs/how-to/operate.md)"
        )


def check_session(connection: psycopg.Connection, *, in_role: bool, read_only: bool) -> None:
    """Check that a new session has the requested settings; the session is not reusable afterwards.

    Raises:
        DatabaseTooOld: the server is too old.
        UnsafeSession: it has another role, no timeout, no row-level security, or may write where it
            is to be `read_only`.
    """
    if connection.info.server_version < MINIMUM_SERVER:
        raise DatabaseTooOld(connection.info.server_version)
    flaws = [f"it has no {name}" for (name,) in connection.execute(_WITHOUT, (_TIMEOUTS,))]
    if read_only and connection.execute("SHOW transaction_read_only").fetchone() != ("on",):
        flaws.append("it may write")
    if in_role:
        flaws += _flaws_of_role(connection)
    if flaws:
        raise UnsafeSession(flaws)


def _flaws_of_role(connection: psycopg.Connection) -> list[str]:
    row = connection.execute("SELECT current_user").fetchone()
    if row != (SERVICE,):
        return [f"its role is {row and row[0]}, not {SERVICE}"]
    confine(connection, "")
    row = connection.execute("SELECT row_security_active('agentlog.events')").fetchone()
    return [] if row == (True,) else ["row-level security does not hold for tenants"]


@dataclass(frozen=True, slots=True)
class Confined:
    """Connections of a database, lent by `lend`, to one tenant's rows."""

    lend: Callable[[str, float | None], AbstractContextManager[psycopg.Connection]]
    tenant: str
    write_access: WriteAccess

    def connection(
        self, *, wait_seconds: float | None = None
    ) -> AbstractContextManager[psycopg.Connection]:
        """Lend a connection, as `Database.connection` does."""
        return self.lend(self.tenant, wait_seconds)
