"""What tests of forks share."""

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.forks.forker import Forker
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import TENANT, Clock, Ids


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
def redactor(database: Database, threads: Threads, eraser: Eraser) -> Redactor:
    """What erases from the same log."""
    return Redactor(database, threads, eraser, tenant=TENANT)


@pytest.fixture
def auditor(database: Database) -> Auditor:
    """The auditor of the tests' tenant."""
    return Auditor(database, tenant=TENANT)
