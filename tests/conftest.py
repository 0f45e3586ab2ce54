"""What every test shares: hypothesis settings that never flake, and real databases to test on.

AGENTLOG_TEST_DATABASE_URL names a PostgreSQL (15 or newer) on which databases may be created.
Without it each process of the test run starts an embedded server of its own.
"""

import os
import signal
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from hashlib import sha256

import psycopg
import pytest
from hypothesis import HealthCheck, settings

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.migration import migrate
from agentlog.infrastructure.runtime.garbage import collect_rarely
from tests.databases import embedded_server_url, name_of, new_database
from tests.infrastructure.appends import empty_log
from tests.infrastructure.reports.histories import build_all
from tests.temporary import temporary_files

settings.register_profile(
    "here",
    deadline=None,
    derandomize=True,
    max_examples=12,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("long", settings.get_profile("here"), derandomize=False, max_examples=250)
settings.load_profile("here")

LONGEST = {
    "agents",
    "deploy",
    "reliability",
    "test_docs.py",
    "test_docs_operations.py",
    "test_real_data.py",
}
"""Files and folders whose tests take seconds each."""

SEED = "AGENTLOG_TEST_SEED"


def pytest_configure(config: pytest.Config) -> None:
    """Leave nothing behind, however the tests end; and let what they start be interrupted.

    In the background of a script nothing is, and below `nohup` no terminal ends anything.
    """
    os.environ.setdefault(SEED, f"{datetime.now(UTC):%Y-%m-%d}")
    opened = ExitStack()
    opened.enter_context(temporary_files())
    config.add_cleanup(opened.close)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_report_header() -> str:
    """Print what the day's cases are drawn by."""
    return f"seed: {os.environ[SEED]} (from {SEED}, else the day)"


def mark_undrawn(items: Sequence[pytest.Item], seed: str) -> None:
    """Mark as slow the cases that a seed does not draw, of tests that say how many it does."""
    tests = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("drawn"):
            tests[item.nodeid.partition("[")[0]].append(item)
    for cases in tests.values():
        cases.sort(key=lambda item: sha256(f"{seed} {item.nodeid}".encode()).digest())
        (count,) = next(cases[0].iter_markers("drawn")).args
        for item in cases[count:]:
            item.add_marker("slow")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to the night what is not drawn, and begin with what takes longest.

    At the end it would leave one process at work, and no other. A file goes to one process as a
    whole, and processes take files in this order.
    """
    mark_undrawn(items, os.environ[SEED])
    items.sort(key=lambda item: LONGEST.isdisjoint(item.path.parts))


def pytest_collection_finish() -> None:
    """Spare the garbage collector what all the tests consist of."""
    collect_rarely()


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """The server under test: any of its databases, with the right to create more."""
    given = os.environ.get("AGENTLOG_TEST_DATABASE_URL")
    if given:
        yield given
    else:
        with embedded_server_url() as url:
            yield url


@pytest.fixture(scope="session")
def template_database(server_url: str) -> Iterator[str]:
    """The name of a migrated database that nobody is connected to."""
    with new_database(server_url) as url:
        with psycopg.connect(url) as connection:
            migrate(connection)
        yield name_of(url)


@pytest.fixture(scope="session")
def template_with_tables(server_url: str, template_database: str) -> Iterator[str]:
    """The name of such a database with the tables of all read models: they take long to make."""
    with new_database(server_url, template=template_database) as url:
        with Database(url, pool_size=1) as database:
            build_all(database)
        yield name_of(url)


@pytest.fixture
def database_url(server_url: str, template_database: str) -> Iterator[str]:
    """A fresh, migrated database for one test."""
    with new_database(server_url, template=template_database) as url:
        yield url


@pytest.fixture
def empty_database_url(server_url: str) -> Iterator[str]:
    """A fresh database for one test, without our schema."""
    with new_database(server_url) as url:
        yield url


@pytest.fixture(scope="session")
def shared_database_url(server_url: str, template_database: str) -> Iterator[str]:
    """A migrated database for all tests that leave its schema as it is."""
    with new_database(server_url, template=template_database) as url:
        yield url


@pytest.fixture
def own_database(database_url: str) -> Iterator[Database]:
    """An open, migrated database for one test alone."""
    with Database(database_url, pool_size=4) as opened:
        yield opened


@pytest.fixture
def database_with_tables(server_url: str, template_with_tables: str) -> Iterator[Database]:
    """An open database for one test alone, with the tables of all read models."""
    with (
        new_database(server_url, template=template_with_tables) as url,
        Database(url, pool_size=4) as opened,
    ):
        yield opened


@pytest.fixture(scope="session")
def shared_database(shared_database_url: str) -> Iterator[Database]:
    """The same, open: connections cost more than most tests do."""
    with Database(shared_database_url, pool_size=4) as opened:
        yield opened


@pytest.fixture
def database(shared_database: Database) -> Iterator[Database]:
    """An open, migrated database with nothing in it; not for tests that break connections."""
    empty_log(shared_database)
    yield shared_database
    for connection in shared_database._lent:
        connection.close()
