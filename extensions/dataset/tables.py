"""Export of read models into a dataset: writes the days whose rows differ from its files."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import date

import psycopg
from psycopg.errors import UndefinedTable
from psycopg.sql import SQL, Identifier

from agentlog.extensions.dataset.erased import erased_since
from agentlog.extensions.dataset.errors import ReadModelsMove
from agentlog.extensions.dataset.manifest import (
    ROWS,
    DatasetManifest,
    DayFile,
    Mark,
    TableFiles,
    day_text,
    rows_path,
)
from agentlog.extensions.dataset.part import PartFile, ahead, last_event, later
from agentlog.extensions.dataset.places.place import Place
from agentlog.extensions.dataset.schema import arrow_schema
from agentlog.extensions.dataset.table_days import DayRows, TableDays
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.log_position import log_position
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.builds import Build
from agentlog.infrastructure.readmodels.catch_up import Progress
from agentlog.infrastructure.readmodels.counted_rows import BESIDE, counted_rows, with_beside
from agentlog.infrastructure.readmodels.projection_status import NewerReadModel
from agentlog.infrastructure.readmodels.tables import SCHEMA
from agentlog.projections.readmodels.registry import read_model

_TRIES = 50
_PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class WrittenTables:
    """Read models of one moment: the log's position then, the days written, and their manifest."""

    position: int
    days: int
    manifest: DatasetManifest


def write_tables(
    database: Database,
    place: Place,
    names: Sequence[str],
    *,
    bring_up: Callable[[int], None],
    progress: Progress,
) -> WrittenTables:
    """Add the changes of read models, all as of one event, for the next publication.

    `bring_up` makes them live and brings them to a position.

    Raises:
        ReadModelsMove: they were replaced meanwhile, or at different positions, again and again.
        NewerReadModel: newer code replaced one.
    """
    position = log_position(database)
    for _ in range(_TRIES):
        bring_up(position)
        with suppress(UndefinedTable), _snapshot(database) as connection:
            live = _live(connection, with_beside(names))
            tenant = place.manifest.tenant
            covered = {last_event(connection, tenant, upto=build.position) for build in live}
            if len(covered) == 1:
                tables = _locked(connection, live)
                written = [build for build in live if build.name in names]
                return _write(connection, place, written, tables, covered.pop(), progress)
            position = max(build.position for build in live)
        time.sleep(_PAUSE_SECONDS)  # until those that are behind have gone on
    raise ReadModelsMove


def _live(connection: psycopg.Connection, names: Sequence[str]) -> list[Build]:
    """Return the live builds; raises `NewerReadModel`."""
    live = {build.name: build for build in builds.builds(connection) if build.state == "live"}
    for name in names:
        if live[name].version != read_model(name).version:
            raise NewerReadModel(name)
    return [live[name] for name in names]


def _locked(connection: psycopg.Connection, live: Sequence[Build]) -> Mapping[str, Identifier]:
    """Keep tables from being dropped; raises `UndefinedTable` where a rebuilt one replaced one."""
    tables = {build.name: Identifier(SCHEMA, f"{build.name}_{build.build}") for build in live}
    names = SQL(", ").join(tables.values())
    connection.execute(SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(names))
    return tables


def _write(  # noqa: PLR0913, PLR0917 - one parameter a part of what is written
    connection: psycopg.Connection,
    place: Place,
    live: Sequence[Build],
    names: Mapping[str, Identifier],
    covered: Mark | None,
    progress: Progress,
) -> WrittenTables:
    """Add the files of `live` tables; `covered` is the last event in their rows."""
    manifest, written = place.manifest, 0
    tables = dict(manifest.tables)
    position = 0 if covered is None else covered.position
    for build in live:
        table = TableDays(
            read_model(build.name).table,
            counted_rows(build.name, names),
            tenant=manifest.tenant,
        )
        tables[build.name], days = _write_table(
            connection, place, build, table, position=position, progress=progress
        )
        written += days
    redacted = max(tables[build.name].redacted for build in live)
    redaction = last_event(connection, manifest.tenant, upto=redacted)
    last = later(later(manifest.last, covered), redaction)
    manifest = manifest.model_copy(update={"tables": tables, "last": last})
    return WrittenTables(live[0].log_position, written, manifest)


@contextmanager
def _snapshot(database: Database) -> Iterator[psycopg.Connection]:
    """Yield a connection whose statements all see one snapshot."""
    with database.connection() as connection, connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        # no timeout: a day is read while its file is written
        connection.execute("SET LOCAL statement_timeout = 0")
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = '10min'")
        # rows are digested as texts, which have times in them
        connection.execute("SET LOCAL TimeZone = 'UTC'")
        connection.execute("SET LOCAL DateStyle = 'ISO'")
        yield connection


def _write_table(  # noqa: PLR0913 - as above
    connection: psycopg.Connection,
    place: Place,
    build: Build,
    table: TableDays,
    *,
    position: int,
    progress: Progress,
) -> tuple[TableFiles, int]:
    """Add the days of a table that differ from the dataset's; return its files, and how many."""
    name, tenant = build.name, place.manifest.tenant
    known = place.manifest.tables.get(name)
    of_this_build = known is not None and (known.version, known.build) == (
        build.version,
        build.build,
    )
    old = {
        day: file
        for day, file in (known.days.items() if known is not None and of_this_build else ())
        if rows_path(name, day, file) not in place.incomplete
    }
    erased = erased_since(connection, tenant, after=0 if known is None else known.redacted)
    # rows that need those of another table are counted anew: that may be another build
    is_alone = name not in BESIDE
    as_before = known is not None and of_this_build and is_alone and known.position == position
    if known is not None and as_before and len(old) == len(known.days) and not erased.threads:
        return known, 0
    days = table.days(connection)
    erased_days = table.days_of(connection, erased.threads) if erased.threads else set()
    changed = {
        day: rows
        for day, rows in days.items()
        if day in erased_days or not _is_same(old.get(day_text(day)), rows)
    }
    files: dict[str, DayFile] = {
        day_text(day): old[day_text(day)] for day in days if day not in changed
    }
    for number, (day, rows) in enumerate(changed.items(), 1):
        files[day_text(day)] = _write_day(connection, place, table, name, day, rows)
        progress(name, number, len(changed))
    written = TableFiles(
        version=build.version,
        build=build.build,
        position=position,
        redacted=erased.position,
        days=dict(sorted(files.items())),
    )
    return written, len(changed)


def _is_same(known: DayFile | None, rows: DayRows) -> bool:
    return known is not None and DayRows(known.rows, known.open, known.digest) == rows


def _write_day(  # noqa: PLR0913, PLR0917 - one parameter a part of its path and contents
    connection: psycopg.Connection,
    place: Place,
    table: TableDays,
    name: str,
    day: date | None,
    rows: DayRows,
) -> DayFile:
    """Add a file of a day's rows."""
    schema = arrow_schema(name, tenant=place.manifest.tenant)
    with closing(PartFile(place.partial(), schema)) as part:
        with closing(ahead(table.rows(connection, day))) as batches:
            for batch in batches:
                part.write(batch)
        size = part.finish()
        file = DayFile(
            rows=part.rows,
            open=rows.open,
            digest=rows.digest,
            bytes=size,
            name=place.name(ROWS),
        )
        place.add(part.file, rows_path(name, day_text(day), file))
    return file
