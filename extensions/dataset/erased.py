"""Rewrites files of a dataset that still hold erased contents, or are incomplete."""

from bisect import bisect_left
from contextlib import closing
from dataclasses import dataclass

import psycopg

from agentlog.extensions.dataset.event_pages import read_events
from agentlog.extensions.dataset.manifest import EventsFile, rows_path
from agentlog.extensions.dataset.part import PartFile, ahead, last_event, later
from agentlog.extensions.dataset.places.place import Place
from agentlog.extensions.dataset.schema import EVENTS, arrow_schema
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels.catch_up import Progress


@dataclass(frozen=True, slots=True)
class Erased:
    """Threads with erasures by redactions after a position.

    `position` is that of the last redaction up to which all are carried out: an erasure that was
    broken off may be carried out after later ones. Positions stay in a move; numbers of erasures
    are each database's own.
    """

    position: int
    threads: list[str]


def erased_since(connection: psycopg.Connection, tenant: str, *, after: int) -> Erased:
    """Return a tenant's threads with erasures by redactions after the given position."""
    row = connection.execute(
        statement("select_erased_threads"), {"tenant": tenant, "after": after}
    ).fetchone()
    return Erased(after, []) if row is None else Erased(row[0], row[1] or [])


def stale_tables(database: Database, place: Place) -> list[str]:
    """Return the read models whose files may hold contents erased since, or are incomplete."""
    manifest = place.manifest
    with database.connection() as connection:
        return [
            name
            for name, table in manifest.tables.items()
            if erased_since(connection, manifest.tenant, after=table.redacted).threads
            or any(
                rows_path(name, day, file) in place.incomplete for day, file in table.days.items()
            )
        ]


def renew_events(database: Database, place: Place, *, progress: Progress) -> int:
    """Rewrite the files of events that hold erased contents or are incomplete; return how many."""
    manifest = place.manifest
    with database.connection() as connection:
        erased = erased_since(connection, manifest.tenant, after=manifest.redacted)
        parameters = {
            "tenant": manifest.tenant,
            "after": manifest.redacted,
            "last": manifest.position,
        }
        rows = connection.execute(statement("select_erased_positions"), parameters).fetchall()
        redaction = last_event(connection, manifest.tenant, upto=erased.position)
    positions = [position for (position,) in rows]
    stale = [
        file
        for file in manifest.events
        if file.path in place.incomplete or _has_one(file, positions)
    ]
    for number, file in enumerate(stale, 1):
        _renew(database, place, file)
        progress(f"{EVENTS}, again", number, len(stale))
    if erased.position != manifest.redacted:
        # a log without this redaction is another: one in its place would be passed over
        update = {"redacted": erased.position, "last": later(manifest.last, redaction)}
        place.publish(place.manifest.model_copy(update=update))
    return len(stale)


def _has_one(file: EventsFile, positions: list[int]) -> bool:
    place = bisect_left(positions, file.first)
    return place < len(positions) and positions[place] <= file.last


def _renew(database: Database, place: Place, file: EventsFile) -> None:
    """Replace a file by its events as they are now, and its size in the manifest.

    If that breaks off in between, the size in a folder's manifest differs: the next export treats
    the file as incomplete, and writes it again.
    """
    tenant = place.manifest.tenant
    with closing(PartFile(place.partial(), arrow_schema(EVENTS, tenant=tenant))) as part:
        events = read_events(database, tenant=tenant, after=file.first - 1, upto=file.last)
        with closing(ahead(events)) as batches:
            for batch in batches:
                part.write(batch)
        size = part.finish()
        update = {"rows": part.rows, "bytes": size, "name": place.name(file.stem)}
        renewed = file.model_copy(update=update)
        place.add(part.file, renewed.path)
    files = [renewed if event_file == file else event_file for event_file in place.manifest.events]
    place.publish(place.manifest.model_copy(update={"events": files}))
