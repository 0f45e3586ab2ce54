"""The composition root: the one place that wires adapters, from settings to a store."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ulid import ULID

from infrastructure.analysts.analyst import Analyst
from infrastructure.analysts.login import given_login, own_login
from infrastructure.audit.proofs import Proofs
from infrastructure.audit.signing import FILE_NAME, SigningKey
from infrastructure.blobs import Blobs
from infrastructure.database import Database
from infrastructure.embedded import open_embedded
from infrastructure.following import Hub
from infrastructure.listening import Listener
from infrastructure.meters import Commit, WriterMeters
from infrastructure.reader import LogReader
from infrastructure.readmodels.standings import Standings
from infrastructure.reports.reports import Reports
from infrastructure.settings import Settings
from infrastructure.snapshots import Snapshots
from infrastructure.store import Store
from infrastructure.writer import Writer


@dataclass(frozen=True, slots=True)
class Service:
    """What runs: a store over a migrated database, and where that database is.

    `url` is of the database, for other processes; `where` says it to people. `listener` and `hub`
    start when they are first asked for something.
    """

    store: Store
    database: Database
    listener: Listener
    hub: Hub
    standings: Standings
    analyst: Analyst
    reports: Reports
    proofs: Proofs
    url: str
    where: str


@contextmanager
def open_service(
    settings: Settings, *, on_commit: Callable[[Commit], None] | None = None
) -> Iterator[Service]:
    """Open the database that the settings name (or our own), migrate it, and close it at the end.

    `on_commit` is told of each commit of events.

    Raises:
        AgentlogError: the database cannot be had, with the reason and the way out.
    """
    with (
        _database_url(settings) as (url, where),
        Database(url, pool_size=settings.pool_size) as database,
        Listener(database) as listener,
        Hub(LogReader(database, tenant=settings.tenant), listener) as hub,
    ):
        database.migrate()
        store = _store(database, settings, WriterMeters(on_commit))
        standings = Standings(database, listener)
        analyst = _analyst(database, url, settings)
        reports = Reports(database, tenant=settings.tenant)
        proofs = Proofs.over(database, tenant=settings.tenant, key=_signing_key(settings))
        yield Service(
            store, database, listener, hub, standings, analyst, reports, proofs, url, where
        )


@contextmanager
def _database_url(settings: Settings) -> Iterator[tuple[str, str]]:
    if settings.database_url is not None:
        yield settings.database_url, "AGENTLOG_DATABASE_URL"
        return
    with open_embedded(settings.data_dir) as server:
        yield server.url, f"its own PostgreSQL in {settings.data_dir}"


def _store(database: Database, settings: Settings, meters: WriterMeters) -> Store:
    tenant = settings.tenant
    return Store(
        reader=LogReader(database, tenant=tenant),
        writer=Writer(database, clock=_milliseconds, new_id=_new_id, meters=meters),
        blobs=Blobs(database, tenant=tenant, most_bytes=settings.max_blob_bytes),
        tenant=tenant,
        snapshots=Snapshots(database, tenant=tenant),
    )


def _analyst(database: Database, url: str, settings: Settings) -> Analyst:
    ours = settings.database_url is None and settings.analyst_url is None
    return Analyst(
        own_login(database, url, tenant=settings.tenant)
        if ours
        else given_login(settings.analyst_url),
        tenant=settings.tenant,
        most_queries=settings.analyst_queries,
        most_seconds=settings.analyst_seconds,
    )


def _signing_key(settings: Settings) -> SigningKey:
    if settings.signing_key is not None or settings.database_url is not None:
        return SigningKey(settings.signing_key)
    return SigningKey(settings.data_dir / FILE_NAME, made=True)


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


def _new_id() -> str:
    return str(ULID())
