"""Appends a planned fork, while the log is locked."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

import psycopg

from agentlog.domain.drafts import Prepared
from agentlog.domain.integrity.hash_chain import GENESIS, link
from agentlog.infrastructure.eventlog.blob_store import pieces_of
from agentlog.infrastructure.eventlog.body_deduplication import Stored, stored
from agentlog.infrastructure.eventlog.thread_heads import (
    Head,
    facts_after,
    ledger_digest,
    searchable,
)
from agentlog.infrastructure.forks.plan import ForkEvent, ForkPlan
from agentlog.infrastructure.postgres.binary_arrays import byte_strings, integers, texts
from agentlog.infrastructure.postgres.locks import erase_alone
from agentlog.infrastructure.postgres.log_position import CounterLost
from agentlog.infrastructure.postgres.statements import statement


@contextmanager
def log_locked(connection: psycopg.Connection, *, erases: bool) -> Iterator[tuple[int, datetime]]:
    """Lock the log until the block ends; yield its position, and the time of what comes next.

    `erases`: erasures are carried out in the block; their lock comes before the log's.
    """
    with connection.transaction():
        connection.execute("SET LOCAL statement_timeout = 0")  # a thread may be long
        if erases:
            erase_alone(connection)
        row = connection.execute(statement("lock_log")).fetchone()
        if row is None:
            raise CounterLost
        yield row[0], row[1]


def append_fork(  # noqa: PLR0913 - a fork, and where it is appended
    connection: psycopg.Connection,
    plan: ForkPlan,
    *,
    tenant: str,
    origin: str,
    position: int,
    recorded_at: datetime,
) -> int:
    """Append a fork after `position`, with its redactions carried out; return its last position."""
    events, thread = plan.events, plan.thread
    chains = _chains(events, tenant, thread.id, position, recorded_at)
    placed = list(zip(events, chains, strict=True))
    added = [(event, event.added, chain) for event, chain in placed if event.added is not None]
    first = added[0][1]
    head = Head(tenant, thread.id, facts=facts_after(None, first.message, first.body))
    connection.cursor(binary=True).execute(
        statement("append_fork"),
        {
            "tenant": tenant,
            "thread_id": thread.id,
            "origin": origin,
            "recorded_at": recorded_at,
            "position": position + len(events),
            "version": len(events),
            "chain": chains[-1],
            "policy": thread.policy,
            "status": thread.status,
            "anomalies": plan.anomalies,
            "goal": searchable(head.goal),
            "facts": head.facts,
            **_copies([pair for pair in placed if pair[0].added is None], position),
            **_columns_of(added, position),
            **_ledger(plan),
        },
    )
    for event in events:
        if event.type == "thread.redacted":
            connection.execute(
                "SELECT agentlog.finish_erasure(%s, %s, %s)", (tenant, thread.id, event.version)
            )
    return position + len(events)


def _copies(copies: Sequence[tuple[ForkEvent, bytes]], position: int) -> dict[str, object]:
    """Return the columns of the events that are copied inside the database, with their links."""
    events = [event for event, _ in copies]
    return {
        "copy_versions": integers([event.version for event in events]),
        "copy_positions": integers([position + event.version for event in events]),
        "copy_origins": integers([event.origin_version for event in events]),
        "copy_redacted": integers([event.redacted for event in events]),
        "copy_chains": byte_strings([chain for _, chain in copies]),
    }


def _columns_of(
    added: Sequence[tuple[ForkEvent, Prepared, bytes]], position: int
) -> dict[str, object]:
    """Return the columns of the fork's own events, with their links, and of their contents."""
    events = [event for event, _, _ in added]
    bodies = [stored(prepared) for _, prepared, _ in added]
    return {
        "versions": integers([event.version for event in events]),
        "positions": integers([position + event.version for event in events]),
        "types": texts([event.type for event in events]),
        "message_ids": texts([event.message_id for event in events]),
        "bodies": byte_strings([body.body for body in bodies]),
        "cuts": byte_strings([body.cuts for body in bodies]),
        "body_digests": byte_strings([event.body_digest for event in events]),
        "left": byte_strings([event.left for event in events]),
        "chains": byte_strings([chain for _, _, chain in added]),
        "metadata": byte_strings([prepared.metadata for _, prepared, _ in added]),
        "origins": integers([event.origin_version for event in events]),
        **_contents(bodies),
    }


def _contents(bodies: Iterable[Stored]) -> dict[str, object]:
    pieces = [
        (digest, number, piece)
        for body in bodies
        for digest, content in body.blobs
        for number, piece in enumerate(pieces_of(content))
    ]
    return {
        "blob_digests": byte_strings([digest for digest, _, _ in pieces]),
        "pieces": integers([number for _, number, _ in pieces]),
        "contents": byte_strings([piece for _, _, piece in pieces]),
    }


def _ledger(plan: ForkPlan) -> dict[str, object]:
    ledger = list(plan.ledger.items())
    return {
        "kinds": texts([key.kind for key, _ in ledger]),
        "ids": byte_strings([ledger_digest(key) for key, _ in ledger]),
        "asked": integers([entry.asked for _, entry in ledger]),
        "answered": integers([entry.answered for _, entry in ledger]),
    }


def _chains(
    events: Sequence[ForkEvent], tenant: str, thread_id: str, position: int, recorded_at: datetime
) -> list[bytes]:
    """Return the link of each event."""
    chains: list[bytes] = []
    previous = GENESIS
    for event in events:
        previous = link(
            previous,
            tenant=tenant,
            thread_id=thread_id,
            version=event.version,
            position=position + event.version,
            type_name=event.type,
            message_id=event.message_id,
            recorded_at=recorded_at,
            body_digest=event.body_digest,
            metadata_digest=event.metadata_digest,
            left=event.left,
        )
        chains.append(previous)
    return chains
