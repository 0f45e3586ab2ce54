"""The command sql."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.readmodels.registry import PUBLIC_READ_MODELS
from tests.api.cli.test_reading import refused
from tests.command_line import agentlog, agentlog_on
from tests.databases import make_cluster, new_database, short_folder
from tests.infrastructure.analysts.logins import analyst_url
from tests.infrastructure.readmodels.tables import catch_up

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def urls(server_url: str, template_database: str) -> Iterator[tuple[str, str]]:
    """A database with the examples and their read models, and its URL for analysts."""
    with (
        new_database(server_url, template=template_database) as made,
        Database(made, pool_size=2) as database,
    ):
        assert agentlog("import", EXAMPLES, url=made).code == 0
        for model in PUBLIC_READ_MODELS.values():
            catch_up(database, model)
        yield made, analyst_url(database, "default")


@pytest.fixture
def url(urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The database; the environment names the analysts' login."""
    monkeypatch.setenv("AGENTLOG_ANALYST_URL", urls[1])
    return urls[0]


def test_a_query_is_answered_by_a_table(url: str) -> None:
    query = (
        "SELECT tool, count(*) AS calls FROM tool_calls GROUP BY tool ORDER BY 2 DESC, 1 LIMIT 2"
    )
    outcome = agentlog("sql", query, url=url)
    assert (outcome.code, outcome.err) == (0, "")
    lines = [
        [cell.strip() for cell in line.strip("│┃").split("│")] for line in outcome.out.splitlines()
    ]
    assert "tool ┃ calls" in " ".join(outcome.out.split())
    asked = json.loads(agentlog("sql", query, "--json", url=url).out)
    assert [[cell, str(count)] for cell, count in asked["rows"]] == [
        cells for cells in lines if len(cells) == 2
    ]


def test_parameters_have_names_and_the_query_may_stand_in_a_file(url: str, tmp_path: Path) -> None:
    query = "SELECT :a AS a, :b::int + 1 AS b -- :c\n;\n"
    file = tmp_path / "query.sql"
    file.write_text(query)
    options = ["--csv", "-p", "a=x=y", "--param", "b=41"]
    for given in ([query], ["--file", file]):
        assert agentlog("sql", *given, *options, url=url).out == "a,b\nx=y,42\n"
    piped = agentlog("sql", "--file", "-", *options, url=url, stdin=query.encode())
    assert piped.out == "a,b\nx=y,42\n"


def test_rows_beyond_the_limit_are_said_to_be_there(url: str) -> None:
    outcome = agentlog("sql", "SELECT generate_series(1, 3) AS n", "--limit", "2", "--csv", url=url)
    assert outcome.out == "n\n1\n2\n"
    assert "there are more rows" in outcome.err


def test_what_is_asked_for_cannot_drive_the_terminal(url: str) -> None:
    query = "SELECT E'\\x1b[31m\\u202e' AS \"\x1b]0;owned\x07\", 'a' AS \"[red]a[/red]\""
    for form in ([], ["--json"]):
        outcome = agentlog("sql", query, *form, url=url)
        assert outcome.code == 0
        assert not {"\x1b", "\x07", "\u202e"} & set(outcome.out)
    assert "[red]a[/red]" in agentlog("sql", query, url=url).out
    complaint = agentlog("sql", 'SELECT "\x1b[31m"', url=url)
    assert "\x1b" not in complaint.err


@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ([], ["give the query, or --file"]),
        (["SELECT 1", "--file", "x"], ["give the query, or --file"]),
        (["--file", "/nowhere/at/all"], ["--file /nowhere/at/all: No such file"]),
        (["SELECT 1", "-p", "a"], ["--param a: give NAME=VALUE"]),
        (["SELECT 1", "-p", "a=1"], ["the query has no :a"]),
        (["SELECT\n nope"], ['column "nope" does not exist', "(line 2, column 2)"]),
        (["SELECT * FROM agentlog.events"], ["permission denied", "agentlog sql --tables"]),
        (["DELETE FROM messages"], ["that is no query: send one SELECT"]),
        (["SELECT pg_sleep(20)", "--timeout", "0.1"], ["broken off after 0.1 s"]),
        (["SELECT 1", "--timeout", "31"], ["seconds: more than 0, up to 30"]),
        (["SELECT 1", "--limit", "0"], ["limit: from 1 to 100000"]),
    ],
)
def test_what_is_off_is_said(url: str, options: list[str], reasons: list[str]) -> None:
    refused(agentlog("sql", *options, url=url), *reasons)


def test_a_file_that_is_not_text_is_refused(url: str, tmp_path: Path) -> None:
    file = tmp_path / "query.sql"
    file.write_bytes(b"SELECT '\xff'")
    refused(agentlog("sql", "--file", file, url=url), "not UTF-8 at byte 8")


def test_the_tables_are_listed_with_what_their_columns_mean(url: str) -> None:
    shown = agentlog("sql", "--tables", url=url).out
    for model in PUBLIC_READ_MODELS.values():
        assert f"{model.name} {model.table.comment}"[:80] in shown
        for column in model.table.columns:
            assert column.name in shown
    items = json.loads(agentlog("sql", "--tables", "--json", url=url).out)["items"]
    assert [item["name"] for item in items] == sorted(["events", "progress", *PUBLIC_READ_MODELS])


def test_without_a_login_the_way_to_one_is_shown(
    urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGENTLOG_ANALYST_URL", raising=False)
    refused(agentlog("sql", "SELECT 1", url=urls[0]), "`agentlog sql --grants`")
    script = agentlog("sql", "--grants", url=urls[0])
    assert script.code == 0
    assert 'CREATE ROLE "agentlog_analyst" LOGIN' in script.out
    assert "postgresql://agentlog_analyst:PASSWORD@HOST/agentlog_test_" in script.out


def test_the_postgresql_that_we_bring_along_needs_no_preparation() -> None:
    with short_folder() as folder:
        make_cluster(folder / "data")
        assert agentlog_on(folder / "data", "migrate").code == 0
        query = "SELECT session_user, count(*) FROM events"
        outcome = agentlog_on(folder / "data", "sql", query, "--csv")
        assert (outcome.code, outcome.err) == (0, "")
        assert list(csv.reader(io.StringIO(outcome.out))) == [
            ["session_user", "count"],
            ["agentlog_analyst", "0"],
        ]
