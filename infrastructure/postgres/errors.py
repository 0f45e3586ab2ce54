"""Errors of an unavailable PostgreSQL: operational failures, not defects."""

import psycopg

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.runtime.secret_redaction import without_secrets

BROKEN_OFF = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.ReadOnlySqlTransaction,
)
"""Operational failures: the server is gone, cannot go on, or takes no writes just now."""


class DatabaseUnavailable(AgentlogError, kind="unavailable", transient=True):
    """PostgreSQL does not answer, or broke off: ask again.

    A broken-off append may have been committed. Retrying it with the same message ids is safe.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"the database is not available: {without_secrets(reason)}")


class OutcomeUnknown(DatabaseUnavailable):
    """PostgreSQL broke off during an append: it may have been written, or not."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"{reason}; it is not known whether the append was written: send it again with the "
            "same message ids, which writes it once; without ids, read the thread first"
        )


class DatabaseReadOnly(DatabaseUnavailable):
    """PostgreSQL takes no writes: it is a standby, or was told so, as where its disk is filling.

    `writer` is the address of the service that takes them, None where AGENTLOG_WRITER_URL is unset.
    """

    def __init__(self, reason: str, *, writer: str | None = None) -> None:
        way = (
            "reads go on, and appends once it takes writes again: promote a standby, or "
            "have AGENTLOG_DATABASE_URL name the primary (with target_session_attrs=read-write it "
            "is found among several hosts); make room on a full disk"
        )
        super().__init__(f"{reason}; {way if writer is None else f'send it to {writer}'}")
        self.writer = writer


class StatementTooLong(DatabaseUnavailable):
    """PostgreSQL broke a statement off: it took longer than it may, or an operator ended it."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"{reason}; ask for less at once, or raise AGENTLOG_STATEMENT_SECONDS, "
            "which is how long a statement may take"
        )


class LockNotGranted(DatabaseUnavailable):
    """PostgreSQL broke a statement off: it waited longer for others than it may."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"{reason}; ask again when the others are done, or set another lock_timeout in the "
            "options of AGENTLOG_DATABASE_URL"
        )


def unavailable(error: psycopg.Error, *, writer: str | None = None) -> DatabaseUnavailable:
    """Return the error for a broken connection or statement; `writer` as of `DatabaseReadOnly`."""
    match error:
        case psycopg.errors.QueryCanceled():
            return StatementTooLong(error.diag.message_primary or str(error).strip())
        case psycopg.errors.LockNotAvailable():
            return LockNotGranted(error.diag.message_primary or str(error).strip())
        case psycopg.errors.ReadOnlySqlTransaction():
            return DatabaseReadOnly(error.diag.message_primary or str(error).strip(), writer=writer)
        case _:
            return DatabaseUnavailable(str(error).strip())


class DatabaseTooOld(AgentlogError, kind="unavailable"):
    """The server is older than agentlog supports."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"PostgreSQL {version // 10000} is too old: agentlog needs 15 or newer, "
            "or none at all (leave AGENTLOG_DATABASE_URL unset for the embedded one)"
        )


class TenantElsewhere(AgentlogError, kind="elsewhere"):
    """The tenant's log is in `other` database, whose address is not for clients."""

    def __init__(self, tenant: str, other: str) -> None:
        super().__init__(
            f"the log of the tenant {tenant!r} has moved to another database: ask the service "
            "there (`agentlog tenant moves` here says where); nothing was written"
        )
        self.tenant, self.other = tenant, other


class TenantMoving(AgentlogError, kind="unavailable", transient=True):
    """The tenant's log is moving to `other` database."""

    def __init__(self, tenant: str, other: str) -> None:
        super().__init__(
            f"the log of the tenant {tenant!r} is moving to another database: ask again in a few "
            "seconds; nothing was written"
        )
        self.tenant, self.other = tenant, other


_NOT_HERE = "AG001"
"""SQLSTATE of agentlog.refuse_elsewhere, with the step, and the other database as its detail."""


def elsewhere(error: psycopg.Error) -> TenantElsewhere | TenantMoving | None:
    """Return the error for a refused write of a tenant that is not here, None for any other."""
    if error.sqlstate != _NOT_HERE:
        return None
    tenant, other = error.diag.message_hint or "", error.diag.message_detail or ""
    is_moving = error.diag.message_primary == "fenced"
    return TenantMoving(tenant, other) if is_moving else TenantElsewhere(tenant, other)
