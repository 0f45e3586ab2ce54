"""What tests of datasets share: a log with its projections, and both engines that read it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow.parquet as pq

from agentlog.extensions.dataset.export import TABLES, Exported, export_dataset
from agentlog.extensions.dataset.manifest import NAME, DatasetManifest
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.readmodels.projection_status import ProjectionStatus
from agentlog.projections.readmodels.registry import PUBLIC_READ_MODELS
from tests.infrastructure.appends import TENANT, fetch

TABLE_FIELDS = {
    name: [(column.name, column.type) for column in model.table.columns]
    for name, model in PUBLIC_READ_MODELS.items()
}


def export(
    database: Database,
    where: str,
    *,
    tenant: str = TENANT,
    tables: Sequence[str] = TABLES,
    grace_seconds: float = 0,
) -> Exported:
    """Export a database to a folder or bucket."""
    with Listener(database, poll_seconds=0.05) as listener:
        return export_dataset(
            database,
            ProjectionStatus(database, listener),
            where,
            tenant=tenant,
            tables=tables,
            grace_seconds=grace_seconds,
        )


@dataclass(frozen=True, slots=True)
class Exporter:
    """Exports a database to a folder."""

    database: Database
    folder: Path
    tenant: str = TENANT

    def __call__(self, tables: Sequence[str] = TABLES) -> Exported:
        return export(self.database, str(self.folder), tenant=self.tenant, tables=tables)

    @property
    def manifest(self) -> DatasetManifest:
        return DatasetManifest.model_validate_json((self.folder / NAME).read_bytes())


def duck(folder: Path) -> duckdb.DuckDBPyConnection:
    """Return DuckDB with a view of each table that has files."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for name in TABLES:
        if any((folder / name).glob("*/*.parquet")):
            connection.execute(
                f"CREATE VIEW {name} AS SELECT * FROM "  # noqa: S608 - tables' own names
                f"read_parquet('{folder}/{name}/*/*.parquet', hive_partitioning = true)"
            )
    return connection


def rows_in_files(folder: Path, name: str) -> list[tuple[Any, ...]]:
    """Return the rows of a read model as DuckDB reads them, by key; times in microseconds."""
    if not any((folder / name).glob("*/*.parquet")):
        return []
    columns = ", ".join(
        f"epoch_us({column})" if kind == "timestamptz" else column
        for column, kind in TABLE_FIELDS[name]
    )
    keys = ", ".join(PUBLIC_READ_MODELS[name].table.key)
    with duck(folder) as connection:
        return connection.sql(f"SELECT {columns} FROM {name} ORDER BY {keys}").fetchall()  # noqa: S608 - as above


def all_rows(folder: Path) -> str:
    """Return all that any file of a dataset says."""
    files = sorted(folder.glob("*/day=*/*.parquet"))
    return repr([pq.read_table(path, partitioning=None).to_pylist() for path in files])


def rows_in_database(database: Database, name: str, *, tenant: str = TENANT) -> list[Any]:
    """Return the same rows as SQL reads them in PostgreSQL."""
    columns = ", ".join(
        f"(extract(epoch FROM {column}) * 1000000)::bigint" if kind == "timestamptz" else column
        for column, kind in TABLE_FIELDS[name]
    )
    keys = ", ".join(PUBLIC_READ_MODELS[name].table.key)
    with database.connection() as connection, connection.transaction():
        connection.execute("SELECT set_config('agentlog.tenant', %s, true)", (tenant,))
        query = f"SELECT {columns} FROM agentlog_analytics.{name} ORDER BY {keys}"  # noqa: S608 - as above
        return connection.execute(query.encode()).fetchall()


def events_in_files(folder: Path) -> list[tuple[Any, ...]]:
    """Return the events as DuckDB reads them, by position: places, times, contents."""
    if not any((folder / "events").glob("*/*.parquet")):
        return []
    with duck(folder) as connection:
        return connection.sql(
            "SELECT position, thread_id, version, type, message_id, epoch_us(recorded_at), "
            "coalesce(encode(body), body_bytes), body_sha256, chain, encode(metadata), day::text "
            "FROM events ORDER BY position"
        ).fetchall()


def events_in_database(
    database: Database, *, upto: int = 2**62, tenant: str = TENANT
) -> list[tuple[Any, ...]]:
    """Return the same as SQL reads them in PostgreSQL."""
    return fetch(
        database,
        "SELECT position, thread_id, version, type, message_id, "
        "(extract(epoch FROM recorded_at) * 1000000)::bigint, "
        "agentlog.body_of(tenant, body, cuts), body_sha256, chain, metadata, "
        "(recorded_at AT TIME ZONE 'UTC')::date::text "
        "FROM agentlog.events WHERE tenant = %s AND position <= %s ORDER BY position",
        tenant,
        upto,
    )


def check_equal(exporter: Exporter) -> None:
    """Compare every row of a dataset with the database, and its files with its manifest."""
    database, folder = exporter.database, exporter.folder
    assert events_in_files(folder) == events_in_database(database, tenant=exporter.tenant)
    for name in PUBLIC_READ_MODELS:
        expected = rows_in_database(database, name, tenant=exporter.tenant)
        assert rows_in_files(folder, name) == expected
    check_files(exporter)


def check_files(exporter: Exporter) -> None:
    """See that the files are those of the manifest, each whole, and nothing else is there."""
    folder = exporter.folder
    sizes = {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and path.parent != folder
    }
    assert sizes == exporter.manifest.files()


def spread_over_days(database: Database, *, events_a_day: int) -> None:
    """Have the events recorded on many days; before read models are made of them."""
    with database.connection() as connection, connection.transaction():
        connection.execute("ALTER TABLE agentlog.events DISABLE TRIGGER USER")
        connection.execute(
            "UPDATE agentlog.events SET recorded_at = '2026-03-01T22:00:00Z'::timestamptz "
            "+ position / %s * interval '1 day' + position * interval '1 second'",
            (events_a_day,),
        )
        connection.execute("ALTER TABLE agentlog.events ENABLE TRIGGER USER")


def in_both(folder: Path, url: str, query: str, *, tenant: str) -> tuple[Any, Any]:
    """Return what one query gives in DuckDB and, over the analysts' views, in PostgreSQL."""
    with duck(folder) as connection:
        ours = connection.sql(query).fetchall()
    with psycopg.connect(url) as connection_:
        connection_.execute("SELECT set_config('agentlog.tenant', %s, true)", (tenant,))
        connection_.execute("SET LOCAL search_path = agentlog_analytics")
        theirs = connection_.execute(query.encode()).fetchall()
    return ours, theirs
