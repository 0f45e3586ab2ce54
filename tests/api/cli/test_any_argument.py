"""Whatever is given to a command, it answers, or refuses by a line; reading makes no database."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.core import TyperGroup
from typer.testing import CliRunner

from agentlog.api.cli.main import app
from tests.command_line import agentlog, agentlog_process, whole_commands
from tests.databases import new_database

MAKERS = {
    *("serve", "demo", "migrate", "import", "watch", "record", "restore", "keys create"),
    "subscriptions create",
    "gateway",
    "openapi",  # reads nothing
    "formats",
}
"""Commands that may make a database, or that open none."""

ENDLESS = {"serve", "demo", "gateway", "mcp", "watch", "tail", "projections run"}


def _commands() -> dict[str, Any]:
    """Return each command by its words, those of groups too."""
    commands = {}
    for name, command in whole_commands().items():
        if isinstance(command, TyperGroup):
            context = command.context_class(command, info_name=name)
            for inner in command.list_commands(context):
                commands[f"{name} {inner}"] = command.get_command(context, inner)
        else:
            commands[name] = command
    return commands


ALL = _commands()
READERS = sorted(
    name
    for name, command in ALL.items()
    if name not in MAKERS and any(parameter.name == "data_dir" for parameter in command.params)
)
NEEDED = {
    "compare": ["a", "b"],
    "sql": ["SELECT 1"],
    "verify": [],
    "redact": ["x", "--reason", "x", "--yes"],
    "annotate": ["x", "a=1"],
    "note": ["x", "x"],
    "label": ["x", "x"],
    "verdict": ["x", "x"],
    "replay-engine": ["agentlog.domain.cognition:StubEngine", "x"],
    "report": ["usage"],
    "retention": ["rules.toml"],
    "rules set": ["success", "exit:complete"],
}
"""Arguments of commands where `x` for each required one will not do."""


def _needed(name: str) -> list[str]:
    if name in NEEDED:
        return NEEDED[name]
    words: list[str] = []
    for parameter in ALL[name].params:
        if parameter.required:
            words += ["x"] if parameter.param_type_name == "argument" else [parameter.opts[0], "x"]
    return words


@pytest.mark.parametrize("name", READERS)
def test_a_command_that_reads_makes_no_database(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGENTLOG_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.toml").write_text('[[rules]]\nolder_than = "90d"\nreason = "old"\n')
    folder = tmp_path / "typo"
    result = CliRunner().invoke(
        app, [*name.split(), *_needed(name), "--data-dir", str(folder)], catch_exceptions=False
    )
    assert result.exit_code == 2, result.output
    assert not folder.exists()
    assert f"there is no log in {folder}" in result.stderr


@pytest.mark.parametrize("below", [".", "mine.json/below"])
def test_a_dry_run_is_refused_where_the_import_is(
    below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGENTLOG_DATABASE_URL", raising=False)
    (tmp_path / "mine.json").write_text('[{"role": "user", "content": "hi"}]')
    words = ["import", str(tmp_path / "mine.json"), "--data-dir", str(tmp_path / below)]
    dry, real = (CliRunner().invoke(app, [*words, *dry]) for dry in (["--dry-run"], []))
    assert (dry.exit_code, dry.stderr) == (real.exit_code, real.stderr)
    assert "holds something else than agentlog's data" in dry.stderr


ANY_TEXT = st.text(
    st.characters(exclude_characters="\0") | st.characters(categories=["Cs"]), max_size=30
) | st.sampled_from(
    ["", "-1", "1" * 30, "\udcff", "a\udcff=b", "\u202e", "[", "$..[?@", "{", "=", "@"]
)


@pytest.fixture(scope="module")
def url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with nothing in it."""
    with new_database(server_url, template=template_database) as made:
        yield made


@given(data=st.data())
def test_any_text_for_any_argument_is_answered_or_refused_by_a_line(
    data: st.DataObject, url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    name = data.draw(st.sampled_from(sorted(ALL.keys() - ENDLESS)))
    parameters = [
        parameter
        for parameter in ALL[name].params
        if not getattr(parameter, "is_flag", False) and parameter.name != "data_dir"
    ]
    words = _needed(name)
    if parameters:
        parameter = data.draw(st.sampled_from(parameters))
        text = data.draw(ANY_TEXT)
        if parameter.param_type_name == "argument":
            words = ["--", text] if len(words) < 2 else [text, *words[1:]]
        else:
            words = [*words, parameter.opts[0], text]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("here"))  # where it writes files
        outcome = agentlog(*name.split(), *words, url=url)
    assert outcome.code in {0, 1, 2}
    assert "Traceback" not in outcome.err


def test_what_the_terminal_cannot_show_is_printed_as_escapes_of_json(
    url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "t.jsonl"
    source.write_text('{"role": "user", "content": "3 \u20ac \U0001f600"}\n')
    assert agentlog("import", source, "--thread-id", "euro", url=url).code == 0
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    outcome = agentlog_process("view", "euro", "openai", url=url)
    assert outcome.code == 0
    assert r"3 \u20ac \ud83d\ude00" in outcome.out
    assert agentlog_process("show", "euro", url=url).code == 0


def test_an_argument_that_is_not_utf_8_is_refused(url: str) -> None:
    outcome = agentlog_process("find", "\udcff", url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "agentlog: '\\udcff' in an argument is not UTF-8\n"
