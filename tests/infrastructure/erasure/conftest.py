"""What tests of erasure share: threads, their views with snapshots, and what erases them."""

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from tests.infrastructure.appends import TENANT, Clock, Ids, fetch


def threads_on(database: Database) -> Threads:
    """Return the threads of the tests' tenant."""
    return Threads(
        reader=LogReader(database, tenant=TENANT),
        writer=Writer(database, clock=Clock(), new_id=Ids()),
        blobs=Blobs(database, tenant=TENANT),
        tenant=TENANT,
    )


def redactor_on(database: Database, threads: Threads, views: Views | None = None) -> Redactor:
    """Return what erases from them; the views discard their copies."""

    def discard(thread_id: str) -> None:
        if views is not None:
            views.recent.discard((TENANT, thread_id))

    return Redactor(
        database, threads, Eraser(database, threads.writer), tenant=TENANT, discard=discard
    )


def everything(database: Database) -> str:
    """Return all rows of all tables as text; what was cut out and encoded included."""
    tables = fetch(
        database,
        "SELECT format('%%I.%%I', schemaname, tablename) FROM pg_tables "
        "WHERE schemaname LIKE 'agentlog%%'",
    )
    texts = []
    for (table,) in tables:
        rows = fetch(database, f"SELECT * FROM {table}")  # noqa: S608 - our own
        texts += [repr(row) for row in rows]
    return "\n".join(texts)


@pytest.fixture
def views(reader: LogReader, database: Database) -> Views:
    """Views with snapshots at every fifth version."""
    snapshots = Snapshots(database, tenant=TENANT, key=b"key", interval=5, share=100)
    return Views(reader, tenant=TENANT, snapshots=snapshots)


@pytest.fixture
def redactor(database: Database, threads: Threads, views: Views) -> Redactor:
    """Whom the tests ask to erase; the views discard their copies."""
    return redactor_on(database, threads, views)
