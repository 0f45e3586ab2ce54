"""What tests of read models share."""

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import Clock, Ids


@pytest.fixture
def database(own_database: Database) -> Database:
    """Tables of projections are made in it."""
    return own_database


@pytest.fixture
def writer(database: Database) -> Writer:
    return Writer(database, clock=Clock(), new_id=Ids())
