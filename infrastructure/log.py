"""Writing to the log: look at it, number events, append, move heads and counter, all at once.

READ COMMITTED, and the counter row locked until the commit: whoever numbers events next has seen
them all, positions follow the order of commits, and a reader that asks for `position > cursor`
misses nothing. There are two ways:

- `log_transaction` holds the log, looks, and writes, in two round trips. Each step is a statement
  of its own after the lock, because a statement sees what was committed when it began, not when its
  lock was granted.
- `append_onward` writes on what is remembered of the log, in one round trip, if nobody else has
  written since; the statement finds that out when it has the lock.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from hashlib import sha256
from typing import Any

import psycopg
from psycopg.rows import TupleRow

from domain.catalogue import FACT_TYPES
from domain.threads import Entry, Key
from infrastructure.arrays import booleans, byte_strings, integers, texts
from infrastructure.blobs import pieces_of
from infrastructure.changes import Changes, Ground, NewEvent, Place, Wanted
from infrastructure.heads import Head
from infrastructure.requests import ThreadKey
from infrastructure.sql import statement


class LogTransaction:
    """The log while we hold it; made by `log_transaction`.

    `clock` is what the store's clock said then, `recorded_at` the time of what will be appended:
    the same, unless that clock was ahead before.
    """

    def __init__(self, connection: psycopg.Connection, wanted: Wanted) -> None:
        """Hold the log, and look, in one round trip."""
        self._connection = connection
        self._changes: Changes | None = None
        with connection.pipeline():
            connection.execute("BEGIN")
            locked = connection.execute(statement("lock_counter"))
            heads = self._query("select_heads", wanted.threads, **_THREADS)
            by_digest = {(*thread, key.kind, _id_digest(key)): key for thread, key in wanted.keys}
            ledger = self._query(
                "select_ledger", list(by_digest), **_THREADS, kinds=texts, ids=byte_strings
            )
            places = self._query("select_places", wanted.ids, **_THREADS, message_ids=texts)
            ticket = locked.fetchone()
            if ticket is None:
                raise RuntimeError("agentlog.counter has lost its row: restore it from a backup")
            position, self.recorded_at, self.clock = ticket
            found = {(row[0], row[1]): Head(*row) for row in _rows(heads)}
            entries: dict[ThreadKey, dict[Key, Entry]] = {}
            for tenant, thread_id, kind, id_digest, asked, answered in _rows(ledger):
                key = by_digest[tenant, thread_id, kind, id_digest]
                entries.setdefault((tenant, thread_id), {})[key] = Entry(asked, answered)
            self.ground = Ground(
                position,
                {key: found.get(key) or Head(*key) for key in wanted.threads},
                entries,
                {(row[0], row[1], row[2]): Place(*row[3:]) for row in _rows(places)},
            )

    def body(self, tenant: str, thread_id: str, version: int) -> bytes:
        """Return the stored bytes of one event."""
        with self._connection.cursor(binary=True) as cursor:
            row = cursor.execute(
                "SELECT agentlog.body_of(tenant, body, cuts) FROM agentlog.events "
                "WHERE tenant = %s AND thread_id = %s AND version = %s",
                (tenant, thread_id, version),
            ).fetchone()
        return b"" if row is None else bytes(row[0])

    def append(self, changes: Changes) -> None:
        """Have changes written at the commit."""
        self._changes = changes

    def commit(self) -> None:
        """Write what was appended, durably, and let the log go; in one round trip if it is small.

        A large statement stays out of the pipeline, where neither side reads while both write.
        """
        changes = self._changes
        if changes is None:
            self._connection.execute("ROLLBACK")
            return
        parameters = {
            **_batch_columns(self.ground.position, changes, frozenset()),
            "holding": True,
        }
        if changes.size <= _PIPELINED_BYTES:
            with self._connection.pipeline():
                written = self._connection.execute(statement("append"), parameters)
                self._connection.execute("COMMIT")
        else:
            written = self._connection.execute(statement("append"), parameters)
            self._connection.execute("COMMIT")
        if written.rowcount != 1:
            raise RuntimeError("agentlog.counter moved while its row was locked")

    def _query(
        self,
        name: str,
        rows: Sequence[Sequence[Any]],
        **arrays: Callable[[Sequence[Any]], bytes],
    ) -> psycopg.Cursor[TupleRow] | None:
        if not rows:
            return None
        cursor = self._connection.cursor(binary=True)
        return cursor.execute(statement(name), _columns(rows, **arrays))


@contextmanager
def log_transaction(connection: psycopg.Connection, wanted: Wanted) -> Iterator[LogTransaction]:
    """Hold the log's counter until the block ends: then all of it is committed, or nothing."""
    try:
        log = LogTransaction(connection, wanted)
        yield log
        log.commit()
    except BaseException:
        with suppress(psycopg.Error):  # where the connection is gone, so is the transaction
            connection.rollback()
        raise


def look(
    connection: psycopg.Connection, threads: Sequence[ThreadKey]
) -> tuple[int, dict[ThreadKey, Head]]:
    """Return the log's position, and the heads of threads as they are there, without holding it."""
    with connection.cursor(binary=True) as cursor:
        rows = cursor.execute(statement("look"), _columns(threads, **_THREADS)).fetchall()
    if not rows:
        raise RuntimeError("agentlog.counter has lost its row: restore it from a backup")
    found = {(row[1], row[2]): Head(*row[1:]) for row in rows if row[1] is not None}
    return rows[0][0], {key: found.get(key) or Head(*key) for key in threads}


def append_onward(
    connection: psycopg.Connection,
    previous: int,
    changes: Changes,
    assumed: frozenset[tuple[ThreadKey, Key]],
) -> datetime | None:
    """Commit changes that were decided at position `previous`, if they still hold.

    `assumed` are ledger entries that were taken for new ones; message ids always are. Returns what
    the store's clock said just before; None where nothing was written, because the log has moved,
    something is there already, or `recorded_at` is not a little ahead of the store's clock.
    """
    one = _one_message(changes)
    if one is not None:
        name = "append_one"
        parameters = {**one, "previous": previous, **_ledger_columns(changes, assumed)}
    else:
        name = "append"
        parameters = {**_batch_columns(previous, changes, assumed), "holding": False}
    row = connection.execute(statement(name), parameters).fetchone()
    return None if row is None else row[0]


_PIPELINED_BYTES = 32 * 2**10
_THREADS: dict[str, Callable[[Sequence[Any]], bytes]] = {"tenants": texts, "thread_ids": texts}


def _rows(cursor: psycopg.Cursor[TupleRow] | None) -> Sequence[TupleRow]:
    return () if cursor is None else cursor.fetchall()


def _columns(
    rows: Sequence[Sequence[Any]], **arrays: Callable[[Sequence[Any]], bytes]
) -> dict[str, bytes]:
    """Return one array a column, each made as its name says."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(arrays)
    return {
        name: array(column) for (name, array), column in zip(arrays.items(), columns, strict=True)
    }


def _one_message(changes: Changes) -> dict[str, Any] | None:
    """Return the parameters of the one event and its head, where that is all there is."""
    event, head = changes.events[0], changes.heads[0]
    new_thread = head.version == 1
    if len(changes.events) > 1 or new_thread or event.type in FACT_TYPES or event.stored.blobs:
        return None
    return {
        "tenant": event.tenant,
        "thread_id": event.thread_id,
        "version": event.version,
        "position": event.position,
        "type": event.type,
        "message_id": event.message_id,
        "body": event.stored.body,
        "body_digest": event.body_digest,
        "chain": event.chain,
        "metadata": event.metadata,
        "status": head.status,
        "anomalies": head.anomalies,
        "recorded_at": changes.recorded_at,
    }


def _batch_columns(
    previous: int, changes: Changes, assumed: frozenset[tuple[ThreadKey, Key]]
) -> dict[str, Any]:
    """Return one array a column."""
    events, heads = changes.events, changes.heads
    facts = [head.read_facts() for head in heads]
    return {
        "previous": previous,
        "position": changes.position,
        "recorded_at": changes.recorded_at,
        "event_tenants": texts([event.tenant for event in events]),
        "event_threads": texts([event.thread_id for event in events]),
        "versions": integers([event.version for event in events]),
        "positions": integers([event.position for event in events]),
        "types": texts([event.type for event in events]),
        "message_ids": texts([event.message_id for event in events]),
        "bodies": byte_strings([event.stored.body for event in events]),
        "cuts": byte_strings([event.stored.cuts for event in events]),
        "body_digests": byte_strings([event.body_digest for event in events]),
        "chains": byte_strings([event.chain for event in events]),
        "metadata": byte_strings([event.metadata for event in events]),
        "head_tenants": texts([head.tenant for head in heads]),
        "head_threads": texts([head.thread_id for head in heads]),
        "head_versions": integers([head.version for head in heads]),
        "head_positions": integers([head.position for head in heads]),
        "head_chains": byte_strings([head.chain for head in heads]),
        "policies": texts([head.policy for head in heads]),
        "statuses": texts([head.status for head in heads]),
        "anomalies": integers([head.anomalies for head in heads]),
        "parents": texts([each.get("parent") for each in facts]),
        "goals": texts([_searchable(each.get("goal")) for each in facts]),
        "facts": byte_strings([head.facts for head in heads]),
        "ledger_tenants": texts([tenant for (tenant, _), _, _ in _notes(changes)]),
        "ledger_threads": texts([thread_id for (_, thread_id), _, _ in _notes(changes)]),
        **_ledger_columns(changes, assumed),
        **_blob_columns(events),
    }


def _blob_columns(events: Sequence[NewEvent]) -> dict[str, Any]:
    found = {
        (event.tenant, digest): content
        for event in events
        for digest, content in event.stored.blobs
    }
    rows = [
        (tenant, digest, number, piece)
        for (tenant, digest), content in found.items()
        for number, piece in enumerate(pieces_of(content))
    ]
    return _columns(
        rows,
        blob_tenants=texts,
        blob_digests=byte_strings,
        pieces=integers,
        contents=byte_strings,
    )


def _ledger_columns(changes: Changes, assumed: frozenset[tuple[ThreadKey, Key]]) -> dict[str, Any]:
    rows = [
        (key.kind, _id_digest(key), entry.asked, entry.answered, (thread, key) in assumed)
        for thread, key, entry in _notes(changes)
    ]
    return _columns(
        rows, kinds=texts, ids=byte_strings, asked=integers, answered=integers, assumed=booleans
    )


def _notes(changes: Changes) -> list[tuple[ThreadKey, Key, Entry]]:
    return [
        (thread, key, entry)
        for thread, entries in changes.ledger.items()
        for key, entry in entries.items()
    ]


def _searchable(goal: object) -> str | None:
    return goal.replace("\x00", "\ufffd") if isinstance(goal, str) else None


def _id_digest(key: Key) -> bytes:
    return sha256(key.id.encode()).digest()
