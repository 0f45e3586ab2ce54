"""What tests of snapshots start from."""

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from tests.infrastructure.views.snapshots.kept import change, filled


@pytest.fixture
def database(database: Database) -> Database:
    """An open, migrated database with nothing in it, and no snapshots."""
    change(database, "TRUNCATE agentlog.snapshots")
    return database


@pytest.fixture
def views(database: Database, threads: Threads) -> Views:
    """Views with a snapshot every ten versions, of the thread `t` of 35 thoughts and turns."""
    return filled(database, threads)
