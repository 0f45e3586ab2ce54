# ruff: noqa: S608 - our own words
"""Events, heads and ledgers as an append would write them, by an owner without triggers."""

from datetime import datetime
from typing import Any

import psycopg

from agentlog.domain.catalogue import read_stored
from agentlog.domain.integrity.hash_chain import digest, link
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.domain.redaction import left_digest
from agentlog.domain.threads import LedgerEntry, LedgerKey
from agentlog.infrastructure.eventlog.thread_heads import Head, ledger_digest, replayed, searchable
from tests.infrastructure.appends import NOON, TENANT, ulid


def append(
    connection: psycopg.Connection,
    thread_id: str,
    fields: dict[str, JsonValue],
    pending: bool,  # noqa: FBT001
) -> int:
    """Append a redaction as an append would link it; return its version."""
    row: Any = connection.execute(
        "SELECT head.version + 1, counter.position + 1, head.chain, counter.recorded_at "
        "FROM agentlog.threads AS head, agentlog.counter WHERE thread_id = %s AND tenant = %s",
        (thread_id, TENANT),
    ).fetchone()
    if row is None:
        raise psycopg.DataError("the thread has no head any more")
    version, position, chain, recorded_at = row
    message_id = ulid(9_000_000 + position)
    base = {"id": message_id, "timestamp": NOON, "type": "thread.redacted"}
    body = print_bytes({**base, **fields, "reason": "x"})
    left = left_digest(body, None)
    linked = link(
        chain,
        tenant=TENANT,
        thread_id=thread_id,
        version=version,
        position=position,
        type_name="thread.redacted",
        message_id=message_id,
        recorded_at=recorded_at,
        body_digest=digest(body),
        metadata_digest=digest(b""),
        left=left,
    )
    connection.execute(
        "INSERT INTO agentlog.events (tenant, thread_id, version, position, type, message_id, "
        "recorded_at, body, body_sha256, left_sha256, chain) "
        "VALUES (%s, %s, %s, %s, 'thread.redacted', %s, %s, %b, %b, %b, %b)",
        (
            *(TENANT, thread_id, version, position, message_id, recorded_at),
            *(body, digest(body), left, linked),
        ),
    )
    connection.execute("UPDATE agentlog.counter SET position = %s", (position,))
    connection.execute(
        "INSERT INTO agentlog.erasures SELECT %s, %s, %s, %s, "
        "CASE WHEN %s THEN NULL ELSE coalesce(max(number), 0) + 1 END, "
        "CASE WHEN %s THEN NULL ELSE now() END "
        "FROM agentlog.erasures",
        (TENANT, thread_id, version, position, pending, pending),
    )
    return int(version)


def settle(connection: psycopg.Connection, thread_id: str) -> None:
    """Set a thread's head and ledger to what its events come to, those below version 1 apart."""
    rows: list[Any] = connection.execute(
        "SELECT version, position, chain, recorded_at, type, "
        "agentlog.body_of(tenant, body, cuts) FROM agentlog.events "
        "WHERE thread_id = %s AND tenant = %s AND version > 0 ORDER BY version",
        (thread_id, TENANT),
    ).fetchall()
    head, ledger = Head(TENANT, thread_id), dict[LedgerKey, LedgerEntry]()
    began: datetime | None = None
    for version, position, chain, recorded_at, kind, body in rows:
        message = read_stored(kind, parse(body))
        began = began or recorded_at
        if message is not None:
            head, noted = replayed(head, ledger, version, message, body)
            ledger.update(noted)
        head = head._replace(
            version=version, position=position, chain=chain, updated_at=recorded_at
        )
    for table in ("threads", "ledger"):
        query = f"DELETE FROM agentlog.{table} WHERE thread_id = %s AND tenant = %s"
        connection.execute(query.encode(), (thread_id, TENANT))
    if not rows:
        return
    connection.execute(
        "INSERT INTO agentlog.threads (tenant, thread_id, version, position, chain, policy, "
        "status, anomalies, parent, goal, facts, started_at, updated_at, hidden) "
        "VALUES (%s, %s, %s, %s, %b, %s, %s, %s, %s, %s, %b, %s, %s, %s)",
        (
            *(TENANT, thread_id, head.version, head.position, head.chain, head.policy),
            *(head.status, head.anomalies, head.parent, searchable(head.goal), head.facts),
            *(began, head.updated_at, head.hidden),
        ),
    )
    for key, entry in ledger.items():
        connection.execute(
            "INSERT INTO agentlog.ledger VALUES (%s, %s, %s, %b, %s, %s)",
            (TENANT, thread_id, key.kind, ledger_digest(key), entry.asked, entry.answered),
        )
