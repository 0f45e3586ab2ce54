"""What every test shares: hypothesis settings that never flake, and real databases to test on.

AGENTLOG_TEST_DATABASE_URL names a PostgreSQL (15 or newer) on which databases may be created.
Without it each process of the test run starts an embedded server of its own.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import objects_of
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
    suppress_health_check=[HealthCheck.too_slow],
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

TAU_BENCH = Path(__file__).parents[2] / "shared" / "data" / "tau-bench-gpt-4o-airline.json"


def pytest_configure(config: pytest.Config) -> None:
    """Leave nothing behind, however the tests end; and let what they start be interrupted.

    In the background of a script nothing is.
    """
    opened = ExitStack()
    opened.enter_context(temporary_files())
    config.add_cleanup(opened.close)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest: at the end it would leave one process at work, and no other.

    A file goes to one process as a whole, and processes take files in this order.
    """
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


@pytest.fixture(scope="session")
def tau_bench() -> list[dict[str, Any]]:
    """The 200 records of tau-bench's airline tasks: real conversations of GPT-4o with tools."""
    if not TAU_BENCH.exists():
        pytest.skip(f"the tau-bench histories are not there: {TAU_BENCH}")
    return objects_of(parse(TAU_BENCH.read_bytes()))
