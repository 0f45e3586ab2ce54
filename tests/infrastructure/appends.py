"""Short words for appends, and a look behind the curtain at what they wrote."""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import psycopg
from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.integrity.hash_chain import GENESIS, digest, link
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import Page, State
from agentlog.projections.view import Printed

TENANT = "tests"
NOON = 1_767_268_800_000
"""2026-01-01T12:00:00Z, in milliseconds."""


@dataclass
class Clock:
    """Milliseconds since the epoch, as a test sets them."""

    now: int = NOON

    def __call__(self) -> int:
        return self.now


class Ids:
    """Fresh ULIDs that count: 1, 2, 3."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def __call__(self) -> str:
        return ulid(next(self._numbers))


def ulid(number: int) -> str:
    """Return the ULID whose decimal digits read as `number`."""
    return f"{number:026d}"


def given(number: int) -> str:
    """Return a ULID that a caller brings along; none that `Ids` gives out."""
    return f"1{number:025d}"


def reply(text: str, **fields: Any) -> dict[str, Any]:
    """Return a draft of a reply."""
    return {"type": "reply", "text": text, **fields}


def calls(*ids: str, **fields: Any) -> dict[str, Any]:
    """Return a draft that calls a tool once under each id."""
    return {
        "type": "tool_calls",
        "calls": [{"id": call_id, "name": "f"} for call_id in ids],
        **fields,
    }


def results(*ids: str, **fields: Any) -> dict[str, Any]:
    """Return a draft that answers these calls."""
    answers = [{"callId": call_id, "output": None} for call_id in ids]
    return {"type": "tool_results", "results": answers, **fields}


def request(
    thread_id: str,
    *drafts: Any,
    facts: Sequence[dict[str, Any]] = (),
    expected_version: int | None = None,
) -> AppendRequest:
    """Return the request to append these drafts."""
    return AppendRequest(TENANT, thread_id, drafts, facts, expected_version)


def started(**facts: Any) -> dict[str, Any]:
    """Return the fact that starts a thread."""
    return {"type": "thread.started", **facts}


def record(threads: Threads, thread_id: str, *kinds: str) -> None:
    """Append facts of these types, without fields."""
    (appended,) = threads.append_many(
        [threads.request(thread_id, facts=[{"type": kind} for kind in kinds])]
    )
    assert not isinstance(appended, Exception)


def fetch(database: Database, query: str, *parameters: object) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with database.connection() as connection:
        return connection.execute(query.encode(), parameters).fetchall()


def append_apart(threads: Threads, thread_id: str, drafts: Sequence[JsonValue]) -> list[Event]:
    """Append drafts one by one, each followed by one to another thread; return the events."""
    threads.start(thread_id, {"policy": "record"})
    for draft in drafts:
        threads.append(thread_id, [draft])
        threads.append("between", [reply("elsewhere")])
    return threads.messages(thread_id)


def time_of(event: Event) -> datetime:
    """Return when an event was recorded."""
    assert event.recorded_at is not None
    return event.recorded_at


def position_of(event: Event) -> int:
    """Return where an event stands in the log."""
    assert event.position is not None
    return event.position


def items_of(page: Page | State) -> Sequence[Printed]:
    """Return the items of a view that has some."""
    assert isinstance(page, Page)
    return page.items


class CountingReader(LogReader):
    """Counts the events that it reads."""

    count = 0

    @override
    def each_event(
        self,
        thread_id: str,
        *,
        after: int,
        upto: int,
        limit: int | None = None,
        long_texts: bool = True,
    ) -> Iterator[Event]:
        event = list(
            super().each_event(
                thread_id, after=after, upto=upto, limit=limit, long_texts=long_texts
            )
        )
        self.count += len(event)
        return iter(event)


def last_position(database: Database) -> int:
    """Return how far the log has come, by its counter."""
    ((position,),) = fetch(database, "SELECT position FROM agentlog.counter")
    return int(position)


@contextmanager
def unguarded(connection: psycopg.Connection) -> Iterator[None]:
    """Have heads and counter move as they never do: as the owner may, who takes the guards away."""
    connection.execute(_GUARDS.format("DISABLE").encode())
    yield
    connection.execute(_GUARDS.format("ENABLE").encode())


_GUARDS = (
    "ALTER TABLE agentlog.threads {0} TRIGGER threads_follow_events, {0} TRIGGER threads_only_grow;"
    "ALTER TABLE agentlog.counter {0} TRIGGER counter_only_grows"
)


def make_older(connection: psycopg.Connection, tenant: str, thread_id: str, by: timedelta) -> None:
    """Move a thread's events and its head back in time, as only the owner may."""
    asked = (by, tenant, thread_id)
    guard = "ALTER TABLE agentlog.events {} TRIGGER events_only_redacted"
    with unguarded(connection):
        connection.execute(guard.format("DISABLE").encode())
        connection.execute(
            "UPDATE agentlog.threads SET updated_at = updated_at - %s "
            "WHERE tenant = %s AND thread_id = %s",
            asked,
        )
        connection.execute(
            "UPDATE agentlog.events SET recorded_at = recorded_at - %s "
            "WHERE tenant = %s AND thread_id = %s",
            asked,
        )
        connection.execute(guard.format("ENABLE").encode())


def empty_log(database: Database) -> None:
    """Take everything out: as good as a new database, and a hundred times as quick to have."""
    with database.connection() as connection, connection.transaction(), unguarded(connection):
        connection.execute(_EMPTY)


_EMPTY = """
    ALTER TABLE agentlog.events DISABLE TRIGGER events_only_grow;
    DELETE FROM agentlog.events;
    DELETE FROM agentlog.threads;
    DELETE FROM agentlog.ledger;
    DELETE FROM agentlog.blobs;
    DELETE FROM agentlog.tracking;
    DELETE FROM agentlog.erasures;
    DELETE FROM agentlog.snapshots;
    DELETE FROM agentlog.imports;
    DELETE FROM agentlog.subscriptions;
    DELETE FROM agentlog.definitions;
    ALTER TABLE agentlog.events ENABLE TRIGGER events_only_grow;
    UPDATE agentlog.counter SET position = 0, recorded_at = '-infinity';
"""


def check_log(database: Database) -> None:
    """Recompute every link, place and head from the events, and compare with what is stored."""
    rows = fetch(
        database,
        "SELECT tenant, thread_id, version, position, type, message_id, recorded_at, "
        "agentlog.body_of(tenant, body, cuts), body_sha256, chain, metadata, metadata_sha256, "
        "redacted, left_sha256 FROM agentlog.events ORDER BY position",
    )
    heads: dict[tuple[str, str], tuple[int, int, bytes]] = {}
    times = []
    for number, row in enumerate(rows, 1):
        tenant, thread_id, version, position, type_name, message_id, recorded_at = row[:7]
        body, body_digest, chain, metadata, metadata_digest, redacted, left = row[7:]
        before = heads.get((tenant, thread_id), (0, 0, GENESIS))
        assert position == number
        assert version == before[0] + 1
        # of what was erased, the hashes are left
        assert redacted is not None or body_digest == digest(body)
        assert chain == link(
            before[2],
            tenant=tenant,
            thread_id=thread_id,
            version=version,
            position=position,
            type_name=type_name,
            message_id=message_id,
            recorded_at=recorded_at,
            body_digest=body_digest,
            metadata_digest=digest(metadata or b"") if redacted is None else metadata_digest,
            left=left,
        )
        heads[tenant, thread_id] = version, position, chain
        times.append(recorded_at)
    assert times == sorted(times)
    stored = fetch(
        database, "SELECT tenant, thread_id, version, position, chain FROM agentlog.threads"
    )
    assert {(row[0], row[1]): row[2:] for row in stored} == heads
    assert last_position(database) == len(rows)


STORY: list[dict[str, Any]] = [
    {"type": "system", "text": "You help."},
    {"type": "input", "text": "Where is my parcel?", "files": [{"data": "QQ=="}]},
    {"type": "llm_request", "model": "m", "maxTokens": 5},
    {"type": "reasoning", "title": "Plan", "summary": "Look it up"},
    reply("Let me look.", metadata={"responseId": "r1"}),
    calls("a", "b", metadata={"responseId": "r1"}),
    {"type": "llm_response", "model": "m", "usage": {"totalTokens": 7}},
    results("a"),
    {"type": "approval_request", "callId": "b", "tool": "f"},
    {"type": "approval_response", "callId": "b", "approved": False, "reason": "no"},
    {"type": "input", "text": "Hurry"},
    {"type": "scratchpad", "text": "hurrying", "mode": "replace"},
    {"type": "worker_spawned", "workerId": "w", "objective": "ask"},
    {"type": "worker_result", "workerId": "w", "output": {"found": 1.10}},
    results("b"),
    calls("c", metadata={"responseId": "r2"}),
    {
        "type": "tool_results",
        "results": [{"callId": "c", "name": "f", "output": "x", "error": "too late"}],
    },
    reply("It is on its way.", metadata={"responseId": "r3"}),
    {"type": "vendor.note", "payload": None},
    {"type": "exit", "reason": "complete"},
    {"type": "log", "text": "done"},
]
"""A history that every view has something to say about."""
