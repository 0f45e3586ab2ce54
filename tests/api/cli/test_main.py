"""The command line as a whole: quick to ask, and clear about what it cannot do."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from pkgutil import resolve_name

import pytest
from typer.main import get_group

from agentlog.api.cli.main import all_commands
from agentlog.api.http.app import VERSION
from agentlog.infrastructure.postgres.migration import migrations
from tests.command_line import agentlog, agentlog_process, environment, whole_commands
from tests.waiting import WAIT_SECONDS

NOWHERE = "postgresql:///nothing?host=/nowhere&connect_timeout=2"


def test_help_lists_every_command_in_groups_of_nine_at_most() -> None:
    outcome = agentlog("-h", url=NOWHERE)
    assert (outcome.code, outcome.out) == (0, agentlog("--help", url=NOWHERE).out)
    groups: dict[str, list[str]] = {}
    for line in outcome.out.splitlines():
        if title := re.match(r"╭─ (.*?) ─+╮", line):
            names = groups.setdefault(title[1], [])
        elif name := re.match(r"│ ([\w-]+)", line):
            names.append(name[1])
    del groups["Options"]
    assert max(map(len, groups.values())) <= 9
    assert sorted(name for names in groups.values() for name in names) == sorted(all_commands())


def test_the_list_of_commands_begins_their_help() -> None:
    helps = {
        name: str(command.help).partition("\n\n")[0].replace("\n", " ")
        for name, command in whole_commands().items()
    }
    assert helps == {name: command.help for name, command in all_commands().items()}


def test_no_module_has_a_command_that_is_not_listed() -> None:
    names = {
        name
        for command in all_commands().values()
        for name in get_group(resolve_name(command.app)).commands
    }
    assert names == set(all_commands())


def test_the_version_is_that_of_the_distribution_and_of_the_service() -> None:
    outcome = agentlog("--version", url=NOWHERE)
    assert (outcome.code, outcome.out) == (0, f"agentlog {VERSION}\n")


def test_a_release_is_numbered_by_its_newest_migration_and_the_changelog_has_it() -> None:
    root = Path(__file__).parents[3]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    changelog = (root / "CHANGELOG.md").read_text()
    assert f"\n## {project['version']}\n" in changelog
    major, minor, _ = project["version"].split(".")
    newest = migrations()[-1].number
    assert (major, int(minor)) == ("0", newest) or (
        int(minor) < newest and "\n## Unreleased\n" in changelog
    )


@pytest.mark.parametrize("command", sorted(all_commands()))
def test_every_command_has_help(command: str) -> None:
    outcome = agentlog(command, "-h", url=NOWHERE)
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
    heavy = {"fastapi", "psycopg", "pydantic", "uvicorn", "eventsourcing", "orjson", "rich"}
    assert "typer" in result.stdout.split()
    assert not heavy & set(result.stdout.split())


def test_no_command_at_all_shows_the_help() -> None:
    outcome = agentlog(url=NOWHERE)
    assert outcome.code == 2
    assert "Usage: agentlog" in outcome.out + outcome.err


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("improt", "import"),
        ("list", "threads"),
        ("log", "show or tail"),
        ("status", "projections or threads"),
        ("start", "serve or demo"),
        ("init", "serve or demo"),
        ("help", "--help"),
    ],
)
def test_a_name_that_is_no_command_is_refused_with_those_that_it_may_mean(
    name: str, meant: str
) -> None:
    outcome = agentlog(name, url=NOWHERE)
    assert outcome.code == 2
    assert f"No such command '{name}'. Did you mean {meant}?" in outcome.err


def test_a_name_like_no_command_is_refused() -> None:
    outcome = agentlog("xyzzy", url=NOWHERE)
    assert outcome.code == 2
    assert "No such command 'xyzzy'." in outcome.err
    assert "mean" not in outcome.err


def test_words_for_commands_are_no_commands() -> None:
    words = {word for command in all_commands().values() for word in command.words}
    assert not words & set(all_commands())


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("agentlog th", "threads"),
        ("agentlog export t", "threads"),
        ("agentlog view t --h", "--help\n--hidden"),
    ],
)
def test_a_shell_completes_commands_and_options(
    typed: str, offered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_AGENTLOG_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    assert sorted(agentlog_process(url=NOWHERE).out.split()) == offered.split()


def test_a_database_that_does_not_answer_is_said_without_a_traceback() -> None:
    outcome = agentlog("threads", url=NOWHERE)
    assert outcome.code == 2
    assert outcome.err.startswith("agentlog: the database is not available: ")
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_a_url_that_does_not_parse_is_said() -> None:
    outcome = agentlog("threads", url="nonsense:/?%%")
    assert outcome.code == 2
    assert "AGENTLOG_DATABASE_URL: the URL does not parse: write" in outcome.err


def test_a_setting_that_is_off_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTLOG_POOL_SIZE", "many")
    outcome = agentlog("threads", url=NOWHERE)
    assert outcome.code == 2
    assert outcome.err.startswith("agentlog: AGENTLOG_POOL_SIZE: ")


def test_migrate_says_what_it_ran(empty_database_url: str) -> None:
    (only,) = migrations()
    outcome = agentlog("migrate", url=empty_database_url)
    assert outcome.code == 0
    assert outcome.out == f"AGENTLOG_DATABASE_URL: ran migration {only.number:04}_{only.name}\n"
    again = agentlog("migrate", url=empty_database_url)
    assert again.out == f"AGENTLOG_DATABASE_URL: already at migration {only.number}\n"
    assert agentlog("threads", "--json", url=empty_database_url).out == ""
