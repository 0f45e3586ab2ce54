"""What tests of HTTP share: the application over a fresh log, and a client of it."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from secrets import randbits, token_bytes
from tempfile import mkdtemp

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from structlog.typing import FilteringBoundLogger

from agentlog.api.composition import Service
from agentlog.api.http.app import create_app
from agentlog.api.http.middleware.authentication import AnonymousFrom, Entrance
from agentlog.api.http.request.limits import USUAL, RequestLimits
from agentlog.api.http.streaming.subscribers import Followers, TenantFollowers
from agentlog.domain.identifiers import Ulids
from agentlog.infrastructure.analysts.login import Login
from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.keys.accesses import Accesses
from agentlog.infrastructure.keys.cache import RecentKeys
from agentlog.infrastructure.keys.keys import Keys
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.settings import Settings
from agentlog.infrastructure.tenants import Tenants
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from agentlog.infrastructure.webhooks.addresses import PUBLIC, Addresses
from tests.api.refusals import Refusals
from tests.infrastructure.analysts import logins
from tests.infrastructure.appends import TENANT, Clock, Ids

MAX_BODY_BYTES = 16 * 2**20
MAX_BLOB_BYTES = 5 * 2**20
MAX_IMPORT_BYTES, MAX_IMPORT_FILE_BYTES = 64 * 2**20, 32 * 2**20
ALLOWED_HOSTS = frozenset({"testserver", "here", "there", "logs.example"})


def threads_over(database: Database, *, tenant: str = TENANT) -> Threads:
    """Return the tests' threads."""
    writer = Writer(database, clock=Clock(), new_id=Ids())
    return Threads(
        reader=LogReader(database, tenant=tenant),
        writer=writer,
        blobs=Blobs(database, tenant=tenant),
        tenant=tenant,
    )


def entrance_over(
    database: Database,
    listener: Listener,
    *,
    anonymous: AnonymousFrom = "anywhere",
    audited: bool = False,
) -> Entrance:
    """Return the tests' entrance; it has looked whether there is a key, as `serve` has."""
    keys = Keys(database, random_bytes=token_bytes, clock=lambda: datetime.now(UTC))
    recent = RecentKeys(keys, listener, ticks=time.monotonic)
    recent.look_made()
    return Entrance(recent, Accesses(database), anonymous, ALLOWED_HOSTS, audited)


def app_over(  # noqa: PLR0913 - what tests set
    database: Database,
    threads: Threads,
    *,
    limits: RequestLimits = USUAL,
    addresses: Addresses = PUBLIC,
    gateway_url: str | None = None,
    access_log: FilteringBoundLogger | None = None,
    anonymous: AnonymousFrom = "anywhere",
    audited: bool = False,
    login_of: Callable[[str], Login] | None = None,
    **settings: int,
) -> FastAPI:
    """Return an application over a database; it appends as these threads do."""
    listener = Listener(database, poll_seconds=0.25)
    tenants = Tenants(
        Settings(
            database_url="postgresql:///given",  # has no signing key of its own
            data_dir=Path(mkdtemp(prefix="data-")),
            max_import_bytes=MAX_IMPORT_BYTES,
            max_import_file_bytes=MAX_IMPORT_FILE_BYTES,
            tenant=TENANT,
            **settings,
        ),
        database,
        listener,
        threads.writer,
        clock=wall_clock,
        new_id=Ulids(wall_clock, randbits),
        login_of=login_of or partial(logins.login_of, database),
    )
    service = Service(tenants, url="", where="", schema="")

    return create_app(
        tenants,
        database,
        own=TENANT,
        entrance=entrance_over(database, listener, anonymous=anonymous, audited=audited),
        projection_status=service.projection_status,
        writer=service.writer,
        max_body_bytes=MAX_BODY_BYTES,
        max_blob_bytes=MAX_BLOB_BYTES,
        limits=limits,
        addresses=addresses,
        gateway_url=gateway_url,
        access_log=access_log,
    )


def following_of(app: FastAPI) -> TenantFollowers:
    """Return all who follow the tests' log over an application."""
    followings: Followers = app.state.followings
    return followings.of(TENANT)


def end_following(app: FastAPI) -> None:
    """Stop the hub of an application and its listener, in case that anybody followed."""
    tenants: Tenants = app.state.tenants
    tenants.close()
    app.state.projection_status.listener.close()


@pytest.fixture
def threads(database: Database) -> Threads:
    """The threads that the application serves."""
    return threads_over(database)


@pytest.fixture
def views(app: FastAPI) -> Views:
    """The views that the application serves."""
    tenants: Tenants = app.state.tenants
    return tenants[TENANT].views


@pytest.fixture
def app(database: Database, threads: Threads) -> Iterator[FastAPI]:
    """The application."""
    app = app_over(database, threads)
    yield app
    end_following(app)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    """A client in this process; what the application does not catch is raised."""
    with TestClient(app) as opened:  # one event loop for all its requests
        yield opened


@pytest.fixture
def refusals(client: TestClient, database: Database) -> Refusals:
    """Asks for what is refused, and sees that nothing is written."""
    return Refusals(client, database)
