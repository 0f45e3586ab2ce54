"""What tests of HTTP share: the application over a fresh database, and a client of it."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.http.app import create_app
from infrastructure.database import Database
from infrastructure.reader import LogReader
from infrastructure.store import Store
from infrastructure.writer import Writer
from tests.api.refusals import Refusals
from tests.infrastructure.appends import TENANT, Clock, Ids

MAX_BODY_BYTES = 16 * 2**20


def store_over(database: Database) -> Store:
    """Return the tests' store."""
    writer = Writer(database, clock=Clock(), new_id=Ids())
    return Store(reader=LogReader(database, tenant=TENANT), writer=writer, tenant=TENANT)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An open, migrated database."""
    with Database(database_url, pool_size=4) as opened:
        yield opened


@pytest.fixture
def store(database: Database) -> Store:
    """The store that the application serves."""
    return store_over(database)


@pytest.fixture
def app(store: Store, database: Database) -> FastAPI:
    """The application."""
    return create_app(store, database, max_body_bytes=MAX_BODY_BYTES)


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    """A client in this process; what the application does not catch is raised."""
    return TestClient(app)


@pytest.fixture
def refusals(client: TestClient, database: Database) -> Refusals:
    """Asks for what is refused, and sees that nothing is written."""
    return Refusals(client, database)
