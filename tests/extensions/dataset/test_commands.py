"""The command `agentlog export dataset`."""

import subprocess
import sys
from pathlib import Path

import pytest

from agentlog.infrastructure.postgres.database import Database
from tests.command_line import agentlog, as_words, environment
from tests.extensions.dataset.datasets import duck

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def url(own_database: Database, database_url: str) -> str:
    """A log with the examples in it."""
    del own_database
    assert agentlog("import", EXAMPLES, url=database_url).code == 0
    return database_url


def test_parquet_goes_on_where_it_stopped(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "dataset"
    options = ("dataset", "-O", folder)
    assert agentlog("export", *options, "--only", "events", url=url).code == 0
    assert not (folder / "messages").exists()
    again = agentlog("export", *options, url=url)
    assert again.code == 0
    assert again.err.startswith("0 new events, ")
    with duck(folder) as connection:
        ((events, messages),) = connection.sql(
            "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM messages)"
        ).fetchall()
    assert events == messages > 50
    assert f"{folder} is as of position {events}" in again.err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ([], "Missing option '--output'"),
        (["-O", "x", "--only", "nope"], "--only nope: choose among events,"),
    ],
    ids=as_words,
)
def test_options_that_do_not_fit_are_refused(
    database_url: str, options: list[str], reason: str
) -> None:
    outcome = agentlog("export", "dataset", *options, url=database_url)
    assert outcome.code == 2
    assert reason in outcome.err


WITHOUT = """
import sys
sys.modules[sys.argv.pop(1)] = None
import agentlog.api.cli.transfer.exports  # the formats that are lines need nothing more
from agentlog.__main__ import run
run()
"""


@pytest.mark.parametrize("package", ["pyarrow", "obstore"])
def test_without_a_package_it_says_what_to_install(
    database_url: str, tmp_path: Path, package: str
) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            WITHOUT,
            package,
            "export",
            "dataset",
            "-O",
            tmp_path / "dataset",
        ],
        env=environment(database_url),
        capture_output=True,
        text=True,
        check=False,
    )
    expected = "agentlog: this needs more packages: pip install 'agentlog[parquet]'\n"
    assert (done.returncode, done.stderr) == (2, expected)
