"""What tests of HTTP share: the application over a fresh log, and a client of it."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.http.app import create_app
from infrastructure.analysts.analyst import Analyst
from infrastructure.audit.proofs import Proofs
from infrastructure.audit.signing import SigningKey
from infrastructure.blobs import Blobs
from infrastructure.database import Database
from infrastructure.following import Hub
from infrastructure.listening import Listener
from infrastructure.reader import LogReader
from infrastructure.readmodels.standings import Standings
from infrastructure.reports.reports import Reports
from infrastructure.store import Store
from infrastructure.writer import Writer
from tests.api.refusals import Refusals
from tests.infrastructure.analysts.logins import login_of
from tests.infrastructure.appends import TENANT, Clock, Ids

MAX_BODY_BYTES = 16 * 2**20
MAX_BLOB_BYTES = 5 * 2**20


def store_over(database: Database) -> Store:
    """Return the tests' store."""
    writer = Writer(database, clock=Clock(), new_id=Ids())
    return Store(
        reader=LogReader(database, tenant=TENANT),
        writer=writer,
        blobs=Blobs(database, tenant=TENANT),
        tenant=TENANT,
    )


def app_over(database: Database, store: Store) -> FastAPI:
    """Return an application over a store."""
    hub = hub_over(database)
    return create_app(
        store,
        database,
        hub=hub,
        standings=Standings(database, hub._listener),
        analyst=Analyst(login_of(database, TENANT), tenant=TENANT),
        reports=Reports(database, tenant=TENANT),
        proofs=Proofs.over(database, tenant=TENANT, key=SigningKey(None)),
        max_body_bytes=MAX_BODY_BYTES,
        max_blob_bytes=MAX_BLOB_BYTES,
    )


def hub_over(database: Database) -> Hub:
    """Return the tests' hub, with a listener of its own; neither has started."""
    return Hub(LogReader(database, tenant=TENANT), Listener(database, poll_seconds=0.25))


def end_following(app: FastAPI) -> None:
    """Stop the hub of an application and its listener, in case that anybody followed."""
    hub: Hub = app.state.following.hub
    hub.close()
    hub._listener.close()


@pytest.fixture
def store(database: Database) -> Store:
    """The store that the application serves."""
    return store_over(database)


@pytest.fixture
def app(database: Database, store: Store) -> Iterator[FastAPI]:
    """The application."""
    app = app_over(database, store)
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
