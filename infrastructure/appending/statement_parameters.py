"""Parameters of the write statements: scalars for one message, an array a column for many."""

from collections.abc import Callable, Sequence
from typing import Any

from domain.threads import Entry, Key
from infrastructure.appending.append_request import ThreadKey
from infrastructure.appending.commit_plan import Assumed, Changes, Lone, NewEvent
from infrastructure.eventlog.blob_store import pieces_of
from infrastructure.eventlog.thread_heads import ledger_digest, searchable
from infrastructure.postgres.binary_arrays import booleans, byte_strings, integers, texts

THREADS: dict[str, Callable[[Sequence[Any]], bytes]] = {"tenants": texts, "thread_ids": texts}


def columns(
    rows: Sequence[Sequence[Any]], **arrays: Callable[[Sequence[Any]], bytes]
) -> dict[str, bytes]:
    """Return one array a column, each made by the function of its name."""
    turned = zip(*rows, strict=True) if rows else ((),) * len(arrays)
    return {
        name: array(column) for (name, array), column in zip(arrays.items(), turned, strict=True)
    }


def one_message(lone: Lone) -> dict[str, Any]:
    """Return the parameters of one event and its head."""
    event, head = lone.event, lone.head
    return {
        "tenant": event.tenant,
        "thread_id": event.thread_id,
        "version": event.version,
        "position": event.position,
        "type": event.type,
        "message_id": event.message_id,
        "body": event.stored.body,
        "body_digest": event.body_digest,
        "before": lone.before,
        "after": lone.after,
        "metadata": event.metadata,
        "status": head.status,
        "anomalies": head.anomalies,
    }


def notes_in(changes: Changes) -> list[tuple[ThreadKey, Key, Entry]]:
    """Return the new ledger entries, each with its thread."""
    return [
        (thread, key, entry)
        for thread, entries in changes.ledger.items()
        for key, entry in entries.items()
    ]


def note(thread: ThreadKey, key: Key, entry: Entry, assumed: Assumed) -> dict[str, Any]:
    """Return the parameters of one ledger entry."""
    return {
        "kind": key.kind,
        "id": ledger_digest(key),
        "asked": entry.asked,
        "answered": entry.answered,
        "assumed": (thread, key) in assumed.entries,
    }


def batch_columns(previous: int, changes: Changes, assumed: Assumed) -> dict[str, Any]:
    """Return one array a column."""
    around = () if changes.recorded_at else [each.around_time() for each in changes.events]
    tenants, threads, versions, positions, types, ids, stored, digests, chains, metadata = zip(
        *changes.events, strict=True
    )
    heads = changes.heads
    facts = [head.read_facts() for head in heads]
    return {
        "previous": previous,
        "position": changes.position,
        "recorded_at": changes.recorded_at,
        "event_tenants": texts(tenants),
        "event_threads": texts(threads),
        "versions": integers(versions),
        "positions": integers(positions),
        "types": texts(types),
        "message_ids": texts(ids),
        "bodies": byte_strings([each.body for each in stored]),
        "cuts": byte_strings([each.cuts for each in stored]),
        "body_digests": byte_strings(digests),
        "chains": byte_strings(chains),
        "follows": integers(changes.follows),
        "befores": byte_strings([before for before, _ in around]),
        "afters": byte_strings([after for _, after in around]),
        "metadata": byte_strings(metadata),
        "head_tenants": texts([head.tenant for head in heads]),
        "head_threads": texts([head.thread_id for head in heads]),
        "head_versions": integers([head.version for head in heads]),
        "head_positions": integers([head.position for head in heads]),
        "lasts": integers(changes.lasts),
        "policies": texts([head.policy for head in heads]),
        "statuses": texts([head.status for head in heads]),
        "anomalies": integers([head.anomalies for head in heads]),
        "parents": texts([each.get("parent") for each in facts]),
        "goals": texts([searchable(each.get("goal")) for each in facts]),
        "facts": byte_strings([head.facts for head in heads]),
        **columns(assumed.ids, id_tenants=texts, id_threads=texts, assumed_ids=texts),
        **_ledger_columns(changes, assumed),
        **_blob_columns(changes.events),
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
    return columns(
        rows,
        blob_tenants=texts,
        blob_digests=byte_strings,
        pieces=integers,
        contents=byte_strings,
    )


def _ledger_columns(changes: Changes, assumed: Assumed) -> dict[str, Any]:
    rows = [
        (
            *thread,
            key.kind,
            ledger_digest(key),
            entry.asked,
            entry.answered,
            (thread, key) in assumed.entries,
        )
        for thread, key, entry in notes_in(changes)
    ]
    return columns(
        rows,
        ledger_tenants=texts,
        ledger_threads=texts,
        kinds=texts,
        ids=byte_strings,
        asked=integers,
        answered=integers,
        assumed=booleans,
    )
