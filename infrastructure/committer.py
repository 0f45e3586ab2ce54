"""Committing a batch: on what is remembered of the log where that holds, else while holding it."""

import logging
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import psycopg
from psycopg.abc import PQGen

from domain.errors import AgentlogError
from infrastructure.batch import Batch, wanted_by
from infrastructure.changes import Assumed, Changes, Lone, Wanted
from infrastructure.database import Database
from infrastructure.heads import Head
from infrastructure.log import append_lone, append_onward, log_transaction, look
from infrastructure.meters import Commit, Way, WriterMeters
from infrastructure.prepared import Prepared, bytes_in, time_in
from infrastructure.recall import MICROSECOND, MOST_LEAD, Recall, StoreClock
from infrastructure.requests import Outcome, Ready, ThreadKey
from infrastructure.unavailable import BROKEN_OFF, unavailable

logger = logging.getLogger("agentlog")

Written = tuple[Sequence[Outcome], datetime | None]
"""What came of each request, and the time of it all where that was a guess."""

Steps = PQGen[Written | None]
"""A try to write on what is remembered, None where that does not do; whoever waits drives it."""

_TRIES = 3
_PAUSE_SECONDS = 0.05
_FIRST_PLANS = 100
_YOUNG = 200_000  # events; by then the server has looked by itself
_ONWARD_BYTES = 2**18  # more would be decided twice where it was not as remembered
_MOST_STEPPED = 256  # messages, each of which takes 20 to 40 microseconds of who drives the steps
_PORTION = 400  # events that PostgreSQL writes while the next are decided
_FIRST_PORTION = 100  # for which it waits
_ANALYZE = "SELECT agentlog.renew_figures()"


class Committer:
    """Writes one batch after another, by one thread at a time, and has `meters` count them."""

    def __init__(self, database: Database, meters: WriterMeters) -> None:
        self._database = database
        self._meters = meters
        self._connection: psycopg.Connection | None = None
        self._prepared = Prepared()
        self._recall = Recall()
        self._clock = StoreClock(time.monotonic)
        self._position = self._planned_at = 0
        self._missed_at: int | None = None

    def seconds_until(self, recorded_at: datetime) -> float:
        """Return how long it is until a time is past by the store's clock, at least 0."""
        return self._clock.seconds_until(recorded_at)

    def steps(self, ready: Sequence[Ready]) -> tuple[int, Steps] | None:
        """Return the socket and the steps of writing a small batch, for one who must not wait long.

        None where it takes more than an answer or two of PostgreSQL's. A batch that they have not
        written is for `write`, with what is left of them or how they ended.
        """
        connection = self._connection
        if connection is None or connection.closed or self._plans_are_old:
            return None
        if not 0 < sum(len(each.prepared) for each in ready) <= _MOST_STEPPED:
            return None
        return connection.fileno(), self._write_onward(
            connection, ready, wanted_by(ready, again=False)
        )

    def write(self, ready: Sequence[Ready], steps: Steps | None = None) -> Written:
        """Write a batch in one transaction, again where the database broke off.

        `steps` are those that have been begun for it, or how they `ended`.

        After a break nobody knows whether the transaction was committed. A second try finds the
        messages of the first by their ids, so it never writes anything twice.
        """
        if not ready:
            return (), None
        for attempt in range(_TRIES):
            try:
                connection = self._connected()
                if steps is None:
                    self._renew_plans(connection)
                wanted = wanted_by(ready, again=attempt > 0)
                if attempt == 0:
                    steps = steps or self._write_onward(connection, ready, wanted)
                    if written := connection.wait(steps):  # which Ctrl-C may end
                        return written
                return self._write_holding(connection, ready, wanted), None
            except BROKEN_OFF as error:
                steps = None
                self._disconnect()
                had_its_time = isinstance(error, psycopg.errors.QueryCanceled)
                if had_its_time or attempt == _TRIES - 1:
                    raise unavailable(error) from error
                logger.warning("append broke off, trying again: %s", error)
                time.sleep(_PAUSE_SECONDS * 2**attempt)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _write_onward(
        self, connection: psycopg.Connection, ready: Sequence[Ready], wanted: Wanted
    ) -> Steps:
        """Write a batch on what is remembered of the log; None where that does not do.

        It does for most, not for what is to be refused or was there before.
        """
        if not self._recall.alone or sum(each.size for each in ready) > _ONWARD_BYTES:
            return None
        missing = self._recall.missing(wanted.threads)
        heads: Mapping[ThreadKey, Head] = {}
        if missing:
            position, heads = yield from look(connection, self._prepared, missing)
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
        asked_at = self._clock.elapsed()
        lone = batch.lone()
        if lone is None:
            changes = yield from self._append_onward(connection, batch, ground.position, assumed)
            until = None if changes is None else changes.recorded_at
        else:
            changes, until = yield from self._append_lone(
                connection, lone, ground.position, assumed
            )
        if changes is None:
            return None
        self._note("onward", ready, ground.position, [changes], asked_at)
        return outcomes, until

    def _append_lone(
        self, connection: psycopg.Connection, lone: Lone, previous: int, assumed: Assumed
    ) -> PQGen[tuple[Changes | None, datetime | None]]:
        """Write a message at the time when PostgreSQL gets to it, which makes its link.

        Returns that time too where it has not come: the batch before was stamped ahead.
        """
        asked_at = self._clock.elapsed()
        result = yield from append_lone(connection, self._prepared, previous, lone, assumed)
        if not result.ntuples:
            return None, None
        recorded_at = time_in(result, 0, 0)
        is_ahead = recorded_at <= self._recall.recorded_at + MICROSECOND
        if is_ahead or self._clock.is_old:  # each time, it would take 2 % of an append
            reading = time_in(result, 0, 2)
            self._clock.note(reading, asked_at=asked_at)
            is_ahead = timedelta() < recorded_at - reading < MOST_LEAD
        return lone.linked(recorded_at, bytes_in(result, 0, 1)), recorded_at if is_ahead else None

    def _append_onward(
        self, connection: psycopg.Connection, batch: Batch, previous: int, assumed: Assumed
    ) -> PQGen[Changes | None]:
        """Write a batch at a time that is guessed: its links are made here."""
        recorded_at = self._clock.stamp(len(batch), after=self._recall.recorded_at)
        if recorded_at is None:
            return None
        changes = batch.changes(recorded_at)
        asked_at = self._clock.elapsed()
        reading = yield from append_onward(connection, self._prepared, previous, changes, assumed)
        if reading is None:
            self._missed_at = previous
            return None
        self._clock.note(reading, asked_at=asked_at, stamped=True)
        return changes

    def _write_holding(
        self, connection: psycopg.Connection, ready: Sequence[Ready], wanted: Wanted
    ) -> Sequence[Outcome]:
        """Write a batch while holding the log, on what there is."""
        asked_at = self._clock.elapsed()
        outcomes: list[Outcome] = []
        written: list[Changes] = []
        with log_transaction(connection, wanted) as log:
            missed_at, self._missed_at = self._missed_at, None
            if missed_at == log.ground.position and not log.ground.places:
                self._clock.missed()  # nobody else has written, and nothing was there before
            self._clock.note(log.clock, asked_at=asked_at)
            batch, portion = Batch(log.ground, stored_body=log.body), _FIRST_PORTION
            for number, each in enumerate(ready, 1):
                outcomes.append(batch.decide(each))
                more = number < len(ready)
                if len(batch) and (not more or len(batch) >= portion):
                    written.append(batch.changes(log.recorded_at))
                    log.append(written[-1], more=more)
                    portion = _PORTION
        if written:
            self._note("holding", ready, log.ground.position, written, asked_at)
        return outcomes

    def _note(
        self,
        way: Way,
        ready: Sequence[Ready],
        before: int,
        written: Sequence[Changes],
        asked_at: float,
    ) -> None:
        """Remember the log as it stands after a commit, and have the commit counted."""
        for changes in written:
            self._recall.note(before, changes)
            before = changes.position
        self._position = before
        seconds = self._clock.elapsed() - asked_at
        events = sum([len(changes.events) for changes in written])
        self._meters.committed(Commit(ready, events, way, seconds))

    def _renew_plans(self, connection: psycopg.Connection) -> None:
        """Have statements planned anew whenever the log has doubled.

        Plans of prepared statements stay, and one that was made while the tables were small may
        read all of them for ever: a scan, or an index that fits worse than the key. While the log
        is young the server has not looked at the tables at all, and knows no better.
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
            self._clock.forget()


def ended(error: Exception | None = None) -> Steps:
    """Return steps that are done with: they did not do, or an error ended them."""
    yield from ()  # which makes them steps
    if error is not None:
        raise error
    return None


def _unknown(tenant: str, thread_id: str, version: int) -> bytes:
    raise AssertionError(f"no place was looked up, so {tenant}/{thread_id}/{version} is none")
