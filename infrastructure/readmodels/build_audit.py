"""Compares builds of read models with the log: tables, tracked positions, and rows by thread."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import psycopg

from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels.build_rows import (
    delete_rows,
    rows_of_thread,
    threads_without_head,
)
from agentlog.infrastructure.readmodels.projection import Projection
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

    def differing(self, tenant: str, thread_id: str) -> Iterator[tuple[str, str]]:
        """Yield read model and table of each build whose rows of a thread differ from fresh ones.

        Writes the fresh rows: the caller rolls the transaction back.
        """
        for build in self.builds:
            before = rows_of_thread(self.connection, build.table, tenant, thread_id)
            delete_rows(self.connection, build.table, tenant, thread_id)
            Projection(build.model, build.build).renew_thread(self.connection, tenant, thread_id)
            if before != rows_of_thread(self.connection, build.table, tenant, thread_id):
                yield build.model.name, build.table
