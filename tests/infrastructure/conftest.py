"""What tests of the log share: a writer whose clock and ids are known, and what reads after it."""

from collections.abc import Iterator

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.forks.forker import Forker
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from tests.infrastructure.appends import TENANT, Clock, Ids, reply, request
from tests.infrastructure.inserting_recorder import PostgresRecorder


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
def blobs(database: Database) -> Blobs:
    """The blobs of the tests' tenant."""
    return Blobs(database, tenant=TENANT)


@pytest.fixture
def threads(reader: LogReader, writer: Writer, blobs: Blobs) -> Threads:
    """The threads of the tests' tenant."""
    return Threads(reader=reader, writer=writer, blobs=blobs, tenant=TENANT)


@pytest.fixture
def forker(database: Database, reader: LogReader, eraser: Eraser, clock: Clock) -> Forker:
    """A forker whose ids are none of the writer's."""
    ids = Ids()
    return Forker(
        database,
        database,
        reader,
        eraser,
        tenant=TENANT,
        clock=clock,
        new_id=lambda: "2" + ids()[1:],
    )


@pytest.fixture
def eraser(database: Database, writer: Writer) -> Eraser:
    """What carries redactions out."""
    return Eraser(database, writer)


@pytest.fixture
def views(reader: LogReader, database: Database) -> Views:
    """The views of the tests' tenant."""
    return Views(reader, tenant=TENANT, snapshots=Snapshots(database, tenant=TENANT, key=b"key"))


@pytest.fixture
def listener(database: Database) -> Iterator[Listener]:
    """What wakes subscriptions to the same log."""
    with Listener(database) as opened:
        yield opened


@pytest.fixture
def recorder(database: Database, listener: Listener) -> PostgresRecorder:
    """The library's side of the same log."""
    return PostgresRecorder(database, listener, tenant=TENANT)


@pytest.fixture
def begun(writer: Writer) -> Writer:
    """A writer that has a connection, and has prepared on it what it writes by."""
    writer.append(request("t", reply("before")))
    writer.append_many([request("t", reply("before"))] * 2)
    return writer
