"""The command line as a whole: quick to ask, and clear about what it cannot do."""

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from typer.main import get_group

from agentlog.api.cli.main import COMMANDS
from agentlog.api.http.app import VERSION
from agentlog.infrastructure.postgres.migration import migrations
from tests.command_line import WAIT_SECONDS, agentlog, environment
from tests.databases import new_database, subscribed

NOWHERE = "postgresql:///nothing?host=/nowhere&connect_timeout=2"


def test_help_names_every_command() -> None:
    outcome = agentlog("--help", url=NOWHERE)
    assert outcome.code == 0
    assert set(outcome.out.split()) >= set(COMMANDS)


def test_the_list_of_commands_begins_their_help_and_leaves_out_none() -> None:
    groups = {
        module: get_group(import_module(f"agentlog.api.cli.{module}").app)
        for module, _ in COMMANDS.values()
    }
    helps = {
        name: str(command.help).partition("\n\n")[0].replace("\n", " ")
        for group in groups.values()
        for name, command in group.commands.items()
    }
    assert helps == {name: text for name, (_, text) in COMMANDS.items()}


def test_the_version_is_that_of_the_distribution_and_of_the_service() -> None:
    outcome = agentlog("--version", url=NOWHERE)
    assert (outcome.code, outcome.out) == (0, f"agentlog {VERSION}\n")


def test_the_version_rises_with_each_migration_and_the_changelog_begins_with_it() -> None:
    root = Path(__file__).parents[3]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert project["version"].split(".")[:2] == ["0", str(migrations()[-1].number)]
    assert f"\n## {project['version']}\n" in (root / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help(command: str) -> None:
    outcome = agentlog(command, "--help", url=NOWHERE)
    assert outcome.code == 0
    assert f"Usage: agentlog {command}" in outcome.out or f" {command} [OPTIONS]" in outcome.out


def test_asking_for_help_imports_nothing_heavy() -> None:
    script = (
        "import sys, agentlog.api.cli.main; "
        "print(*sorted({name.removeprefix('agentlog.').partition('.')[0] for name in sys.modules}))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        check=True,
        text=True,
        timeout=WAIT_SECONDS,
        env=environment(),
    )
    heavy = {"fastapi", "psycopg", "pydantic", "uvicorn", "eventsourcing", "orjson", "domain"}
    assert "typer" in result.stdout.split()
    assert not heavy & set(result.stdout.split())


def test_no_command_at_all_shows_the_help() -> None:
    outcome = agentlog(url=NOWHERE)
    assert outcome.code == 2
    assert "Usage: agentlog" in outcome.out + outcome.err


def test_an_unknown_command_is_refused() -> None:
    outcome = agentlog("improt", url=NOWHERE)
    assert outcome.code == 2
    assert "improt" in outcome.err


def test_a_database_that_does_not_answer_is_said_without_a_traceback() -> None:
    outcome = agentlog("threads", url=NOWHERE)
    assert outcome.code == 2
    assert outcome.err.startswith("agentlog: the database is not available: ")
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_a_url_that_does_not_parse_is_said() -> None:
    outcome = agentlog("threads", url="nonsense:/?%%")
    assert outcome.code == 2
    assert "the database is not available: the URL does not parse" in outcome.err


def test_a_setting_that_is_off_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTLOG_POOL_SIZE", "many")
    outcome = agentlog("threads", url=NOWHERE)
    assert outcome.code == 2
    assert outcome.err.startswith("agentlog: AGENTLOG_POOL_SIZE: ")


def test_migrate_says_what_it_ran(empty_database_url: str) -> None:
    known = migrations()
    first, last = known[0], known[-1]
    outcome = agentlog("migrate", url=empty_database_url)
    assert outcome.code == 0
    assert outcome.out == (
        f"AGENTLOG_DATABASE_URL: ran 0001_{first.name} to {last.number:04}_{last.name}\n"
    )
    again = agentlog("migrate", url=empty_database_url)
    assert again.out == f"AGENTLOG_DATABASE_URL: already at migration {last.number}\n"
    assert agentlog("threads", "--json", url=empty_database_url).out == ""


def test_the_schema_of_a_logical_subscriber_is_brought_up_to_date(
    empty_database_url: str, server_url: str, template_database: str
) -> None:
    assert agentlog("migrate", url=empty_database_url).code == 0
    with (
        new_database(server_url, template=template_database) as publisher_url,
        subscribed(empty_database_url, publisher_url),
    ):
        migrated = agentlog("migrate", url=empty_database_url)
        assert migrated.code == 0, migrated.err
