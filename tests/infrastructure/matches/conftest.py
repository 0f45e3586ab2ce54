"""What tests of matches share: threads in a database with the tables of read models."""

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.erasure.conftest import threads_on


@pytest.fixture
def database(database_with_tables: Database) -> Database:
    """The search beside it needs them."""
    return database_with_tables


@pytest.fixture
def threads(database: Database) -> Threads:
    return threads_on(database)
