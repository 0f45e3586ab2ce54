"""What the tests of reliability share: their short form, and the long one, `--soak`."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.databases import short_folder
from tests.reliability.ledger import Ledger
from tests.reliability.outcomes import ROWS, Tried, note_outcome, table_of, write_table
from tests.reliability.postgres import OwnPostgres, own_postgres
from tests.reliability.service import ServiceProcess, own_service

_LONGEST_SECONDS = 7200
"""Of one test in the long form."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `pytest tests/reliability --soak` ask for the long form."""
    parser.addoption("--soak", action="store_true", help="the long form: minutes, not seconds")
    parser.addoption(
        "--soak-minutes", type=float, default=30.0, help="of mixed load in the long form"
    )
    parser.addoption("--soak-report", type=Path, help="file to write the table to, as markdown")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give tests of the long form their time."""
    if config.getoption("--soak", default=False):
        for item in items:
            item.add_marker(pytest.mark.timeout(_LONGEST_SECONDS))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note in the table how a test ended."""
    report = yield
    note_outcome(item, report)
    return report


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the table of the long form, and write it where it was asked for."""
    rows = config.stash.get(ROWS, [])
    if config.getoption("--soak", default=False) and rows:
        terminalreporter.write("\n" + table_of(rows))
        path = config.getoption("--soak-report")
        if path is not None:
            write_table(rows, path)


@pytest.fixture(scope="session")
def soak(pytestconfig: pytest.Config) -> bool:
    """Whether the long form was asked for."""
    return bool(pytestconfig.getoption("--soak", default=False))


@pytest.fixture
def long_form(soak: bool) -> None:  # noqa: FBT001 - a fixture
    """Leave a test out of the short form; to be asked for before what takes time."""
    if not soak:
        pytest.skip("part of the long form")


@pytest.fixture
def tried(request: pytest.FixtureRequest) -> Tried:
    """Puts a row for the test into the table of what was tried."""
    return Tried(request)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the account of PostgreSQL gets to."""
    with short_folder() as made:
        yield made


@pytest.fixture
def postgres(folder: Path) -> Iterator[OwnPostgres]:
    """A durable PostgreSQL that is one test's alone."""
    with own_postgres(folder / "data") as server:
        yield server


@pytest.fixture
def service(postgres: OwnPostgres) -> Iterator[ServiceProcess]:
    """A service on it, with its projections."""
    with own_service(postgres.url) as running:
        yield running


@pytest.fixture
def ledger() -> Ledger:
    """What clients sent and were told."""
    return Ledger()
