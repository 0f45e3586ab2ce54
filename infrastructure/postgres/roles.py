"""The roles that the service works in: what the database itself keeps it from.

`agentlog_service` appends for all tenants and keeps the read models; it can read and add events,
and never change or remove one. `agentlog_tenant` sees the rows of one tenant, by row-level
security. Whoever owns the tables migrates them and is not needed otherwise.
"""

import psycopg
from psycopg import sql

from domain.errors import AgentlogError

SERVICE = "agentlog_service"
TENANT = "agentlog_tenant"
LOGIN = "agentlog_login"
"""Who logs in to our own PostgreSQL: a member of both, and nothing else."""

_WORK_AS = "SELECT set_config('role', %s, false), set_config('agentlog.tenant', %s, false)"
_LACKING = """
SELECT session_user
FROM pg_roles
WHERE rolname = ANY (%s) AND NOT pg_has_role(session_user, oid, 'MEMBER')
"""


class NoServiceRole(AgentlogError):
    """Whoever logs in may not work as the service."""

    def __init__(self, user: str) -> None:
        super().__init__(
            f"{user} may not work as the service: have the owner of the tables run "
            f'GRANT {SERVICE}, {TENANT} TO "{user}"'
        )
        self.user = user


def confine(connection: psycopg.Connection, tenant: str) -> None:
    """Have a session of the service's see one tenant's rows, from now on."""
    connection.execute(_WORK_AS, (TENANT, tenant))


def unconfine(connection: psycopg.Connection) -> None:
    """Have a session of the service's see all tenants' rows again."""
    connection.execute(_WORK_AS, (SERVICE, ""))


def check_membership(connection: psycopg.Connection) -> None:
    """See that whoever logged in may work in the roles; raises `NoServiceRole`."""
    row = connection.execute(_LACKING, ([SERVICE, TENANT],)).fetchone()
    if row is not None:
        raise NoServiceRole(str(row[0]))


def make_login(connection: psycopg.Connection) -> None:
    """Make the login of the service on our own server, where it is not there yet.

    Roles belong to the server: others may be at it in other databases.
    """
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('agentlog_roles'))")
        known = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (LOGIN,)).fetchone()
        if known is not None:
            return
        connection.execute(
            sql.SQL("CREATE ROLE {} LOGIN IN ROLE {}, {}").format(
                *map(sql.Identifier, (LOGIN, SERVICE, TENANT))
            )
        )
