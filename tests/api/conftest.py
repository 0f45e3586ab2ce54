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
from tests.databases import new_database
from tests.infrastructure.appends import TENANT, Clock, Ids, empty_log

MAX_BODY_BYTES = 16 * 2**20


def store_over(database: Database) -> Store:
    """Return the tests' store."""
    writer = Writer(database, clock=Clock(), new_id=Ids())
    return Store(reader=LogReader(database, tenant=TENANT), writer=writer, tenant=TENANT)


@pytest.fixture(scope="session")
def shared_database_url(server_url: str, template_database: str) -> Iterator[str]:
    """A migrated database for all tests that leave its schema as it is."""
    with new_database(server_url, template=template_database) as url:
        yield url


@pytest.fixture
def own_database(database_url: str) -> Iterator[Database]:
    """An open, migrated database for one test alone."""
    with Database(database_url, pool_size=4) as opened:
        yield opened


@pytest.fixture
def database(shared_database_url: str) -> Iterator[Database]:
    """An open, migrated database with nothing in it."""
    with Database(shared_database_url, pool_size=4) as opened:
        empty_log(opened)
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
