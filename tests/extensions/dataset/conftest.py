"""A store of the tests' tenant on a database with projections of its own, and its export."""

from pathlib import Path

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.extensions.dataset.datasets import Exporter
from tests.infrastructure.appends import TENANT, Clock, Ids


@pytest.fixture
def threads(own_database: Database) -> Threads:
    """The store of the tests' tenant."""
    return threads_on(own_database, TENANT)


@pytest.fixture
def exporter(own_database: Database, tmp_path: Path) -> Exporter:
    """What exports that tenant's log."""
    return Exporter(own_database, tmp_path / "dataset")


def threads_on(database: Database, tenant: str) -> Threads:
    """Return the store of a tenant."""
    return Threads(
        reader=LogReader(database, tenant=tenant),
        writer=Writer(database, clock=Clock(), new_id=Ids()),
        blobs=Blobs(database, tenant=tenant),
        tenant=tenant,
    )
