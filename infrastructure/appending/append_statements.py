"""Statements that write the log: lock, read what is known, append.

An append is one statement. Under the lock of the counter's row it checks that the log is still
where the append was decided, and computes time and links; if not, it writes nothing. Positions
therefore follow the order of commits, and a reader that asks for `position > cursor` misses
nothing. `log_transaction` takes the lock before the decision. Each of its steps is a statement of
its own after the lock, because a statement sees what was committed when it began, not when its
lock was granted.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.catalogue import FACT_TYPES, is_activity
from agentlog.domain.integrity.hash_chain import GENESIS, around_time, digest
from agentlog.domain.json.values import text_at
from agentlog.domain.threads import LedgerEntry, LedgerKey
from agentlog.infrastructure.appending.append_request import ThreadKey
from agentlog.infrastructure.appending.commit_plan import Changes, LogState, NewEvent, Place, Wanted
from agentlog.infrastructure.eventlog.blob_store import pieces_of
from agentlog.infrastructure.eventlog.thread_heads import (
    Head,
    ledger_digest,
    searchable,
)
from agentlog.infrastructure.postgres.binary_arrays import booleans, byte_strings, integers, texts
from agentlog.infrastructure.postgres.log_position import CounterLost
from agentlog.infrastructure.postgres.statements import statement

_THREADS: dict[str, Callable[[Sequence[Any]], bytes]] = {"tenants": texts, "thread_ids": texts}
_OF_NOTHING = digest(b"")


@contextmanager
def log_transaction(connection: psycopg.Connection, wanted: Wanted) -> Iterator[LogState]:
    """Lock the log until the block ends, and yield what is wanted of it."""
    with connection.pipeline(), connection.transaction():
        connection.execute("SELECT FROM agentlog.counter FOR UPDATE")
        yield read_log_state(connection, wanted)


def read_log_state(connection: psycopg.Connection, wanted: Wanted) -> LogState:
    """Return what is wanted of the log; others may append meanwhile unless it is locked."""
    position, heads = look(connection, wanted.threads)
    there = {key for key, head in heads.items() if head.version}
    entries, places = _known(
        connection,
        [key for key in wanted.keys if key[0] in there],
        [message_id for message_id in wanted.ids if message_id[:2] in there],
    )
    return LogState(position, heads, entries, places)


def look(
    connection: psycopg.Connection, threads: Sequence[ThreadKey]
) -> tuple[int, dict[ThreadKey, Head]]:
    """Return the log's position and the heads of these threads."""
    rows = _query(connection, "look", _arrays(threads, **_THREADS)).fetchall()
    if not rows:
        raise CounterLost
    heads = {(row[1], row[2]): Head(*row[1:]) for row in rows if row[1] is not None}
    return rows[0][0], {key: heads.get(key) or Head(*key) for key in threads}


def _known(
    connection: psycopg.Connection,
    keys: Sequence[tuple[ThreadKey, LedgerKey]],
    ids: Sequence[tuple[str, str, str]],
) -> tuple[dict[ThreadKey, dict[LedgerKey, LedgerEntry]], dict[tuple[str, str, str], Place]]:
    """Return the existing ledger entries of these keys, and the places of these ids."""
    entries: dict[ThreadKey, dict[LedgerKey, LedgerEntry]] = {}
    if keys:
        by_digest = {(*thread, key.kind, ledger_digest(key)): key for thread, key in keys}
        wanted = _arrays(list(by_digest), **_THREADS, kinds=texts, ids=byte_strings)
        for *place, asked, answered in _query(connection, "select_ledger", wanted):
            entries.setdefault((place[0], place[1]), {})[by_digest[tuple(place)]] = LedgerEntry(
                asked, answered
            )
    if not ids:
        return entries, {}
    rows = _query(connection, "select_places", _arrays(ids, **_THREADS, message_ids=texts))
    return entries, {(row[0], row[1], row[2]): Place(*row[3:]) for row in rows}


def stored_body(connection: psycopg.Connection, tenant: str, thread_id: str, version: int) -> bytes:
    """Return the stored bytes of one event."""
    with connection.cursor(binary=True) as cursor:
        row = cursor.execute(
            "SELECT agentlog.body_of(tenant, body, cuts) FROM agentlog.events "
            "WHERE tenant = %s AND thread_id = %s AND version = %s",
            (tenant, thread_id, version),
        ).fetchone()
    return b"" if row is None else bytes(row[0])


def append(connection: psycopg.Connection, changes: Changes) -> list[Head] | None:
    """Write changes; return the heads after them.

    Returns None if nothing was written: the log has moved, or something assumed to be new exists.
    """
    if _is_one_message(changes):
        row = _query(connection, "append_one", _one_message(changes), prepare=True).fetchone()
    else:
        row = _query(connection, "append", _columns(changes), prepare=True).fetchone()
    if row is None:
        return None
    chains = {event[:2]: chain for event, chain in zip(changes.events, row[0], strict=True)}
    return [head._replace(chain=chains[head[:2]]) for head in changes.heads]


def _query(
    connection: psycopg.Connection,
    name: str,
    parameters: dict[str, Any],
    *,
    prepare: bool | None = None,
) -> psycopg.Cursor[TupleRow]:
    return connection.cursor(binary=True).execute(statement(name), parameters, prepare=prepare)


def _is_one_message(changes: Changes) -> bool:
    """Return whether the changes are one message of an existing thread, with one note at most."""
    event, *others = changes.events
    return not (
        others
        or len(changes.notes) > 1
        or changes.heads[0].chain == GENESIS
        or event.stored.blobs
        or event.type in FACT_TYPES
    )


def _one_message(changes: Changes) -> dict[str, Any]:
    """Return the parameters of append_one.sql."""
    (event,), (head,) = changes.events, changes.heads
    before, after = _around_time(event)
    note = changes.notes[0] if changes.notes else None
    return {
        "previous": changes.previous,
        "tenant": event.tenant,
        "thread_id": event.thread_id,
        "version": event.version,
        "position": event.position,
        "type": event.type,
        "message_id": event.message_id,
        "body": event.stored.body,
        "body_digest": event.body_digest,
        "left": event.left,
        "chain": head.chain,
        "before": before,
        "after": after,
        "metadata": event.metadata,
        "status": head.status,
        "anomalies": head.anomalies,
        "kind": note and note.key.kind,
        "id": note and ledger_digest(note.key),
        "asked": note and note.entry.asked,
        "answered": note and note.entry.answered,
        "assumed": note is not None and note.assumed,
    }


def _columns(changes: Changes) -> dict[str, Any]:
    """Return the parameters of append.sql: an array a column."""
    events, heads = changes.events, changes.heads
    tenants, threads, versions, positions, types, ids, stored, digests, left, metadata, _ = zip(
        *events, strict=True
    )
    chains = {head[:2]: head.chain for head in heads}
    lasts: dict[tuple[Any, ...], int] = {}
    follows: list[int | None] = []
    for number, event in enumerate(events, 1):
        follows.append(lasts.get(event[:2]))
        lasts[event[:2]] = number
    around = [_around_time(event) for event in events]
    facts = [head.read_facts() for head in heads]
    acted = {event[:2] for event in events if is_activity(event.type, event.version)}
    return {
        "previous": changes.previous,
        "position": changes.position,
        "event_tenants": texts(tenants),
        "event_threads": texts(threads),
        "versions": integers(versions),
        "positions": integers(positions),
        "types": texts(types),
        "message_ids": texts(ids),
        "bodies": byte_strings([body.body for body in stored]),
        "cuts": byte_strings([body.cuts for body in stored]),
        "body_digests": byte_strings(digests),
        "left": byte_strings(left),
        "metadata": byte_strings(metadata),
        "chains": byte_strings([chains[event[:2]] for event in events]),
        "follows": integers(follows),
        "befores": byte_strings([before for before, _ in around]),
        "afters": byte_strings([after for _, after in around]),
        "head_tenants": texts([head.tenant for head in heads]),
        "head_threads": texts([head.thread_id for head in heads]),
        "head_versions": integers([head.version for head in heads]),
        "head_positions": integers([head.position for head in heads]),
        "lasts": integers([lasts[head[:2]] for head in heads]),
        "policies": texts([head.policy for head in heads]),
        "statuses": texts([head.status for head in heads]),
        "anomalies": integers([head.anomalies for head in heads]),
        "parents": texts([text_at(fact, "parent") for fact in facts]),
        "goals": texts([searchable(fact.get("goal")) for fact in facts]),
        "facts": byte_strings([head.facts for head in heads]),
        "hidden": booleans([head.hidden for head in heads]),
        "acted": booleans([head[:2] in acted for head in heads]),
        **_arrays(
            [
                (event.tenant, event.thread_id, event.message_id)
                for event in events
                if event.id_assumed
            ],
            id_tenants=texts,
            id_threads=texts,
            assumed_ids=texts,
        ),
        **_arrays(
            [
                (*thread, key.kind, ledger_digest(key), entry.asked, entry.answered, assumed)
                for thread, key, entry, assumed in changes.notes
            ],
            ledger_tenants=texts,
            ledger_threads=texts,
            kinds=texts,
            ids=byte_strings,
            asked=integers,
            answered=integers,
            assumed=booleans,
        ),
        **_arrays(
            _blob_pieces(events),
            blob_tenants=texts,
            blob_digests=byte_strings,
            pieces=integers,
            contents=byte_strings,
        ),
    }


def _blob_pieces(events: Sequence[NewEvent]) -> list[tuple[str, bytes, int, bytes]]:
    contents = {
        (event.tenant, named): content for event in events for named, content in event.stored.blobs
    }
    return [
        (tenant, named, number, piece)
        for (tenant, named), content in contents.items()
        for number, piece in enumerate(pieces_of(content))
    ]


def _around_time(event: NewEvent) -> tuple[bytes, bytes]:
    """Return what an event's link covers before the time (after the previous link), and after."""
    return around_time(
        tenant=event.tenant,
        thread_id=event.thread_id,
        version=event.version,
        position=event.position,
        type_name=event.type,
        message_id=event.message_id,
        body_digest=event.body_digest,
        metadata_digest=_OF_NOTHING if event.metadata is None else digest(event.metadata),
        left=event.left,
    )


def _arrays(
    rows: Sequence[Sequence[Any]], **arrays: Callable[[Sequence[Any]], bytes]
) -> dict[str, bytes]:
    """Return one array a column, each made by the function of its name."""
    turned = zip(*rows, strict=True) if rows else ((),) * len(arrays)
    return {
        name: array(column) for (name, array), column in zip(arrays.items(), turned, strict=True)
    }
