"""What tests of forks share."""

import pytest

from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import TENANT


@pytest.fixture
def redactor(database: Database, threads: Threads, eraser: Eraser) -> Redactor:
    """What erases from the same log."""
    return Redactor(database, threads, eraser, tenant=TENANT)


@pytest.fixture
def auditor(database: Database) -> Auditor:
    """The auditor of the tests' tenant."""
    return Auditor(database, tenant=TENANT)
