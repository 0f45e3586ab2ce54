"""What tests of reports share: a database with all read models over known items."""

from collections.abc import Iterator

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.reports.reports import Reports
from tests.databases import new_database
from tests.infrastructure.appends import TENANT
from tests.infrastructure.reports.histories import append_items, build_all, some_items


@pytest.fixture(scope="session")
def filled(server_url: str, template_database: str) -> Iterator[Database]:
    """A database with `some_items`, and others of another tenant; for reading only."""
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=4) as database,
    ):
        append_items(database, some_items())
        append_items(database, some_items(2), tenant="others")
        build_all(database)
        yield database


@pytest.fixture
def reports(filled: Database) -> Reports:
    """Reports over `some_items`."""
    return Reports(filled, tenant=TENANT)
