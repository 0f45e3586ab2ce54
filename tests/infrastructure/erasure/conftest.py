"""What tests of erasure share: a store that keeps snapshots, and what erases from it."""

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.store import Store
from tests.infrastructure.appends import TENANT, Clock, Ids


def store_on(database: Database) -> Store:
    """Return a store of the tests' tenant, without snapshots."""
    return Store(
        reader=LogReader(database, tenant=TENANT),
        writer=Writer(database, clock=Clock(), new_id=Ids()),
        blobs=Blobs(database, tenant=TENANT),
        tenant=TENANT,
    )


def redactor_on(database: Database, store: Store) -> Redactor:
    """Return what erases from it; the store discards its copies."""

    def discard(thread_id: str) -> None:
        store.recent.discard((TENANT, thread_id))

    return Redactor(database, store, Eraser(database), tenant=TENANT, discard=discard)


@pytest.fixture
def store(reader: LogReader, writer: Writer, blobs: Blobs, database: Database) -> Store:
    """A store that keeps snapshots at every fifth version."""
    snapshots = Snapshots(database, tenant=TENANT, key=b"key", interval=5, share=100)
    return Store(reader=reader, writer=writer, blobs=blobs, tenant=TENANT, snapshots=snapshots)


@pytest.fixture
def eraser(database: Database) -> Eraser:
    """Does what redactions say."""
    return Eraser(database)


@pytest.fixture
def redactor(database: Database, store: Store) -> Redactor:
    """Whom the tests ask to erase; its store discards its copies."""
    return redactor_on(database, store)
