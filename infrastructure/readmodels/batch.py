"""Batches of the log for projections: all tenants' events by position, bounded in size."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import TupleRow, tuple_row

from domain.events import Event
from infrastructure.eventlog.blob_store import Contents, read_beginnings
from infrastructure.eventlog.body_deduplication import digests_in
from infrastructure.eventlog.event_rows import event_of
from infrastructure.postgres.statements import statement

MOST_BYTES = 16 * 2**20
"""Most bytes of the bodies of a batch, except its first."""


@dataclass(frozen=True, slots=True)
class TenantEvent:
    """An event and its tenant."""

    tenant: str
    event: Event


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events by position, and the position they reach; no event up to there is left out."""

    events: list[TenantEvent]
    position: int


def read_batch(  # noqa: PLR0913 - one parameter a choice
    connection: psycopg.Connection,
    *,
    after: int,
    upto: int,
    types: Collection[str] | None,
    limit: int,
    long_texts: bool,
) -> EventBatch:
    """Return the next events of some types, at most `limit`, none beyond `upto`.

    A long text kept apart from its body is empty in it, or its beginning with `long_texts`.
    """
    with connection.cursor(binary=True, row_factory=tuple_row) as cursor:
        # read tenants after the position to complete, so that none can be missing
        tenants = [row[0] for row in cursor.execute(statement("select_tenants")).fetchall()]
        wanted = {
            "after": after,
            "upto": upto,
            "types": None if types is None else sorted(types),
            "limit": limit,
            "most_bytes": MOST_BYTES,
        }
        if len(tenants) == 1:  # most logs: no sort is needed
            asked = statement("select_growth"), {**wanted, "tenant": tenants[0]}
        else:
            asked = statement("select_growth_of_tenants"), {**wanted, "tenants": tenants}
        rows = cursor.execute(*asked).fetchall()
        events = recorded(cursor, rows, long_texts=long_texts)
    reached_all = not rows or (len(rows) < limit and _size(events) < MOST_BYTES)
    return EventBatch(events, upto if reached_all else rows[-1][6])


def recorded(
    cursor: psycopg.Cursor[TupleRow], rows: Sequence[TupleRow], *, long_texts: bool
) -> list[TenantEvent]:
    """Return the events of rows of the log, with long texts as in `read_batch`."""
    cuts: defaultdict[str, list[bytes]] = defaultdict(list)
    for row in rows:
        if row[9] is not None:
            cuts[row[0]].append(row[9])
    beginnings = {
        tenant: read_beginnings(cursor, tenant, found)
        if long_texts
        else Contents(dict.fromkeys(digests_in(found), b""))
        for tenant, found in cuts.items()
    }
    none = Contents({})
    return [
        TenantEvent(row[0], event_of((*row[1:], None), beginnings.get(row[0], none)))
        for row in rows
    ]


def _size(events: list[TenantEvent]) -> int:
    return sum(len(each.event.body) for each in events)
