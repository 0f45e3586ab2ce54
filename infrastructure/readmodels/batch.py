"""Batches of the log for projections: all tenants' events by position, bounded in size."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import TupleRow, tuple_row

from agentlog.domain.events import Event
from agentlog.domain.json.beginning import readable
from agentlog.infrastructure.eventlog.blob_store import Contents
from agentlog.infrastructure.eventlog.body_deduplication import Digest, digests_in, files_in
from agentlog.infrastructure.eventlog.thread_heads import event_of
from agentlog.infrastructure.postgres.statements import statement

MOST_BYTES = 16 * 2**20
"""Most bytes of the bodies of a batch, except its first."""

_NO_CONTENTS = Contents({})


@dataclass(frozen=True, slots=True)
class TenantEvent:
    """An event and its tenant."""

    tenant: str
    event: Event


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events by position, and the position they reach; no event up to there is left out.

    `events` has the same events for each of some sizes, with so many bytes of each long text.
    """

    events: Mapping[int, list[TenantEvent]]
    position: int


def read_batch(  # noqa: PLR0913 - one parameter a choice
    connection: psycopg.Connection,
    *,
    after: int,
    upto: int,
    types: Collection[str] | None,
    limit: int,
    sizes: Collection[int],
    tenant: str | None = None,
) -> EventBatch:
    """Return the next events of some types, at most `limit`, none beyond `upto`.

    Of one `tenant`, or of all.

    A text kept apart from its body is as long as `sizes` says, in bytes; a file is empty.
    """
    with connection.cursor(binary=True, row_factory=tuple_row) as cursor:
        # read tenants after the position to complete, so that none can be missing
        tenants = [tenant] if tenant is not None else _tenants(cursor)
        wanted = {
            "after": after,
            "upto": upto,
            "types": None if types is None else sorted(types),
            "limit": limit,
            "most_bytes": MOST_BYTES,
        }
        if len(tenants) == 1:  # most logs: no sort is needed
            query = statement("select_growth"), {**wanted, "tenant": tenants[0]}
        else:
            query = statement("select_growth_of_tenants"), {**wanted, "tenants": tenants}
        rows = cursor.execute(*query).fetchall()
        events = recorded(cursor, rows, sizes=sizes)
    known = events[max(sizes)]
    reached_all = len(known) == len(rows) < limit and _size(known) < MOST_BYTES
    return EventBatch(events, upto if reached_all else known[-1].event.position or after)


def _tenants(cursor: psycopg.Cursor[TupleRow]) -> list[str]:
    return [tenant for (tenant,) in cursor.execute(statement("select_tenants")).fetchall()]


def recorded(
    cursor: psycopg.Cursor[TupleRow], rows: Sequence[TupleRow], *, sizes: Collection[int]
) -> Mapping[int, list[TenantEvent]]:
    """Return the events of rows of the log, with long texts as in `read_batch`.

    Of rows with many long texts only the first, and none without the others of its position.
    """
    cuts: defaultdict[str, list[bytes]] = defaultdict(list)
    for row in rows:
        if row[9] is not None:
            cuts[row[0]].append(row[9])
    longest = max(sizes)
    contents = {
        tenant: _contents(cursor, tenant, digests_in(of_tenant), longest)
        for tenant, of_tenant in cuts.items()
    }
    events: dict[int, list[TenantEvent]] = {size: [] for size in sizes}
    left = MOST_BYTES
    for number, row in enumerate(rows):
        tenant, position, cut = row[0], row[6], row[9]
        if cut is None:
            event = TenantEvent(tenant, event_of(row[1:], _NO_CONTENTS))
            for of_size in events.values():
                of_size.append(event)
            continue
        known = contents[tenant]
        is_full = left <= 0 or None in (known.get(digest, b"") for digest in digests_in([cut]))
        if is_full and number and position != rows[number - 1][6]:
            break
        for size, of_size in events.items():
            of_size.append(
                TenantEvent(tenant, event_of(row[1:], Contents(_texts(cut, known, size))))
            )
        left -= len(events[longest][-1].event.body)
    return events


def _texts(
    cut: bytes, contents: Mapping[Digest, bytes | None], size: int
) -> Mapping[Digest, bytes]:
    """Return the contents of a body's cuts, each as long as `size` says; files are empty."""
    digests, files = digests_in([cut]), files_in(cut)
    if not size:
        return dict.fromkeys(digests, b"")
    texts = digests & contents.keys()
    return {
        text: b"" if text in files else _beginning(contents[text] or b"", size) for text in texts
    }


def _beginning(text: bytes, size: int) -> bytes:
    return text if len(text) < size else readable(text[:size])


def _contents(
    cursor: psycopg.Cursor[TupleRow], tenant: str, digests: Collection[Digest], longest: int
) -> Mapping[Digest, bytes | None]:
    """Return the beginnings of some contents; None for those beyond `MOST_BYTES` of others."""
    if not longest:
        return dict.fromkeys(digests, b"")
    parameters = {
        "tenant": tenant,
        "digests": list(digests),
        "bytes": longest,
        "most_bytes": MOST_BYTES,
    }
    return dict(cursor.execute(statement("select_texts"), parameters).fetchall())


def _size(events: list[TenantEvent]) -> int:
    return sum(len(event.event.body) for event in events)
