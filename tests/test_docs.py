"""The README tells the truth: its examples run, in their order, and print what they say."""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from api.cli.main import app
from infrastructure.postgres.database import Database
from tests.infrastructure.analysts.logins import analyst_url

ROOT = Path(__file__).parents[1]
AGENTLOG = Path(sys.executable).parent / "agentlog"
PRINTED_ADDRESS = "http://127.0.0.1:8080"

_BLOCK = re.compile(
    r"^```(?P<language>sh|python)\n(?P<code>.*?)^```\n(?:^```(?:json|text)\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


@pytest.fixture
def demo_environment(database_url: str) -> Iterator[dict[str, str]]:
    """The environment of a reader who has run `make demo`: its address, its database."""
    with Database(database_url, pool_size=1) as database:
        analysts = analyst_url(database, "default")
    environment = {
        **os.environ,
        "PATH": f"{AGENTLOG.parent}:{os.environ['PATH']}",
        "AGENTLOG_DATABASE_URL": database_url,
        "AGENTLOG_ANALYST_URL": analysts,
    }
    with subprocess.Popen(
        [AGENTLOG, "demo", "--port", "0"], env=environment, stdout=subprocess.PIPE, text=True
    ) as demo:
        try:
            assert demo.stdout is not None
            first = demo.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", first)
            assert found is not None, first
            yield {**environment, "ADDRESS": found[0]}
        finally:
            demo.terminate()
        assert demo.wait(timeout=20) == 0


def test_the_readme_runs_and_prints_what_it_says(demo_environment: dict[str, str]) -> None:
    address = demo_environment["ADDRESS"]
    blocks = list(_BLOCK.finditer((ROOT / "README.md").read_text()))
    assert len(blocks) >= 10
    for block in blocks:
        code = block["code"].replace(PRINTED_ADDRESS, address)
        if block["language"] == "sh":  # answers end without a line break, which a reader sees
            command = ["bash", "-euo", "pipefail"]
            code = 'curl() { command curl "$@"; echo; }\n' + code
        else:
            command = [sys.executable]
        done = subprocess.run(
            [*command, "-c", code],
            env=demo_environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        if block["output"] is not None:
            _check(block["code"], block["output"], done.stdout)


def test_commands_and_settings_in_the_readme_exist() -> None:
    readme = (ROOT / "README.md").read_text()
    makefile = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"make ([a-z-]+)", readme)):
        assert f"\n{target}:" in makefile, target
    settings = (ROOT / "infrastructure" / "settings.py").read_text()
    for variable in set(re.findall(r"AGENTLOG_([A-Z_]+)", readme)) - {"TEST_DATABASE_URL"}:
        assert f"    {variable.lower()}:" in settings, variable
    commands = get_command(app).commands  # type: ignore[attr-defined] # it is a group
    named = set(re.findall(r"^    agentlog ([a-z]+)", readme, re.MULTILINE))
    assert named
    assert named <= set(commands)


def test_no_document_example_or_help_has_readers_import_our_packages() -> None:
    imports = re.compile(r"\b(?:from|import) (?:api|domain|infrastructure|projections)\b")
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*")]
    texts = {each.name: each.read_text() for each in files if each.is_file()}
    commands = get_command(app).commands  # type: ignore[attr-defined] # it is a group
    texts |= {name: each.help or "" for name, each in commands.items()}
    assert [name for name, text in texts.items() if imports.search(text)] == []


def test_links_in_the_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?://)([^)#]+)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def _check(code: str, expected: str, printed: str) -> None:
    checker = doctest.OutputChecker()
    printed = "\n".join(line for line in printed.splitlines() if line.strip()) + "\n"
    if not checker.check_output(expected, printed, doctest.ELLIPSIS):
        pytest.fail(f"the README says of\n{code}\n{expected}\nbut it printed\n{printed}")
