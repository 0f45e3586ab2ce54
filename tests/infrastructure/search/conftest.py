"""What tests of search share: a store on a database of its own, and a search over it."""

from collections.abc import Callable

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.search.search import Search
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.message_words import MessageWords
from tests.infrastructure.appends import TENANT, Clock, Ids
from tests.infrastructure.erasure.conftest import threads_on
from tests.infrastructure.readmodels.tables import catch_up


@pytest.fixture
def database(database_with_tables: Database) -> Database:
    """Read models are filled in it."""
    return database_with_tables


@pytest.fixture
def writer(database: Database) -> Writer:
    return Writer(database, clock=Clock(), new_id=Ids())


@pytest.fixture
def threads(database: Database) -> Threads:
    return threads_on(database)


@pytest.fixture
def search(database: Database) -> Search:
    """Search for the tests' tenant, confined as the service's."""
    return search_on(database)


@pytest.fixture
def indexed(database: Database) -> Callable[[], None]:
    """Brings the index up to the log."""
    return lambda: catch_up(database, MessageWords(), most_events=500)


def search_on(database: Database, *, tenant: str = TENANT) -> Search:
    """Return the search of a tenant."""
    return Search(database, tenant=tenant, searched=database)
