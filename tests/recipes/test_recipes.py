"""The recipes of CONTRIBUTING.md: what they name is there, and what they add works."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.databases import new_database

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
SOURCES = ("agentlog", "api", "domain", "extensions", "infrastructure", "projections")
WORDS = {"case", "wire"}
"""Words in code type that name no definition of ours."""

_RECIPES: dict[str, str] = dict(
    re.findall(
        r"^## (Add an? [a-z ]+)\n(.*?)(?=^## )",
        (ROOT / "CONTRIBUTING.md").read_text(),
        re.MULTILINE | re.DOTALL,
    )
)
_ADDED = {
    "projections/views/toy.py": "toy_view.py",
    "projections/readmodels/toy.py": "toy_model.py",
    "extensions/formats/toy.py": "toy_format.py",
    "infrastructure/reports/catalogue/toy.sql": "toy_report.sql",
    "api/cli/toy.py": "toy_command.py",
}
"""Each file that a recipe adds, and what it is here."""

_LINES: Mapping[str, Mapping[str, str]] = {
    "domain/messages.py": {
        "Message = (\n": '''class ToyMessage(KernelMessage):
    """A toy."""

    type: Literal["toy"] = "toy"
    text: Text
    call_id: Annotated[CallId, Asks("approval")]


Message = (
    ToyMessage |
''',
    },
    "projections/registry.py": {
        '    "views",\n    {\n': """    "views",
    {
        "toy": "agentlog.projections.views.toy:ToyView",
""",
    },
    "projections/readmodels/registry.py": {
        "AnyReadModel =": "from agentlog.projections.readmodels.toy import Toys\n\nAnyReadModel =",
        "        Workers(),\n": "        Workers(),\n        Toys(),\n",
    },
    "infrastructure/settings.py": {
        '    host: str = "127.0.0.1"\n': '''    toys: int = Field(default=3, ge=0)
    """Most toys."""
    host: str = "127.0.0.1"
''',
    },
    "api/cli/commands.py": {
        "COMMANDS = {\n": """COMMANDS = {
    "toy": Command("agentlog.api.cli.toy:app", "Say how many toys there may be.", "Service"),
""",
    },
    "extensions/formats/__init__.py": {
        "_FORMATS: Mapping[str, str] = {\n": """_FORMATS: Mapping[str, str] = {
    "toy": f"{_HERE}.toy:FORMAT",
""",
    },
}
"""The lines that the recipes add to files that are there, each in the place of another."""


def test_there_is_a_recipe_for_each_thing_that_is_added() -> None:
    things = (
        "a message type",
        "a view",
        "an import format",
        "a read model",
        "a report",
        "a command",
        "a setting",
        "an extension",
        "a migration",
    )
    assert list(_RECIPES) == [f"Add {thing}" for thing in things]


@pytest.mark.parametrize("title", _RECIPES)
def test_what_a_recipe_names_is_there(title: str) -> None:
    defined = _defined()
    for name in re.findall(r"`([^`]+)`", _RECIPES[title]):
        if "/" in name:
            pattern = re.sub(r"[^/.]*(NAME|NNNN)[^/.]*", "*", name)
            assert any(ROOT.glob(pattern)), name
        elif re.fullmatch(r"[A-Za-z_]+", name) and name not in WORDS:
            assert name in defined, name


@cache
def _defined() -> set[str]:
    """Return the names of our classes, functions, their parameters, constants and fields."""
    trees = (
        node
        for folder in SOURCES
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
    )
    names: set[str] = set()
    for node in trees:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case _:
                pass
    return names


@pytest.fixture(scope="module")
def tried(
    tmp_path_factory: pytest.TempPathFactory, server_url: str, template_database: str
) -> dict[str, Any]:
    """Follow the recipes in a copy of the sources, and return what the copy says of it."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in (*SOURCES, "tests", "docs"):
        shutil.copytree(
            *(ROOT / folder, copy / folder),
            symlinks=True,
            ignore=shutil.ignore_patterns(
                "__pycache__", "page", "golden", "browser", "node_modules"
            ),
        )
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    for path, source in _ADDED.items():
        shutil.copy(HERE / source, copy / path)
    for path, lines in _LINES.items():
        text = (copy / path).read_text()
        for before, after in lines.items():
            assert text.count(before) == 1, (path, before)
            text = text.replace(before, after)
        (copy / path).write_text(text)
    toys = tmp_path_factory.mktemp("toys")
    with new_database(server_url, template=template_database) as url:
        done = subprocess.run(
            [sys.executable, "-m", "tests.recipes.tried", toys, url],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def test_a_format_is_listed_found_out_and_its_files_are_joined(tried: dict[str, Any]) -> None:
    assert "toy" in tried["formats"]
    assert "Toys, 1 file, a thread per folder" in tried["imported"]


def test_a_view_shows_with_its_options(tried: dict[str, Any]) -> None:
    assert tried["view"] == [{"toy": "BALL"}, {"toy": "KITE"}]


def test_a_message_type_has_its_rules_and_its_redaction(tried: dict[str, Any]) -> None:
    toy = {key: tried["toy"][key] for key in ("type", "text", "callId")}
    assert toy == {"type": "toy", "text": "[redacted]", "callId": "a"}
    assert "ToyMessage" in tried["models"]


def test_a_read_model_gets_its_table(tried: dict[str, Any]) -> None:
    assert tried["rows"] == 2


def test_a_command_is_listed_and_reads_a_setting(tried: dict[str, Any]) -> None:
    assert "Say how many toys there may be." in tried["help"]
    assert tried["command"] == "3 toys\n"


def test_a_report_answers_and_says_which_threads_are_a_rows(tried: dict[str, Any]) -> None:
    assert tried["report"]["rows"] == [{"tool": "ball", "toys": 1}]
    assert tried["report"]["threads"]["by"] == {"tool": "item.tool"}


def test_what_is_in_no_document_is_asked_for(tried: dict[str, Any]) -> None:
    assert tried["undocumented"] == [
        "format toy",
        "test_the_document_lists_every_report",
        "test_the_reference_names_every_message_type_with_its_fields",
        "test_the_reference_names_every_setting",
        "test_the_reference_names_every_view_and_option",
        "test_the_reference_of_the_commands_is_what_they_say_of_themselves",
    ]
