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
from dataclasses import dataclass, replace

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agentlog.domain.integrity.chain_audit import Finding
from agentlog.infrastructure.audit.accounts import check_all_tenants
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.audit.moves import Move, insert_move, moves_of
from agentlog.infrastructure.audit.tree import LogTree
from agentlog.infrastructure.moves.errors import (
    CopyDiffers,
    MoveRefused,
    MoveUnderWay,
    NotLeft,
    OtherMove,
    OtherSchema,
    SameDatabase,
    TenantThere,
)
from agentlog.infrastructure.moves.read_models import (
    copy_read_models,
    settle_builds,
    wait_until_level,
)
from agentlog.infrastructure.moves.steps import (
    NOTHING_TAKEN,
    last_step,
    locked_counter,
    next_number,
    renew_tiles,
    take_step,
    try_fence,
)
from agentlog.infrastructure.moves.tenant_copy import copy_tenant, delete_tenant, first_filled
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import APPENDED
from agentlog.infrastructure.postgres.maintenance import try_lock, unlock
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels.renewal import delete_tenant_rows

Progress = Callable[[str, int], None]
"""Callback for progress: a step or a table, and the bytes of it so far."""

_ERASURES_SECONDS = 60.0
_OTHERS_SECONDS = 3.0
"""How long the session of a mover that was killed may hold its lock."""
_PAUSE_SECONDS = 0.1
_AT_LEISURE = (
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL lock_timeout = '60s'",
    "SET LOCAL idle_in_transaction_session_timeout = 0",
)


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
                table = first_filled(there, self.tenant)
                if table is not None:
                    raise TenantThere(self.tenant, table)
                progress("fence", 0)
                here = self._fence(source, other)
            arrival = self._arrival(there, here)
            if arrival is None:
                _let_writes_end(source)
                wait_until_level(source, here.last_position)
                arrival = self._arrive(source, there, here, progress)
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
            if self._arrival(there, here) is not None:
                raise OtherMove(self.tenant, step="left", other=other)
            with source.transaction():
                take_step(source, here, "released", self.key)

    def drop(self) -> Move:
        """Delete the rows of a tenant that has left; its positions stay accounted for.

        Raises:
            NotLeft: it has not.
        """
        with self._alone() as source, source.transaction():
            _at_leisure(source)
            here = last_step(source, self.tenant)
            if here is None or here.step not in {"left", "dropped"}:
                raise NotLeft(self.tenant)
            if here.step == "dropped":
                return here
            row = source.execute(
                statement("select_own_positions"), {"tenant": self.tenant}
            ).fetchone()
            taken = NOTHING_TAKEN if row is None else str(row[0])
            dropped = take_step(source, here, "dropped", self.key, taken=taken)
            delete_tenant(source, self.tenant)
            delete_tenant_rows(source, self.tenant)
            return dropped

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
            until = time.monotonic() + _OTHERS_SECONDS
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
            yield _name_of(connection), connection

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
                _at_leisure(source)
                fence = try_fence(source, self.tenant, self.key, move_id=move_id, other=other)
            if fence is not None:
                return fence
            if time.monotonic() > until:
                raise MoveRefused(
                    f"a redaction of {self.tenant!r} is not carried out yet: a service does so at "
                    "its start; start one here, and move again"
                )
            time.sleep(_PAUSE_SECONDS)

    def _arrival(self, there: psycopg.Connection, fence: Move) -> Move | None:
        """Return the arrival of what was fenced, if the target has it."""
        steps = moves_of(there, self.tenant)
        arrivals = (move for move in steps if move.step == "arrived")
        return next((move for move in arrivals if move.move_id == fence.move_id), None)

    def _arrive(
        self,
        source: psycopg.Connection,
        there: psycopg.Connection,
        fence: Move,
        progress: Progress,
    ) -> Move:
        """Copy the tenant and record its arrival, in one transaction of the target."""
        with source.transaction(), there.transaction():
            source.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            _at_leisure(source)
            _at_leisure(there)
            table = first_filled(there, self.tenant)
            if table is not None:
                raise TenantThere(self.tenant, table)
            copy_tenant(source, there, self.tenant, progress)
            progress("check", 0)
            self._check_tree(there, fence)
            progress("read models", 0)
            copied = copy_read_models(source, there, self.tenant, upto=fence.last_position)
            before, recorded_at = locked_counter(there)
            after = max(before, fence.counter_after)
            settle_builds(there, self.tenant, copied, before=before, after=after)
            arrival = replace(
                fence,
                number=next_number(moves_of(there, self.tenant)),
                step="arrived",
                other=_name_of(source),
                counter_before=before,
                counter_after=after,
                recorded_at=max(recorded_at, fence.recorded_at),
            )
            there.execute(
                "UPDATE agentlog.counter SET position = %s, recorded_at = %s",
                (arrival.counter_after, arrival.recorded_at),
            )
            there.execute("SELECT pg_notify(%s, %s)", (APPENDED, str(arrival.counter_after)))
            return insert_move(there, arrival, self.key)

    def _check_tree(self, there: psycopg.Connection, fence: Move) -> None:
        with there.cursor(binary=True) as cursor:
            tree = LogTree(cursor, self.tenant, upto=fence.last_position, keeping=True)
            if (tree.size, tree.root(tree.size)) != (fence.events, fence.root):
                raise CopyDiffers(self.tenant)


def _name_of(connection: psycopg.Connection) -> str:
    info = connection.info
    return f"{info.host}:{info.port}/{info.dbname}"


def _at_leisure(connection: psycopg.Connection) -> None:
    for setting in _AT_LEISURE:
        connection.execute(setting)


def _let_writes_end(source: psycopg.Connection) -> None:
    """Wait for statements that began to write before the fence was seen."""
    with source.transaction():
        _at_leisure(source)
        source.execute(statement("lock_written_tables"))
