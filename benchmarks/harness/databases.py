"""Databases to measure on: durable as by default, one of its own for each measurement."""

import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from agentlog.api.composition import Service, open_service
from agentlog.infrastructure.embedded import open_embedded
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projection import Projection, StepResult
from agentlog.infrastructure.settings import Settings
from agentlog.projections.readmodels.registry import AnyReadModel


@contextmanager
def server_url(given: str | None, folder: Path) -> Iterator[str]:
    """Yield the URL of the server that was given, or of one that runs in `folder` meanwhile."""
    with ExitStack() as stack:
        yield given or stack.enter_context(open_embedded(folder)).url


@contextmanager
def new_database(server: str) -> Iterator[str]:
    """Yield the URL of a new, empty database, which is gone afterwards."""
    name = f"agentlog_bench_{uuid.uuid4().hex}"
    _run(server, sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield make_conninfo(server, dbname=name)
    finally:
        _run(server, sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def store_on(url: str) -> Iterator[Service]:
    """Yield the service, in this process, on a database."""
    with open_service(Settings(database_url=url)) as service:
        yield service


@contextmanager
def connected(url: str) -> Iterator[psycopg.Connection]:
    """Yield a connection in autocommit mode."""
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def fill_read_models(url: str, models: Iterable[AnyReadModel]) -> None:
    """Build read models up to the end of the log."""
    with Database(url, pool_size=1) as database, database.connect() as connection:
        for model in models:
            (build,) = builds.at_work(connection, model)
            while Projection(model, build).step(connection) is StepResult.MORE:
                pass


def rebuild_read_model(url: str, model: AnyReadModel) -> None:
    """Build a read model anew, beside the one that is live, until it replaces that."""
    with Database(url, pool_size=1) as database, database.connect() as connection:
        builds.at_work(connection, model)
        builds.begin(connection, model)
        rebuilt = builds.at_work(connection, model)[-1]
        while Projection(model, rebuilt).step(connection) is StepResult.MORE:
            pass


def _run(server: str, statement: sql.Composed) -> None:
    with connected(server) as connection:
        connection.execute(statement)
