"""Checks of a database session, made once before the service works.

A pooler may pass on a session without its settings: in the role of its login, which may own the
tables, without timeouts, and able to write.
"""

from collections.abc import Sequence

import psycopg

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.postgres.errors import DatabaseTooOld
from agentlog.infrastructure.postgres.roles import SERVICE, confine

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
        self.flaws = flaws


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
