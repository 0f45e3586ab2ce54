"""Access log of audited reads: a row each, written before the response is sent."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import LiteralString

import psycopg

from agentlog.domain.errors import AgentlogError
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.postgres.database import Connections, Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.queries import fetch, run
from agentlog.infrastructure.postgres.statements import statement


class AccessNotRecorded(AgentlogError, kind="unavailable", transient=True):
    """The read was to be put on record, and could not be."""

    def __init__(self) -> None:
        super().__init__(
            "this read could not be put on record, so it was refused (AGENTLOG_READ_AUDIT is on): "
            "ask again"
        )


class ReadsUnrecorded(AgentlogError, kind="unavailable"):
    """Reads are to be recorded, and the database takes no writes."""

    def __init__(self) -> None:
        super().__init__(
            "AGENTLOG_READ_AUDIT is on, and no read can be recorded where the database takes no "
            "writes: have audited clients read at the writer, or set AGENTLOG_READ_AUDIT=off here"
        )


class AccessesNotOwned(AgentlogError, kind="unavailable"):
    """Another login than the owner of the table would remove records of accesses."""

    def __init__(self) -> None:
        super().__init__(
            "AGENTLOG_ACCESS_DAYS: only the owner of the table removes records of accesses: have "
            "AGENTLOG_DATABASE_URL name that login for `agentlog retention --apply`"
        )


@dataclass(frozen=True, slots=True)
class Access:
    """A request for data, and the status of its response; `route` is a template.

    `tenant` is the key's; the service's own if there was no valid key.
    """

    tenant: str
    at: datetime
    key_id: str | None
    method: str
    route: str
    thread_id: str | None
    status: int
    request_id: str | None


@dataclass(frozen=True, slots=True)
class RecordedAccess(Access):
    """An access with its number in the access log; numbers ascend."""

    number: int


class Accesses:
    """The access log of all tenants; append-only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check_writable(self) -> None:
        """Raise `ReadsUnrecorded` where the database takes no writes."""
        if not self._database.write_access.is_given:
            raise ReadsUnrecorded

    def note(self, access: Access) -> None:
        """Record an access; raises `AccessNotRecorded`."""
        try:
            run(self._database, "insert_access", **asdict(access))
        except (DatabaseUnavailable, psycopg.Error) as error:
            raise AccessNotRecorded from error

    def page(
        self,
        tenant: str,
        *,
        key_id: str | None = None,
        thread_id: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[RecordedAccess]:
        """Return a tenant's accesses, the latest first, below the number `before`."""
        accesses = fetch(
            self._database,
            "select_accesses",
            tenant=tenant,
            key_id=key_id,
            thread_id=thread_id,
            before=BIGGEST if before is None else before,
            limit=limit,
        )
        return [RecordedAccess(*row) for row in accesses]


def forget_accesses(database: Connections, *, before: datetime) -> int:
    """Remove all tenants' records of accesses before a time, as the table's owner; return how many.

    Reads that are recorded wait meanwhile.

    Raises:
        AccessesNotOwned: the login is not the owner.
    """
    values = {"before": before, "day": f"{before:%Y-%m-%d}"}
    switch: LiteralString = "ALTER TABLE agentlog.accesses {} TRIGGER accesses_only_grow"
    try:
        with database.connection() as connection, connection.transaction():
            connection.execute(switch.format("DISABLE"))
            (count,) = connection.execute(statement("forget_accesses"), values).fetchone() or (0,)
            connection.execute(switch.format("ENABLE"))
    except psycopg.errors.InsufficientPrivilege as error:
        raise AccessesNotOwned from error
    return int(count)
