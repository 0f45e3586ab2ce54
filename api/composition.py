"""The composition root: the one place that wires adapters, from settings to a store."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ulid import ULID

from infrastructure.blobs import Blobs
from infrastructure.database import Database
from infrastructure.embedded import open_embedded
from infrastructure.reader import LogReader
from infrastructure.settings import Settings
from infrastructure.snapshots import Snapshots
from infrastructure.store import Store
from infrastructure.writer import Writer


@dataclass(frozen=True, slots=True)
class Service:
    """What runs: a store over a migrated database, and where that database is."""

    store: Store
    database: Database
    where: str


@contextmanager
def open_service(settings: Settings) -> Iterator[Service]:
    """Open the database that the settings name (or our own), migrate it, and close it at the end.

    Raises:
        AgentlogError: the database cannot be had, with the reason and the way out.
    """
    with (
        _database_url(settings) as (url, where),
        Database(url, pool_size=settings.pool_size) as database,
    ):
        database.migrate()
        yield Service(_store(database, settings), database, where)


@contextmanager
def _database_url(settings: Settings) -> Iterator[tuple[str, str]]:
    if settings.database_url is not None:
        yield settings.database_url, "AGENTLOG_DATABASE_URL"
        return
    with open_embedded(settings.data_dir) as server:
        yield server.url, f"its own PostgreSQL in {settings.data_dir}"


def _store(database: Database, settings: Settings) -> Store:
    tenant = settings.tenant
    return Store(
        reader=LogReader(database, tenant=tenant),
        writer=Writer(database, clock=_milliseconds, new_id=_new_id),
        blobs=Blobs(database, tenant=tenant, most_bytes=settings.max_blob_bytes),
        tenant=tenant,
        snapshots=Snapshots(database, tenant=tenant),
    )


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


def _new_id() -> str:
    return str(ULID())
