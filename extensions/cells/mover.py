"""Moves a tenant: fences it at the source, copies it in one transaction, and hands it over.

The steps are recorded at both ends, so a move that was killed goes on where it stood:

    source   fenced     nobody writes the tenant; readers go on
    target   arrived    committed with the rows: from here on the target owns it
    source   left       the source refuses it, and names the target
    source   dropped    its rows are gone, their positions accounted for

At any moment one database takes its appends, or none. What fences has locked the log's counter, as
every append has: an append is before the fence, and is copied, or it is refused.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from psycopg.errors import LockNotAvailable

from agentlog.domain.integrity.chain_audit import Finding
from agentlog.extensions.cells.arrival import (
    OTHERS_SECONDS,
    Progress,
    arrival_of,
    arrive,
    at_leisure,
    check_free,
    is_there,
    name_of,
    only_arrival,
)
from agentlog.extensions.cells.errors import (
    MoveRefused,
    MoveUnderWay,
    NotArrived,
    NotLeft,
    OtherMove,
    OtherSchema,
    SameDatabase,
)
from agentlog.extensions.cells.read_models import (
    wait_until_level,
)
from agentlog.extensions.cells.steps import (
    NOTHING_TAKEN,
    last_step,
    renew_tiles,
    take_step,
    try_fence,
)
from agentlog.extensions.cells.tenant_copy import delete_tenant
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.audit.findings import check_all_tenants
from agentlog.infrastructure.audit.moves import Move
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.locks import erase_alone, try_lock, unlock
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels.renewal import delete_tenant_rows

_ERASURES_SECONDS = 60.0
_WRITES_SECONDS = 60.0
_PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Mover:
    """Moves one tenant out of `source`, by connections of the owner of the tables.

    `key` signs the steps at both ends, `new_id` returns a fresh ULID.
    """

    source: Database
    tenant: str
    key: Ed25519PrivateKey
    new_id: Callable[[], str]

    def move(self, target: Database, progress: Progress) -> Move:
        """Move the tenant, or finish a move that was begun; return its arrival.

        Raises:
            MoveRefused: it cannot be; see the tree in `errors`.
            DatabaseUnavailable: a connection broke; move again, and it goes on.
        """
        with self._alone() as source, self._to(source, target) as (other, there):
            here = last_step(source, self.tenant)
            if here is not None and here.step in {"fenced", "left", "dropped"}:
                self._check_same(here, other)
            else:
                check_free(source, there, self.tenant)
                progress("fence", 0)
                here = self._fence(source, other)
            with only_arrival(there, self.tenant):
                arrival = arrival_of(there, here)
                if arrival is None:
                    self._check_fenced(source, here)
                    _let_writes_end(source)
                    wait_until_level(source, here.last_position)
                    arrival = arrive(source, there, here, self.key, progress)
            progress("arrived", 0)
            if here.step == "fenced":
                with source.transaction():
                    take_step(source, here, "left", self.key)
            progress("left", 0)
            return arrival

    def release(self, target: Database) -> None:
        """Give up a move that has not arrived: the source takes appends again.

        Raises:
            OtherMove: it has arrived, or goes to another database; or nothing is on its way.
        """
        with self._alone() as source, self._to(source, target) as (other, there):
            here = last_step(source, self.tenant)
            if here is None or here.step != "fenced":
                raise MoveRefused(f"no move of {self.tenant!r} is under way here")
            self._check_same(here, other)
            with only_arrival(there, self.tenant):
                if arrival_of(there, here) is not None:
                    raise OtherMove(self.tenant, step="left", other=other)
                with source.transaction():
                    take_step(source, here, "released", self.key)

    def drop(self, target: Database) -> Move:
        """Delete the rows of a tenant that has left; its positions stay accounted for.

        Raises:
            NotLeft: it has not.
            NotArrived: the target does not have what left, or does not know that it came.
        """
        with self._alone() as source, self._to(source, target) as (other, there):
            here = last_step(source, self.tenant)
            if here is None or here.step not in {"left", "dropped"}:
                raise NotLeft(self.tenant)
            self._check_same(here, other)
            if not is_there(there, here):
                raise NotArrived(self.tenant, other)
            return self._drop(source, here)

    def _drop(self, source: psycopg.Connection, here: Move) -> Move:
        with source.transaction():
            at_leisure(source)
            erase_alone(source)  # before the counter, as erasures do
            if here.step == "dropped":
                self._delete(source)  # what was written while its rows went
                return here
            row = source.execute(
                statement("select_own_positions"), {"tenant": self.tenant}
            ).fetchone()
            taken = NOTHING_TAKEN if row is None else str(row[0])
            dropped = take_step(source, here, "dropped", self.key, taken=taken)
            self._delete(source)
            return dropped

    def _delete(self, source: psycopg.Connection) -> None:
        delete_tenant(source, self.tenant)
        delete_tenant_rows(source, self.tenant)

    def verify(self, target: Database, arrival: Move) -> list[Finding]:
        """Check all that arrived against the tree that was fenced, and the positions of both ends.

        Return what keeps the check from passing: contents that were redacted do not.
        """
        auditor = Auditor(target, tenant=self.tenant)
        audits = [audit for _, audit in auditor.log([arrival.checkpoint])]
        audits += [check_all_tenants(database).audit for database in (self.source, target)]
        findings = [finding for audit in audits for finding in audit.findings]
        return [finding for finding in findings if finding.verdict != "whole"]

    @contextmanager
    def _alone(self) -> Iterator[psycopg.Connection]:
        """Yield a connection to the source that keeps other movers of this tenant away."""
        with self.source.connection() as connection:
            name = f"agentlog move {self.tenant}"
            until = time.monotonic() + OTHERS_SECONDS
            while not try_lock(connection, name):
                if time.monotonic() > until:
                    raise MoveUnderWay(self.tenant)
                time.sleep(_PAUSE_SECONDS)
            try:
                yield connection
            finally:
                unlock(connection, name)

    @contextmanager
    def _to(
        self, source: psycopg.Connection, target: Database
    ) -> Iterator[tuple[str, psycopg.Connection]]:
        """Yield the target's name and a connection; raises `SameDatabase`, `OtherSchema`."""
        with target.connection() as connection:
            name = f"agentlog move {self.tenant}"
            asked = "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))"
            if connection.execute(asked, (name,)).fetchone() != (True,):
                raise SameDatabase  # where this process holds it; or another moves it from there
            migrations = "SELECT number, sha256 FROM agentlog.migrations ORDER BY number"
            if source.execute(migrations).fetchall() != connection.execute(migrations).fetchall():
                raise OtherSchema
            yield name_of(connection), connection

    def _check_same(self, here: Move, other: str) -> None:
        if here.other != other:
            raise OtherMove(self.tenant, step=here.step, other=here.other)

    def _fence(self, source: psycopg.Connection, other: str) -> Move:
        """Fence the tenant once no redaction of it is to be carried out; return the step."""
        until = time.monotonic() + _ERASURES_SECONDS
        renew_tiles(source, self.tenant)
        move_id = self.new_id()
        while True:
            with source.transaction():
                at_leisure(source)
                fence = try_fence(source, self.tenant, self.key, move_id=move_id, other=other)
            if fence is not None:
                return fence
            if time.monotonic() > until:
                raise MoveRefused(
                    f"a redaction of {self.tenant!r} is not carried out yet: a service does so at "
                    "its start; start one here, and move again"
                )
            time.sleep(_PAUSE_SECONDS)

    def _check_fenced(self, source: psycopg.Connection, fence: Move) -> None:
        """Refuse to arrive where the fence was given up meanwhile."""
        here = last_step(source, self.tenant)
        if here is None or (here.number, here.step) != (fence.number, "fenced"):
            raise MoveUnderWay(self.tenant)


def _let_writes_end(source: psycopg.Connection) -> None:
    """Wait for statements that began to write before the fence was seen."""
    until = time.monotonic() + _WRITES_SECONDS
    while True:
        try:
            with source.transaction():
                # shortly: those that wait for it would hold up appends of all tenants
                source.execute("SET LOCAL lock_timeout = '200ms'")
                source.execute(statement("lock_written_tables"))
        except LockNotAvailable:
            if time.monotonic() > until:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return
