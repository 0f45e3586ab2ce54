"""Export of read models into a dataset: writes the days whose rows differ from its files."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date

import psycopg
from psycopg.errors import UndefinedTable

from agentlog.infrastructure.dataset.ahead import ahead
from agentlog.infrastructure.dataset.erased import erased_since
from agentlog.infrastructure.dataset.errors import ReadModelsMove
from agentlog.infrastructure.dataset.manifest import (
    ROWS,
    DayFile,
    TableFiles,
    day_text,
    rows_path,
)
from agentlog.infrastructure.dataset.marks import last_event, later
from agentlog.infrastructure.dataset.part import PartFile
from agentlog.infrastructure.dataset.places.place import Place
from agentlog.infrastructure.dataset.schema import arrow_schema
from agentlog.infrastructure.dataset.table_days import DayRows, TableDays
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.builds import Build
from agentlog.infrastructure.readmodels.catch_up import Progress
from agentlog.infrastructure.readmodels.projection_status import NewerReadModel
from agentlog.projections.readmodels.registry import read_model

_TRIES = 5


def export_tables(
    database: Database, place: Place, names: Sequence[str], *, progress: Progress
) -> tuple[int, int]:
    """Write the changes of read models, all as of one moment; each has to be live.

    Return the position of the log at that moment, and how many days were written.

    Raises:
        ReadModelsMove: they were replaced meanwhile, again and again.
        NewerReadModel: newer code replaced one.
    """
    written = 0
    for _ in range(_TRIES):
        try:
            with _snapshot(database) as connection:
                live = {build.name: build for build in builds.builds(connection) if _is_live(build)}
                position = live[names[0]].log_position
                for name in names:
                    if live[name].version != read_model(name).version:
                        raise NewerReadModel(name)
                    written += _export_table(connection, place, live[name], progress)
                return position, written
        except UndefinedTable:  # a rebuilt one replaced it after its build was read
            continue
    raise ReadModelsMove


def _is_live(build: Build) -> bool:
    return build.state == "live"


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


def _export_table(
    connection: psycopg.Connection, place: Place, build: Build, progress: Progress
) -> int:
    """Write the days of a table that differ from the dataset's; return how many."""
    name, tenant = build.name, place.manifest.tenant
    known = place.manifest.tables.get(name)
    of_this_build = known is not None and (known.version, known.build) == (
        build.version,
        build.build,
    )
    old = known.days if known is not None and of_this_build else {}
    erased = erased_since(connection, tenant, after=0 if known is None else known.redacted)
    covered = last_event(connection, tenant, upto=build.position)
    position = 0 if covered is None else covered.position
    as_before = known is not None and of_this_build and known.position == position
    if as_before and not erased.threads:
        return 0
    table = TableDays(read_model(name).table, build.build, tenant=tenant)
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
    tables = {
        **place.manifest.tables,
        name: TableFiles(
            version=build.version,
            build=build.build,
            position=position,
            redacted=erased.position,
            days=dict(sorted(files.items())),
        ),
    }
    redaction = last_event(connection, tenant, upto=erased.position)
    last = later(later(place.manifest.last, covered), redaction)
    place.publish(place.manifest.model_copy(update={"tables": tables, "last": last}))
    return len(changed)


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
