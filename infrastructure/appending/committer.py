"""Commits batches: from cached heads where they are current, else with the log locked."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import psycopg

from agentlog.domain.errors import AgentlogError
from agentlog.domain.threads import LedgerEntry, LedgerKey
from agentlog.infrastructure.appending.append_request import Outcome, Ready, ThreadKey
from agentlog.infrastructure.appending.append_statements import (
    append,
    log_transaction,
    look,
    stored_body,
)
from agentlog.infrastructure.appending.commit_plan import Changes, Commit, LogState, Wanted, Way
from agentlog.infrastructure.appending.decision import Batch, wanted_by
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import (
    BROKEN_OFF,
    DatabaseUnavailable,
    OutcomeUnknown,
    elsewhere,
)
from agentlog.infrastructure.runtime.backoff import pause_seconds

logger = logging.getLogger("agentlog")

_TRIES = 3
_FINAL = psycopg.errors.QueryCanceled, psycopg.errors.ReadOnlySqlTransaction
"""What another try would end with as well."""
_FIRST_PLANS = 100
_YOUNG = 200_000  # events; by then autovacuum has analysed the tables
_ONWARD_BYTES = 2**18  # limits what is decided twice when the cache is stale
_ANALYZE = "SELECT agentlog.renew_figures()"


class Committer:
    """Writes batches, one thread at a time, and passes each commit on to `count`."""

    def __init__(self, database: Database, count: Callable[[Commit], None]) -> None:
        self._database = database
        self._count = count
        self._connection: psycopg.Connection | None = None
        self._cache = HeadCache()
        self._position = self._planned_at = 0

    def write(self, ready: Sequence[Ready]) -> Sequence[Outcome]:
        """Write a batch in one transaction; retries if the connection breaks.

        After a break it is unknown whether the transaction was committed. The retry finds the
        messages of the first try by their ids, so nothing is written twice.

        Raises:
            OutcomeUnknown: no retry found out whether the first try was committed.
            TenantElsewhere, TenantMoving: a tenant of the batch is not here; nothing was written.
            DatabaseUnavailable: nothing was written.
        """
        if not ready:
            return ()
        is_unknown = False
        for attempt in range(_TRIES):
            try:
                connection = self._connect()
                self._renew_plans(connection)
                wanted = wanted_by(ready, again=attempt > 0)
                outcomes = None
                if attempt == 0:
                    outcomes = self._write_onward(connection, ready, wanted)
                return outcomes or self._write_holding(connection, ready, wanted)
            except BROKEN_OFF as error:
                self._disconnect()
                is_unknown = is_unknown or error.sqlstate is None  # the server said nothing
                if isinstance(error, _FINAL) or attempt == _TRIES - 1:
                    failure = self._database.unavailable(error)
                    raise _failure(failure, is_unknown=is_unknown) from error
                logger.warning("append broke off, trying again: %s", error)
                time.sleep(pause_seconds(attempt, first=0.05, most=0.1))
            except psycopg.DatabaseError as error:
                if (refused := elsewhere(error)) is None:
                    raise
                raise refused from error
            except DatabaseUnavailable as error:  # no connection for another try
                raise _failure(error, is_unknown=is_unknown) from error
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _write_onward(
        self, connection: psycopg.Connection, ready: Sequence[Ready], wanted: Wanted
    ) -> Sequence[Outcome] | None:
        """Write a batch from cached heads; returns None if that is not possible.

        It is not if a request is refused or was appended before.
        """
        if not self._cache.alone or sum(request.size for request in ready) > _ONWARD_BYTES:
            return None
        missing = self._cache.missing(wanted.threads)
        heads: Mapping[ThreadKey, Head] = {}
        if missing:
            position, heads = look(connection, missing)
            if not self._cache.holds_at(position):
                return None
        batch = Batch(self._cache.log_state(wanted, heads), partial(stored_body, connection))
        outcomes = [batch.decide(request) for request in ready]
        changes = batch.changes()
        if changes is None or any(isinstance(outcome, AgentlogError) for outcome in outcomes):
            return None
        asked_at = time.monotonic()
        after = append(connection, changes)
        if after is None:
            return None
        self._note("onward", ready, changes, after, asked_at)
        return outcomes

    def _write_holding(
        self, connection: psycopg.Connection, ready: Sequence[Ready], wanted: Wanted
    ) -> Sequence[Outcome]:
        """Write a batch with the log locked, from what is stored."""
        asked_at = time.monotonic()
        outcomes: Sequence[Outcome] = ()
        changes, after = None, None
        with log_transaction(connection, wanted) as log_state:
            batch = Batch(log_state, partial(stored_body, connection))
            outcomes = [batch.decide(request) for request in ready]
            changes = batch.changes()
            if changes is None:
                raise psycopg.Rollback  # a commit would wait for the disk
            after = append(connection, changes)
            if after is None:
                raise RuntimeError("agentlog.counter moved while its row was locked")
        if changes is not None and after is not None:
            self._note("holding", ready, changes, after, asked_at)
        return outcomes

    def _note(
        self,
        way: Way,
        ready: Sequence[Ready],
        changes: Changes,
        after: Sequence[Head],
        asked_at: float,
    ) -> None:
        """Update the cache after a commit, and count the commit."""
        self._cache.note(changes, after)
        self._position = changes.position
        seconds = time.monotonic() - asked_at
        self._count(Commit(ready, len(changes.events), way, seconds))

    def _renew_plans(self, connection: psycopg.Connection) -> None:
        """Discard prepared plans whenever the log has doubled.

        A plan made while the tables were small may keep a sequential scan, or an index that fits
        worse than the key, for ever. While the log is young the tables have no statistics yet: then
        this analyses them.
        """
        if self._plans_are_old:
            if self._position < _YOUNG:
                connection.execute(_ANALYZE)
            connection.execute("DISCARD PLANS")
            self._planned_at = self._position

    @property
    def _plans_are_old(self) -> bool:
        return self._position > self._planned_at * 2 + _FIRST_PLANS

    def _connect(self) -> psycopg.Connection:
        if self._connection is None or self._connection.closed:
            self._connection = self._database.connect()
            # a plan for each append would take as long as the append
            self._connection.execute("SET plan_cache_mode = force_generic_plan")
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._cache.forget()


def _failure(error: DatabaseUnavailable, *, is_unknown: bool) -> DatabaseUnavailable:
    return OutcomeUnknown(str(error)) if is_unknown else error


@dataclass(slots=True)
class _Remembered:
    """A thread's cached head and open ledger entries."""

    head: Head
    open: dict[LedgerKey, LedgerEntry] = field(default_factory=dict)


class HeadCache:
    """Heads and open ledger entries of the most recent threads, from the writer's own commits.

    It is valid while no other writer has moved the log's position; the statement that writes from
    it checks that. It has at most `threads` threads, each with at most `entries` open entries.
    """

    def __init__(self, *, threads: int = 10_000, entries: int = 64) -> None:
        self._most_threads = threads
        self._most_entries = entries
        self._threads: dict[ThreadKey, _Remembered] = {}  # most recently used last
        self._position: int | None = None
        self._alone = True

    def forget(self) -> None:
        """Clear the cache, as another writer has committed, or may have."""
        self._threads.clear()

    @property
    def alone(self) -> bool:
        """Whether no other writer has been seen lately; False before the first commit."""
        return self._position is not None and self._alone

    def missing(self, threads: Sequence[ThreadKey]) -> list[ThreadKey]:
        """Return the threads that are not cached."""
        return [key for key in threads if key not in self._threads]

    def holds_at(self, position: int) -> bool:
        """Return whether the cache is of this position of the log."""
        return position == self._position

    def log_state(self, wanted: Wanted, heads: Mapping[ThreadKey, Head]) -> LogState:
        """Return the cached state, with `heads` of the threads that are not cached."""
        if self._position is None:
            raise RuntimeError("nothing has been written yet")
        remembered = {
            key: self._threads.get(key) or _Remembered(heads[key]) for key in wanted.threads
        }
        return LogState(
            self._position,
            {key: known.head for key, known in remembered.items()},
            {key: known.open for key, known in remembered.items() if known.open},
            complete=False,
        )

    def note(self, changes: Changes, heads: Sequence[Head]) -> None:
        """Apply a commit of this writer, and the heads after it."""
        self._alone = self._position in {None, changes.previous}
        if not self._alone:
            self._threads.clear()
        self._position = changes.position
        for head in heads:
            key = head.tenant, head.thread_id
            known = self._threads.pop(key, None) or _Remembered(head)
            known.head = head
            self._threads[key] = known
        for thread, key, entry, _ in changes.notes:
            self._note_entry(self._threads[thread], key, entry)
        while len(self._threads) > self._most_threads:
            del self._threads[next(iter(self._threads))]

    def _note_entry(self, known: _Remembered, key: LedgerKey, entry: LedgerEntry) -> None:
        known.open.pop(key, None)
        if entry.answered is None:
            known.open[key] = entry
            if len(known.open) > self._most_entries:
                del known.open[next(iter(known.open))]
