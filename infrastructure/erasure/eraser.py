"""Carries out redactions, one after another, each in one transaction."""

import logging
import time

import psycopg
from psycopg.errors import DeadlockDetected

from agentlog.domain.catalogue import read_stored
from agentlog.domain.facts import ThreadRedacted
from agentlog.domain.json.text import parse_stored
from agentlog.infrastructure.erasure.erased_events import Erasure, erase_events
from agentlog.infrastructure.erasure.renewal import renew_rows
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.erasure_lock import erase_alone
from agentlog.infrastructure.postgres.notifications import ERASED
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.runtime.backoff import pause_seconds

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

    def __init__(self, database: Connections) -> None:
        self._database = database

    def finish(self, tenant: str, thread_id: str) -> int:
        """Carry out the pending redactions of a thread, in order; return how many.

        Waits for one that another process is carrying out.

        Raises:
            DatabaseUnavailable: the connection broke; finished redactions stay, the rest is
            pending.
        """
        waiting = [redaction for redaction in self._waiting(tenant) if redaction[1] == thread_id]
        return sum(self._erase(*redaction) for redaction in waiting)

    def finish_all(self, tenant: str | None = None) -> int:
        """Carry out pending redactions of a tenant, or of all; a failure affects only its thread.

        A failed one is retried at the next call; its own request gets the error.
        """
        done, failed = 0, set[tuple[str, str]]()
        for waiting, thread_id, version in self._waiting(tenant):
            if (waiting, thread_id) in failed:  # later redactions depend on earlier ones
                continue
            try:
                done += self._erase(waiting, thread_id, version)
            except Exception:
                logger.exception("version %d of %s cannot be done yet", version, thread_id)
                failed.add((waiting, thread_id))
        return done

    def _waiting(self, tenant: str | None) -> list[tuple[str, str, int]]:
        with self._database.connection() as connection:
            return connection.execute(
                statement("select_erasures_to_do"), {"tenant": tenant}
            ).fetchall()

    def _erase(self, tenant: str, thread_id: str, version: int) -> bool:
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


def _erase(connection: psycopg.Connection, tenant: str, thread_id: str, version: int) -> bool:
    """Carry out one redaction, all or nothing; return whether it was pending."""
    place = {"tenant": tenant, "thread_id": thread_id}
    with connection.transaction():
        for setting in _AT_LEISURE:
            connection.execute(setting)
        erase_alone(connection)
        row = connection.execute(
            statement("select_redaction"), {**place, "version": version}
        ).fetchone()
        if row is None:
            return False
        fact = read_stored("thread.redacted", parse_stored(row[0]))
        if not isinstance(fact, ThreadRedacted):
            raise TypeError(f"{thread_id} version {version} is no redaction that can be read")
        erase_events(connection, Erasure.of(tenant, thread_id, version, fact))
        connection.execute(statement("lock_snapshots"), place)
        connection.execute(statement("delete_snapshots_of_thread"), place)
        renew_rows(connection, tenant, thread_id)
        connection.execute(
            "SELECT agentlog.finish_erasure(%s, %s, %s)", (tenant, thread_id, version)
        )
        connection.execute("SELECT pg_notify(%s, '')", (ERASED,))
        # the last step, as it may block appends
        connection.execute("SELECT agentlog.delete_unreferenced(%s)", (tenant,))
    return True
