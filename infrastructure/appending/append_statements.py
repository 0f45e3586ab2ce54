"""Statements that write the log: lock, read heads, append events, update heads and counter.

Transactions are READ COMMITTED and lock the counter row until the commit. A writer therefore sees
all earlier events when it numbers its own, positions follow the order of commits, and a reader
that asks for `position > cursor` misses nothing. There are two ways to write:

- `log_transaction` locks the counter, reads, and writes, in two round trips, or three where
  existing threads may have ledger entries or ids to look up. Each step is a statement of its own
  after the lock, because a statement sees what was committed when it began, not when its lock was
  granted.
- `append_onward` writes from cached state in one round trip. The statement checks the position
  after it has the lock, writes nothing if another writer has committed since, and computes time and
  links. `append_lone` is the shorter statement for one message.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.rows import TupleRow

from domain.threads import Entry, Key
from infrastructure.appending.append_request import ThreadKey
from infrastructure.appending.commit_plan import (
    Assumed,
    Changes,
    Ground,
    Lone,
    Moved,
    Place,
    Wanted,
)
from infrastructure.appending.statement_parameters import (
    THREADS,
    batch_columns,
    columns,
    note,
    one_message,
)
from infrastructure.eventlog.thread_heads import Head, ledger_digest
from infrastructure.postgres.binary_arrays import byte_strings, read_byte_strings, texts
from infrastructure.postgres.log_position import CounterLost
from infrastructure.postgres.prepared_statements import Prepared, bytes_in, finish, rows_in, send
from infrastructure.postgres.statements import statement


class LogTransaction:
    """A transaction that holds the log's lock; made by `log_transaction`.

    `recorded_at` is the time of the events that it appends.
    """

    def __init__(self, connection: psycopg.Connection, wanted: Wanted) -> None:
        """Lock the log and read what is wanted; ledgers and ids only of threads that exist."""
        self._connection = connection
        self._parameters: dict[str, Any] | None = None
        self._writing = False
        with connection.pipeline():
            connection.execute("BEGIN")
            locked = connection.execute(statement("lock_counter"))
            heads = self._query("select_heads", wanted.threads, **THREADS)
            ticket = locked.fetchone()
            if ticket is None:
                raise CounterLost
            self._position, self.recorded_at = ticket
            found = {(row[0], row[1]): Head(*row) for row in _rows(heads)}
        keys = [each for each in wanted.keys if each[0] in found]
        ids = [each for each in wanted.ids if each[:2] in found]
        entries, places = self._known(keys, ids) if keys or ids else ({}, {})
        self.ground = Ground(
            self._position,
            {key: found.get(key) or Head(*key) for key in wanted.threads},
            entries,
            places,
        )

    def _known(
        self, keys: Sequence[tuple[ThreadKey, Key]], ids: Sequence[tuple[str, str, str]]
    ) -> tuple[dict[ThreadKey, dict[Key, Entry]], dict[tuple[str, str, str], Place]]:
        """Return the existing ledger entries of these keys, and the places of these ids."""
        by_digest = {(*thread, key.kind, ledger_digest(key)): key for thread, key in keys}
        with self._connection.pipeline():
            ledger = self._query(
                "select_ledger", list(by_digest), **THREADS, kinds=texts, ids=byte_strings
            )
            places = self._query("select_places", ids, **THREADS, message_ids=texts)
        entries: dict[ThreadKey, dict[Key, Entry]] = {}
        for tenant, thread_id, kind, id_digest, asked, answered in _rows(ledger):
            key = by_digest[tenant, thread_id, kind, id_digest]
            entries.setdefault((tenant, thread_id), {})[key] = Entry(asked, answered)
        return entries, {(row[0], row[1], row[2]): Place(*row[3:]) for row in _rows(places)}

    def body(self, tenant: str, thread_id: str, version: int) -> bytes:
        """Return the stored bytes of one event."""
        self.settle()
        with self._connection.cursor(binary=True) as cursor:
            row = cursor.execute(
                "SELECT agentlog.body_of(tenant, body, cuts) FROM agentlog.events "
                "WHERE tenant = %s AND thread_id = %s AND version = %s",
                (tenant, thread_id, version),
            ).fetchone()
        return b"" if row is None else bytes(row[0])

    def append(self, changes: Changes, *, more: bool = False) -> None:
        """Send changes to be written: at once, where `more` may follow or they are large.

        PostgreSQL writes while the caller decides the next requests. Large changes are sent outside
        the pipeline, because both sides could block there, each writing while neither reads.
        """
        parameters = {**batch_columns(self._position, changes, Assumed()), "holding": True}
        self.settle()
        self._parameters = parameters
        self._position = changes.position
        self._writing = more or changes.size > _PIPELINED_BYTES
        if self._writing:
            send(self._connection, "append", parameters)

    def settle(self) -> None:
        """Wait until pending writes are done."""
        if self._writing:
            self._writing, self._parameters = False, None
            _moved(finish(self._connection).command_tuples)

    def commit(self) -> None:
        """Commit and release the lock; in one round trip with the write if it is small."""
        self.settle()
        if self._parameters is not None:
            with self._connection.pipeline():
                written = self._connection.execute(statement("append"), self._parameters)
                self._connection.execute("COMMIT")
            _moved(written.rowcount)
        else:
            moved = self._position > self.ground.position
            self._connection.execute("COMMIT" if moved else "ROLLBACK")

    def _query(
        self,
        name: str,
        rows: Sequence[Sequence[Any]],
        **arrays: Callable[[Sequence[Any]], bytes],
    ) -> psycopg.Cursor[TupleRow] | None:
        if not rows:
            return None
        cursor = self._connection.cursor(binary=True)
        return cursor.execute(statement(name), columns(rows, **arrays))


@contextmanager
def log_transaction(connection: psycopg.Connection, wanted: Wanted) -> Iterator[LogTransaction]:
    """Lock the log's counter until the block ends; then commit everything or nothing."""
    log = None
    try:
        log = LogTransaction(connection, wanted)
        yield log
        log.commit()
    except BaseException:
        with suppress(psycopg.Error):  # a lost connection rolls back by itself
            try:
                if log is not None:
                    log.settle()
            finally:
                connection.rollback()
        raise


def look(
    connection: psycopg.Connection, prepared: Prepared, threads: Sequence[ThreadKey]
) -> tuple[int, dict[ThreadKey, Head]]:
    """Return the log's position and the heads of existing threads, without a lock."""
    result = prepared.execute(connection, "look", columns(threads, **THREADS))
    rows = rows_in(connection, result)
    if not rows:
        raise CounterLost
    found = {(row[1], row[2]): Head(*row[1:]) for row in rows if row[1] is not None}
    return rows[0][0], {key: found.get(key) or Head(*key) for key in threads}


def append_onward(
    connection: psycopg.Connection,
    prepared: Prepared,
    previous: int,
    changes: Changes,
    assumed: Assumed,
) -> Moved | None:
    """Commit changes that were decided at position `previous`, if they still hold.

    Returns None if nothing was written: the log has moved, or something `assumed` to be new already
    exists.
    """
    parameters = {**batch_columns(previous, changes, assumed), "holding": False}
    result = prepared.execute(connection, "append", parameters)
    return changes.moved(read_byte_strings(bytes_in(result, 0, 0))) if result.ntuples else None


def append_lone(
    connection: psycopg.Connection,
    prepared: Prepared,
    previous: int,
    lone: Lone,
    assumed: Assumed,
) -> Moved | None:
    """Commit one message as `append_onward` does."""
    parameters = {**one_message(lone), "previous": previous}
    name = "append_one"
    if lone.notes:
        name = "append_one_noted"
        parameters |= note(*lone.notes[0], assumed)
    result = prepared.execute(connection, name, parameters)
    return lone.moved(bytes_in(result, 0, 0)) if result.ntuples else None


_PIPELINED_BYTES = 32 * 2**10


def _moved(rows: int | None) -> None:
    if rows != 1:
        raise RuntimeError("agentlog.counter moved while its row was locked")


def _rows(cursor: psycopg.Cursor[TupleRow] | None) -> Sequence[TupleRow]:
    return () if cursor is None else cursor.fetchall()
