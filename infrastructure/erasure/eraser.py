"""Carries out redactions, one after another, each in one transaction; what follows them after."""

import logging
import time

import psycopg
from psycopg.errors import DeadlockDetected

from agentlog.domain.drafts import NO_ORIGIN, Origin
from agentlog.domain.errors import VersionConflict
from agentlog.domain.facts import RedactionPlace
from agentlog.domain.json.values import JsonObject
from agentlog.infrastructure.appending.append_request import AppendRequest, Receipt
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.erasure.erased_events import Erasure, LeftDigests, erase_events
from agentlog.infrastructure.erasure.following import (
    Following,
    pending_redaction,
    present_version,
    waiting_redactions,
)
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.listening.notifications import ERASED
from agentlog.infrastructure.postgres.locks import erase_alone
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.runtime.backoff import pause_seconds
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.infrastructure.readmodels import renewal

logger = logging.getLogger("agentlog")

_TRIES = 5

_AT_LEISURE = (
    # a thread may be long, and projections hold their builds for seconds
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL lock_timeout = '60s'",
    "SET LOCAL idle_in_transaction_session_timeout = '10min'",
)


class Eraser:
    """Erases for all tenants; `database` is the service's own, as read models cover all tenants."""

    def __init__(self, database: Connections, writer: Writer) -> None:
        self._database = database
        self._writer = writer

    def redact(
        self,
        tenant: str,
        thread_id: str,
        fact: JsonObject,
        *,
        origin: Origin = NO_ORIGIN,
        expected_version: int | None = None,
    ) -> Receipt:
        """Append a redaction and carry it out; return the place of its fact.

        The fact gets digests of what will be left of the thread as it stands; if the thread grows
        meanwhile, the fact is made again.

        Raises:
            VersionConflict: the thread is not at `expected_version`; nothing is erased.
        """
        left, known = LeftDigests(fact), None
        parameters = {"tenant": tenant, "thread_id": thread_id}
        while True:
            with self._database.connection() as connection:
                version = expected_version or present_version(connection, tenant, thread_id)
            self.finish(tenant, thread_id)  # what it leaves is then final
            with self._database.connection() as connection, connection.cursor(binary=True) as row:
                done = row.execute(statement("select_redactions_done"), parameters).fetchall()
                if known != (known := done):
                    left = LeftDigests(fact)
                left.go_on(row, tenant, thread_id, version)
            request = AppendRequest(
                tenant,
                thread_id,
                facts=[{**fact, "left": [*left.digests()]}],
                expected_version=version,
                origin=origin,
            )
            try:
                receipt = self._writer.append(request).messages[0]
            except VersionConflict:
                if expected_version is not None:
                    raise
                continue
            self.finish(tenant, thread_id)
            return receipt

    def finish(self, tenant: str, thread_id: str) -> int:
        """Carry out the pending redactions of a thread, in order; return how many.

        Waits for one that another process is carrying out.

        Raises:
            DatabaseUnavailable: the connection broke; finished redactions stay, the rest is
            pending.
        """
        waiting = [redaction for redaction in self.waiting(tenant) if redaction[1] == thread_id]
        return sum(self._erase(*redaction) for redaction in waiting)

    def finish_all(self, tenant: str | None = None) -> int:
        """Carry out pending redactions of a tenant, or of all; a failure affects only its thread.

        A failed one is retried at the next call; its own request gets the error.
        """
        done, failed = 0, set[tuple[str, str]]()
        for waiting, thread_id, version in self.waiting(tenant):
            if (waiting, thread_id) in failed:  # later redactions depend on earlier ones
                continue
            try:
                done += self._erase(waiting, thread_id, version)
            except Exception:
                logger.exception("version %d of %s cannot be done yet", version, thread_id)
                failed.add((waiting, thread_id))
        return done

    def waiting(self, tenant: str | None) -> list[tuple[str, str, int]]:
        """Return pending redactions of a tenant, or of all, as `waiting_redactions` does."""
        with self._database.connection() as connection:
            return waiting_redactions(connection, tenant)

    def _erase(self, tenant: str, thread_id: str, version: int) -> bool:
        followed = self._follow(tenant, thread_id, version)
        is_done = self._carry_out(tenant, thread_id, version)
        for other in followed:
            self.finish(tenant, other)
        return is_done

    def _carry_out(self, tenant: str, thread_id: str, version: int) -> bool:
        for attempt in range(1, _TRIES + 1):
            with self._database.connection() as connection:
                try:
                    return _erase(connection, tenant, thread_id, version)
                except DeadlockDetected as error:  # for example while a build goes live
                    if attempt == _TRIES:
                        raise
                    logger.info("an erasure is tried again: %s", error)
            time.sleep(pause_seconds(attempt, first=0.05, most=0.5))
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _follow(self, tenant: str, thread_id: str, version: int) -> list[str]:
        """Append what follows a pending redaction; return the threads that it may be in."""
        with self._database.connection() as connection:
            fact = pending_redaction(connection, tenant, thread_id, version)
        if fact is None or fact.alone:
            return []
        redaction = RedactionPlace(thread=thread_id, version=version)
        return Following(self._database, self._writer, tenant, redaction, fact).append()


def _erase(connection: psycopg.Connection, tenant: str, thread_id: str, version: int) -> bool:
    """Carry out one redaction, all or nothing; return whether it was pending."""
    parameters = {"tenant": tenant, "thread_id": thread_id}
    with connection.transaction():
        for setting in _AT_LEISURE:
            connection.execute(setting)
        erase_alone(connection)
        fact = pending_redaction(connection, tenant, thread_id, version)
        if fact is None:
            return False
        erase_events(connection, Erasure.of(tenant, thread_id, version, fact))
        connection.execute(statement("lock_snapshots"), parameters)
        connection.execute(statement("delete_snapshots_of_thread"), parameters)
        connection.execute(statement("erase_delivery_errors"), parameters)
        renewal.renew_rows(connection, tenant, thread_id)
        connection.execute(
            "SELECT agentlog.finish_erasure(%s, %s, %s)", (tenant, thread_id, version)
        )
        connection.execute("SELECT pg_notify(%s, '')", (ERASED,))
        # the last step, as it may block appends
        connection.execute("SELECT agentlog.delete_unreferenced(%s)", (tenant,))
    return True
