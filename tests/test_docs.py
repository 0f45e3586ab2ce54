"""The documents tell the truth: their examples run in order and print what they say."""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agentlog.api.cli.main import all_commands
from agentlog.domain.catalogue import MESSAGE_TYPES
from agentlog.domain.threads import Rule
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.settings import OF_TOOLS, Settings
from agentlog.projections.readers.registry import FORMATS
from agentlog.projections.registry import VIEWS, option_values
from tests.databases import new_database
from tests.infrastructure.analysts.logins import analyst_url
from tests.providers.script import Answer, Call
from tests.providers.server import ScriptedProvider
from tests.waiting import WAIT_SECONDS

ROOT = Path(__file__).parents[1]
PROGRAMS = Path(sys.executable).parent
DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "extensions").rglob("*.md")),
]
NOT_ON_THE_DEMO = "back-up.md"
"""Its commands run in test_docs_operations.py."""
MAKES_A_KEY = "secure.md"
"""It comes last: after the first key the demo answers no request without one."""
PRINTED_ADDRESS = "http://127.0.0.1:8080"
LONGEST_LINE = 99
MODELS = {
    "gpt-4o-mini": Answer("I will look.", [Call("get_order", {"order_id": 1042})]),
    "claude-sonnet-4-5": Answer("Which order?"),
}
"""What the models say that the documents ask."""

_BLOCK = re.compile(
    r"^```(?P<language>sh|python)\n(?P<code>.*?)^```\n(?:^```(?:json|text)\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
_URL = re.compile(r"https?://\S+")


def _with_examples() -> list[Path]:
    documents = [
        document
        for document in DOCUMENTS
        if _BLOCK.search(document.read_text()) and document.name != NOT_ON_THE_DEMO
    ]
    return sorted(documents, key=lambda document: document.name == MAKES_A_KEY)


def _name(document: Path) -> str:
    return str(document.relative_to(ROOT))


def _text(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


@pytest.fixture(scope="module")
def demo_environment(
    server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """The environment of a reader who has run `make demo`: its address, its database, its keys."""
    with (
        new_database(server_url, template=template_database) as url,
        ScriptedProvider(lambda turn: MODELS[turn.model]) as provider,
    ):
        signing_key = tmp_path_factory.mktemp("keys") / "signing-key.pem"
        addresses = {"OPENAI_BASE_URL": f"{provider.url}/v1", "ANTHROPIC_BASE_URL": provider.url}
        yield from _demo(url, signing_key, addresses)


def _demo(
    database_url: str, signing_key: Path, addresses: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    with Database(database_url, pool_size=1) as database:
        analysts = analyst_url(database, "default")
    signing_key.write_bytes(
        Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
    )
    environment = {
        **os.environ,
        "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
        "AGENTLOG_DATABASE_URL": database_url,
        "AGENTLOG_ANALYST_URL": analysts,
        "AGENTLOG_SIGNING_KEY": str(signing_key),
        "AGENTLOG_IMPORT_DIR": str(signing_key.parent),
        "AGENTLOG_GATEWAY_URL": "http://127.0.0.1:8093/openai/v1",
        "XDG_STATE_HOME": str(signing_key.parent),
        **addresses,
    }
    with subprocess.Popen(
        ["agentlog", "demo", "--port", "0"], env=environment, stdout=subprocess.PIPE, text=True
    ) as demo:
        try:
            assert demo.stdout is not None
            first = demo.stdout.readline()
            match = re.search(r"http://127\.0\.0\.1:\d+", first)
            assert match is not None, first
            yield {**environment, "ADDRESS": match[0], "AGENTLOG_URL": match[0]}
        finally:
            demo.terminate()
        assert demo.wait(timeout=WAIT_SECONDS) == 0


@pytest.mark.parametrize("document", _with_examples(), ids=_name)
def test_examples_run_and_print_what_the_document_says(
    document: Path, demo_environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")  # a reader is in the checkout
    for block in _BLOCK.finditer(document.read_text()):
        code = block["code"].replace(PRINTED_ADDRESS, demo_environment["ADDRESS"])
        if block["language"] == "sh":  # answers end without a line break, which a reader sees
            command = ["bash", "-euo", "pipefail"]
            code = 'curl() { command curl "$@"; echo; }\n' + code
        else:
            command = [sys.executable]
        done = subprocess.run(
            [*command, "-c", code],
            env=demo_environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{code}\n{done.stderr}"
        if block["output"] is not None:
            _check(block["code"], block["output"], done.stdout)


def _check(code: str, expected: str, printed: str) -> None:
    checker = doctest.OutputChecker()
    expected = re.sub(r"\n +", "", expected)  # an indented line continues the one above
    printed = "\n".join(line for line in printed.splitlines() if line.strip()) + "\n"
    if not checker.check_output(expected, printed, doctest.ELLIPSIS):
        pytest.fail(f"the document says of\n{code}\n{expected}\nbut it printed\n{printed}")


def test_examples_are_found() -> None:
    assert len(_with_examples()) >= 8


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
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


@pytest.mark.parametrize("document", [*DOCUMENTS, ROOT / "CONTRIBUTING.md"], ids=_name)
def test_lines_are_short(document: Path) -> None:
    lines = (_URL.sub("", line) for line in document.read_text().splitlines())
    long = [line for line in lines if len(line) > LONGEST_LINE]
    assert [line for line in long if not line.startswith("|")] == []  # no row of a table wraps


@pytest.mark.parametrize("document", [*DOCUMENTS, *ROOT.glob("*.md")], ids=_name)
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
    assert named == {name.upper() for name in Settings.model_fields} - {"FORWARDED_ALLOW_IPS"}


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
