"""What tests of the log share: an open database, a writer whose clock and ids are known."""

from collections.abc import Iterator

import pytest

from infrastructure.database import Database
from infrastructure.reader import LogReader
from infrastructure.recorder import PostgresRecorder
from infrastructure.store import Store
from infrastructure.writer import Writer
from tests.databases import new_database
from tests.infrastructure.appends import TENANT, Clock, Ids, empty_log


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
def clock() -> Clock:
    """The clock of `writer`, which stands until it is set."""
    return Clock()


@pytest.fixture
def writer(database: Database, clock: Clock) -> Writer:
    """A writer whose ids count from 1."""
    return Writer(database, clock=clock, new_id=Ids())


@pytest.fixture
def reader(database: Database) -> LogReader:
    """A reader of the tests' tenant."""
    return LogReader(database, tenant=TENANT)


@pytest.fixture
def store(reader: LogReader, writer: Writer) -> Store:
    """The store of the tests' tenant."""
    return Store(reader=reader, writer=writer, tenant=TENANT)


@pytest.fixture
def recorder(database: Database) -> PostgresRecorder:
    """The library's side of the same log."""
    return PostgresRecorder(database, tenant=TENANT)
