"""Compares builds of read models with the log: tables, tracked positions, and rows by thread."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import psycopg
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Identifier, Literal

from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels.builds import AnyTable
from agentlog.infrastructure.readmodels.builds import builds as builds_of
from agentlog.infrastructure.readmodels.counted_rows import counted_rows
from agentlog.infrastructure.readmodels.projection import Projection
from agentlog.infrastructure.readmodels.tables import SCHEMA, TEMPORARY, BuildTable
from agentlog.projections.readmodels.registry import READ_MODELS, AnyReadModel


@dataclass(frozen=True, slots=True)
class _Build:
    model: AnyReadModel
    build: int

    @property
    def table(self) -> str:
        return f"{self.model.name}_{self.build}"


@dataclass(frozen=True, slots=True)
class BuildAudit:
    """The builds, locked until the transaction ends.

    `missing` are those whose table is not there, and `unknown` the tables that this code cannot
    fill: of other versions, or of no build.
    """

    connection: psycopg.Connection
    builds: tuple[_Build, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]

    @classmethod
    def begin(cls, connection: psycopg.Connection) -> Self:
        """Lock the builds in the current transaction, so that none of them moves or goes."""
        connection.execute(statement("lock_builds"))
        builds: list[_Build] = []
        missing: list[str] = []
        unknown: list[str] = []
        for name, build, version, table in connection.execute(statement("select_build_tables")):
            model = READ_MODELS.get(name)
            if table is None:
                missing.append(f"{name}_{build}")
            elif model is None or model.version != version:
                unknown.append(table)
            else:
                builds.append(_Build(model, build))
        return cls(connection, tuple(builds), tuple(missing), tuple(unknown))

    def ahead(self) -> list[tuple[str, int, int]]:
        """Return readers that are tracked beyond the log's end: name, position, the log's."""
        return self.connection.execute(statement("select_tracking_ahead")).fetchall()

    def left_out(self) -> Iterator[tuple[str, int, bool]]:
        """Yield what is tracked as left out: name, up to which position, whether a build may."""
        for name, position, of in self.connection.execute(statement("select_left_out")):
            model = READ_MODELS.get(of)
            yield name, position, model is not None and model.begins_late

    def stray_threads(self, tenant: str) -> Iterator[tuple[str, str]]:
        """Yield each build's table with the threads in it that the log does not have."""
        for build in self.builds:
            for thread_id in threads_without_head(self.connection, build.table, tenant):
                yield build.table, thread_id

    def make_temporary(self) -> None:
        """Create temporary tables of the session beside the builds', where there are none yet."""
        known = self.connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()"
        ).fetchall()
        for build in self.builds:
            if (build.table,) not in known:
                table: AnyTable = BuildTable(build.model.table, build.build, audited="")
                table.create(self.connection)

    def show_temporary(self) -> None:
        """Create the indexes and analysts' views of the temporary tables, as of their builds."""
        states = {(build.name, build.build): build.state for build in builds_of(self.connection)}
        tables: dict[str, AnyTable] = {}
        for build in self.builds:
            table: AnyTable = BuildTable(build.model.table, build.build, audited="")
            table.index(self.connection)
            if states[build.model.name, build.build] == "live":
                tables[build.model.name] = table
        names = {name: table.name for name, table in tables.items()}
        for name, table in tables.items():
            table.show(self.connection, counted_rows(name, names))

    def differing(self, tenant: str, thread_id: str) -> Iterator[tuple[str, str]]:
        """Yield read model and table of each build whose rows of a thread differ from fresh ones.

        Fresh ones are written to the temporary tables: the caller rolls them back.
        """
        for build in self.builds:
            fresh = Projection(build.model, build.build, audited=thread_id)
            fresh.renew_thread(self.connection, tenant, thread_id)
            rows = [
                rows_of_thread(self.connection, build.table, tenant, thread_id, schema=schema)
                for schema in (SCHEMA, TEMPORARY)
            ]
            if rows[0] != rows[1]:
                yield build.model.name, build.table


def columns_of(connection: psycopg.Connection, bare_name: str) -> list[str]:
    """Return the columns of a build's table, in their order."""
    rows = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) "
        "AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        (f"{SCHEMA}.{bare_name}",),
    ).fetchall()
    return [name for (name,) in rows]


def rows_of_thread(
    connection: psycopg.Connection,
    bare_name: str,
    tenant: str,
    thread_id: str,
    *,
    schema: str = SCHEMA,
) -> list[TupleRow]:
    """Return a thread's rows in a build's table as text, which any value has, in its order."""
    name = Identifier(schema, bare_name)
    return connection.execute(
        SQL(
            "SELECT kept::text FROM {name} AS kept "
            "WHERE tenant = %s AND thread_id = %s ORDER BY kept::text"
        ).format(name=name),
        (tenant, thread_id),
        prepare=False,
    ).fetchall()


def threads_without_head(connection: psycopg.Connection, bare_name: str, tenant: str) -> list[str]:
    """Return the threads of a build's rows that the log does not have."""
    rows = connection.execute(
        SQL(
            "SELECT DISTINCT thread_id FROM {name} AS kept WHERE tenant = %s AND NOT EXISTS ("
            "SELECT FROM agentlog.threads AS head "
            "WHERE (head.tenant, head.thread_id) = (kept.tenant, kept.thread_id)"
            ") ORDER BY thread_id"
        ).format(name=Identifier(SCHEMA, bare_name)),
        (tenant,),
        prepare=False,
    ).fetchall()
    return [thread_id for (thread_id,) in rows]


def delete_rows(
    connection: psycopg.Connection, bare_name: str, tenant: str, thread_id: str | None = None
) -> None:
    """Delete a thread's rows, or a tenant's, from a build's table, whatever its columns."""
    one = SQL("") if thread_id is None else SQL(" AND thread_id = {}").format(Literal(thread_id))
    connection.execute(
        SQL("DELETE FROM {name} WHERE tenant = {tenant}{one}").format(
            name=Identifier(SCHEMA, bare_name), tenant=Literal(tenant), one=one
        ),
        prepare=False,
    )
