"""Commits batches: from cached heads where they are current, else with the log locked."""

import logging
import time
from collections.abc import Mapping, Sequence

import psycopg

from domain.errors import AgentlogError
from infrastructure.appending.append_request import Outcome, Ready, ThreadKey
from infrastructure.appending.append_statements import (
    append_lone,
    append_onward,
    log_transaction,
    look,
)
from infrastructure.appending.batch_decision import Batch, wanted_by
from infrastructure.appending.commit_plan import Assumed, Moved, Wanted
from infrastructure.appending.head_cache import Recall
from infrastructure.appending.writer_metrics import Commit, Way, WriterMeters
from infrastructure.eventlog.thread_heads import Head
from infrastructure.postgres.database import Database
from infrastructure.postgres.errors import BROKEN_OFF, unavailable
from infrastructure.postgres.prepared_statements import Prepared

logger = logging.getLogger("agentlog")

_TRIES = 3
_PAUSE_SECONDS = 0.05
_FIRST_PLANS = 100
_YOUNG = 200_000  # events; by then autovacuum has analysed the tables
_ONWARD_BYTES = 2**18  # limits what is decided twice when the cache is stale
_PORTION = 400  # events sent at a time: PostgreSQL writes them while the next are decided
_FIRST_PORTION = 100  # smaller: PostgreSQL is idle until it arrives
_ANALYZE = "SELECT agentlog.renew_figures()"


class Committer:
    """Writes batches, one thread at a time, and counts them in `meters`."""

    def __init__(self, database: Database, meters: WriterMeters) -> None:
        self._database = database
        self._meters = meters
        self._connection: psycopg.Connection | None = None
        self._prepared = Prepared()
        self._recall = Recall()
        self._position = self._planned_at = 0

    def write(self, ready: Sequence[Ready]) -> Sequence[Outcome]:
        """Write a batch in one transaction; retries if the connection breaks.

        After a break it is unknown whether the transaction was committed. The retry finds the
        messages of the first try by their ids, so nothing is written twice.
        """
        if not ready:
            return ()
        for attempt in range(_TRIES):
            try:
                connection = self._connected()
                self._renew_plans(connection)
                wanted = wanted_by(ready, again=attempt > 0)
                outcomes = None
                if attempt == 0:
                    outcomes = self._write_onward(connection, ready, wanted)
                return outcomes or self._write_holding(connection, ready, wanted)
            except BROKEN_OFF as error:
                self._disconnect()
                had_its_time = isinstance(error, psycopg.errors.QueryCanceled)
                if had_its_time or attempt == _TRIES - 1:
                    raise unavailable(error) from error
                logger.warning("append broke off, trying again: %s", error)
                time.sleep(_PAUSE_SECONDS * 2**attempt)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _write_onward(
        self, connection: psycopg.Connection, ready: Sequence[Ready], wanted: Wanted
    ) -> Sequence[Outcome] | None:
        """Write a batch from cached heads; returns None if that is not possible.

        It is not if a request is refused or was appended before.
        """
        if not self._recall.alone or sum(each.size for each in ready) > _ONWARD_BYTES:
            return None
        missing = self._recall.missing(wanted.threads)
        heads: Mapping[ThreadKey, Head] = {}
        if missing:
            position, heads = look(connection, self._prepared, missing)
            if not self._recall.holds_at(position):
                return None
        ground = self._recall.ground(wanted, heads)
        batch = Batch(ground, stored_body=_unknown)
        outcomes = [batch.decide(each) for each in ready]
        refused = any(isinstance(each, AgentlogError) for each in outcomes)
        if refused or not len(batch):
            return None
        entries = frozenset(
            (thread, key) for thread, key in wanted.keys if key not in ground.ledger.get(thread, ())
        )
        assumed = Assumed(entries, wanted.ids)
        asked_at = time.monotonic()
        lone = batch.lone()
        if lone is None:
            moved = append_onward(
                connection, self._prepared, ground.position, batch.unlinked(), assumed
            )
        else:
            moved = append_lone(connection, self._prepared, ground.position, lone, assumed)
        if moved is None:
            return None
        self._note("onward", ready, ground.position, [moved], asked_at)
        return outcomes

    def _write_holding(
        self, connection: psycopg.Connection, ready: Sequence[Ready], wanted: Wanted
    ) -> Sequence[Outcome]:
        """Write a batch with the log locked, from what is stored."""
        asked_at = time.monotonic()
        outcomes: list[Outcome] = []
        written: list[Moved] = []
        with log_transaction(connection, wanted) as log:
            batch, portion = Batch(log.ground, stored_body=log.body), _FIRST_PORTION
            for number, each in enumerate(ready, 1):
                outcomes.append(batch.decide(each))
                more = number < len(ready)
                if len(batch) and (not more or len(batch) >= portion):
                    changes = batch.changes(log.recorded_at)
                    log.append(changes, more=more)
                    written.append(changes.moved())
                    portion = _PORTION
        if written:
            self._note("holding", ready, log.ground.position, written, asked_at)
        return outcomes

    def _note(
        self,
        way: Way,
        ready: Sequence[Ready],
        before: int,
        written: Sequence[Moved],
        asked_at: float,
    ) -> None:
        """Update the cache after a commit, and count the commit."""
        for moved in written:
            self._recall.note(before, moved)
            before = moved.position
        self._position = before
        seconds = time.monotonic() - asked_at
        events = sum([moved.events for moved in written])
        self._meters.committed(Commit(ready, events, way, seconds))

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

    def _connected(self) -> psycopg.Connection:
        if self._connection is None or self._connection.closed:
            self._connection = self._database.connect()
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._recall.forget()


def _unknown(tenant: str, thread_id: str, version: int) -> bytes:
    raise AssertionError(f"no place was looked up, so {tenant}/{thread_id}/{version} is none")
