"""What other engines answer over a dataset is what SQL answers over the log, on real histories."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import duckdb
import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.readmodels.registry import PUBLIC_READ_MODELS
from tests.airline import airline_file
from tests.command_line import agentlog
from tests.databases import new_database
from tests.extensions.dataset.datasets import Exporter, check_equal, in_both, spread_over_days

EXAMPLES = Path(__file__).parents[3] / "examples"
TENANT = "default"

QUERIES = (
    """SELECT tool, count(*), count(*) FILTER (WHERE outcome = 'failed'), sum(ordinal)
       FROM tool_calls GROUP BY tool ORDER BY tool""",
    """SELECT type, count(*), count(DISTINCT thread_id), min(position), max(version)
       FROM messages GROUP BY type ORDER BY type""",
    """SELECT thread_id, count(*) FROM tool_calls WHERE is_open GROUP BY thread_id ORDER BY 1""",
    """SELECT messages.type, count(*) FROM messages JOIN threads USING (tenant, thread_id)
       WHERE threads.version >= 1 GROUP BY 1 ORDER BY 2 DESC, 1""",
    """SELECT error_class, count(*) FROM tool_calls WHERE outcome = 'failed'
       GROUP BY 1 ORDER BY 2, 1""",
    """SELECT CAST(recorded_at AS date), count(*) FROM messages GROUP BY 1 ORDER BY 1""",
)
"""They read the same in all engines."""
DOCUMENT = Path(__file__).parents[3] / "extensions" / "dataset" / "docs" / "parquet.md"
DOCUMENTED = "SELECT tool, count(*) FROM tool_calls WHERE recorded_at >= '2026-03-03' GROUP BY tool"
"""What the document's statements ask, from a day of these histories on."""


@pytest.fixture(scope="module")
def url(server_url: str, template_database: str) -> Iterator[str]:
    """The examples and tau-bench's airline runs, recorded over many days."""
    with new_database(server_url, template=template_database) as made:
        assert agentlog("import", EXAMPLES, url=made).code == 0
        options = (
            "--format",
            "openai",
            "--messages",
            "$.traj",
            "--thread-id",
            "a-{task_id}-{trial}",
        )
        assert agentlog("import", *options, airline_file(), url=made).code == 0
        with Database(made, pool_size=2) as database:
            spread_over_days(database, events_a_day=900)
        yield made


@pytest.fixture(scope="module")
def folder(url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset that the command line makes of it."""
    made = tmp_path_factory.mktemp("export") / "dataset"
    outcome = agentlog("export", "dataset", "--output", made, url=url)
    assert outcome.code == 0, outcome.err
    assert "new events, " in outcome.err
    return made


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_answers_the_same_in_both(url: str, folder: Path, query: str) -> None:
    ours, theirs = in_both(folder, url, query, tenant=TENANT)
    assert ours == theirs
    assert ours


def test_every_row_is_the_databases(url: str, folder: Path) -> None:
    with Database(url, pool_size=2) as database:
        check_equal(Exporter(database, folder, TENANT))


def test_the_examples_and_histories_fill_most_tables(folder: Path) -> None:
    filled = {
        name for name in PUBLIC_READ_MODELS if any((folder / name).glob("day=*/rows.parquet"))
    }
    assert {"threads", "messages", "tool_calls", "approvals"} <= filled
    assert len(list((folder / "events").glob("day=*"))) > 5


def test_the_documents_statement_answers_the_same(
    url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    rows = duckdb.sql(documented("DuckDB")).fetchall()
    _, theirs = in_both(folder, url, DOCUMENTED, tenant=TENANT)
    assert sorted(rows) == sorted(theirs)
    assert rows


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["Spark", "ClickHouse"])
def test_other_engines_answer_the_same(url: str, folder: Path, engine: str) -> None:
    python = os.environ.get("AGENTLOG_TEST_ENGINES")
    if python is None:
        pytest.skip("AGENTLOG_TEST_ENGINES does not name a Python; `make test-slow` does")
    if engine == "Spark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    asked = {"documented": documented(engine), "queries": QUERIES}
    tables = {path.parent.name for path in folder.glob("*/day=*")}
    program = Path(__file__).with_name("engines.py")
    done = subprocess.run(
        [python, program, engine, *tables],
        input=json.dumps(asked),
        cwd=folder.parent,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout.splitlines()[-1])
    for query, rows in zip([DOCUMENTED, *QUERIES], answers, strict=True):
        _, theirs = in_both(folder, url, query, tenant=TENANT)
        assert sorted(as_texts(rows)) == sorted(as_texts(theirs)), query
        assert rows


def documented(engine: str) -> str:
    """Return a statement of the document, about the days of these histories."""
    block = rf"^    (?:--|#) {engine}\n((?:    .*\n)+)"
    statement = re.search(block, DOCUMENT.read_text(), re.MULTILINE)
    assert statement is not None
    return dedent(statement[1]).replace("2026-11-01", "2026-03-03")


def as_texts(rows: list[Any]) -> list[list[str]]:
    """Return rows as engines say them alike: some have decimals, some dates."""
    return [[str(value) for value in row] for row in rows]
