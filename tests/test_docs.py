"""The documents tell the truth: their examples run in order and print what they say."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from agentlog.api.cli.main import all_commands
from agentlog.domain.catalogue import MESSAGE_TYPES
from agentlog.domain.threads import Rule
from agentlog.infrastructure.settings import OF_TOOLS, Settings
from agentlog.projections.readers.registry import FORMATS
from agentlog.projections.registry import VIEWS, option_values
from tests.documents import DOCUMENTS, ROOT, demo, path_of, run_examples, with_examples

LONGEST_LINE = 99

_URL = re.compile(r"https?://\S+")


def _text(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


@pytest.fixture(scope="module")
def demo_environment(
    server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    with demo(server_url, template_database, tmp_path_factory.mktemp("keys")) as environment:
        yield environment


@pytest.mark.parametrize("document", with_examples(beside=False), ids=path_of)
def test_examples_run_and_print_what_the_document_says(
    document: Path, demo_environment: dict[str, str], tmp_path: Path
) -> None:
    run_examples(document, demo_environment, tmp_path)


def test_examples_are_found() -> None:
    assert len(with_examples(beside=False)) >= 8


@pytest.mark.parametrize("document", DOCUMENTS, ids=path_of)
def test_commands_and_settings_exist(document: Path) -> None:
    text = document.read_text()
    makefile = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"(?:^ {4}|`)make ([a-z-]+)", text, re.MULTILINE)):
        assert f"\n{target}:" in makefile, target
    known = {name.upper() for name in Settings.model_fields} | OF_TOOLS | _MEANT_FOR_TESTS
    assert set(re.findall(r"AGENTLOG_([A-Z_]+)", text)) <= known
    commands = all_commands()
    named = re.findall(r"(?:^ {4}|`)agentlog ([a-z][a-z-]*)", text, re.MULTILINE)
    assert set(named) <= set(commands)


_MEANT_FOR_TESTS = {"TEST_FAKETIME", "TEST_DATABASE_URL"}


@pytest.mark.parametrize("document", [*DOCUMENTS, ROOT / "CONTRIBUTING.md"], ids=path_of)
def test_lines_are_short(document: Path) -> None:
    lines = (_URL.sub("", line) for line in document.read_text().splitlines())
    long = [line for line in lines if len(line) > LONGEST_LINE]
    assert [line for line in long if not line.startswith("|")] == []  # no row of a table wraps


@pytest.mark.parametrize("document", [*DOCUMENTS, *ROOT.glob("*.md")], ids=path_of)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)]+)\)", document.read_text()):
        path, _, anchor = re.sub(r"\s+", "", target).partition("#")
        leads_to = document.parent / path if path else document
        assert leads_to.exists(), target
        assert not anchor or anchor in _anchors(leads_to), target


def _anchors(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_index_names_every_document() -> None:
    linked = set(re.findall(r"\]\(([\w./-]+\.md)\)", _text("README.md")))
    others = (document for document in DOCUMENTS[2:] if document.name != "README.md")
    assert {os.path.relpath(document, ROOT / "docs") for document in others} <= linked


def test_the_reference_names_every_setting() -> None:
    named = set(re.findall(r"`AGENTLOG_([A-Z_]+)`", _text("reference/settings.md")))
    assert named == {name.upper() for name in Settings.model_fields}


def test_the_reference_names_every_message_type_with_its_fields() -> None:
    text = " ".join(_text("reference/api.md").split())
    for name, model in MESSAGE_TYPES.items():
        fields = ", ".join(
            f"{field.alias}{'' if field.is_required() else '?'}"
            for field in model.model_fields.values()
            if field.alias not in {"id", "timestamp", "type"}
        )
        assert f"- `{name}`: {fields}" in text


def test_the_reference_names_every_rule() -> None:
    assert all(f"`{rule}`" in _text("reference/api.md") for rule in get_args(Rule))


def test_the_reference_names_every_view_and_option() -> None:
    for name, view in VIEWS.items():
        (row,) = re.findall(rf"^\| `{name}` \|.*$", _text("reference/api.md"), re.MULTILINE)
        for option in option_values(view):
            assert f"`{option}=" in row


def test_the_reference_names_every_format_and_how_its_files_are_named() -> None:
    assert missing_formats() == []
    assert f"[{len(FORMATS)} formats]" in (ROOT / "README.md").read_text()


def missing_formats() -> list[str]:
    """Return the formats that the reference has no section of, with their title and suffixes."""
    text = _text("reference/formats.md")
    sections = {section.partition("\n")[0]: section for section in text.split("\n## ")[1:]}
    return [
        known.name
        for known in FORMATS.values()
        if (section := sections.get(f"`{known.name}`: {known.title}")) is None
        or not all(suffix in section for suffix in known.suffixes)
    ]


def test_no_document_example_or_help_has_readers_import_our_packages() -> None:
    imports = re.compile(r"\b(?:from|import) (?:api|domain|infrastructure|projections)\b")
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.*")]
    texts = {file.name: file.read_text() for file in files}
    commands = all_commands()
    texts |= {name: command.help or "" for name, command in commands.items()}
    assert [name for name, text in texts.items() if imports.search(text)] == []
