"""A package of its own adds a format, a view and a command, as docs/how-to/extend.md says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.databases import new_database

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "extension"
HISTORY = {
    "desk": "north",
    "turns": [
        {"who": "user", "text": "Where is my parcel?"},
        {"who": "desk", "text": "It is late."},
        {"who": "desk", "text": "Sorry.", "mood": "low"},
    ],
}


@pytest.fixture(scope="module")
def used(
    tmp_path_factory: pytest.TempPathFactory, server_url: str, template_database: str
) -> dict[str, Any]:
    """Install the package in a folder on the path, and return what the commands say then."""
    folder = tmp_path_factory.mktemp("installed")
    install = "-m pip install --quiet --no-index --no-deps --no-build-isolation --target".split()
    sources = tmp_path_factory.mktemp("sources")
    for path in EXAMPLE.rglob("*.*"):
        if path.suffix in {".py", ".toml"}:
            copy = sources / path.relative_to(EXAMPLE)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(path.read_bytes())
    subprocess.run([sys.executable, *install, folder, sources], check=True)
    file = tmp_path_factory.mktemp("files") / "north.json"
    file.write_text(json.dumps(HISTORY))
    with new_database(server_url, template=template_database) as url:
        printed = subprocess.run(
            [sys.executable, "-m", "tests.extensions.stranger", file, url],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(folder)},
            capture_output=True,
            check=True,
        ).stdout
    answers: dict[str, Any] = json.loads(printed)
    return answers


def test_its_format_is_listed_found_out_and_read(used: dict[str, Any]) -> None:
    assert re.search(r"^desk +Desk histories, a thread per record$", used["formats"], re.MULTILINE)
    assert "Desk histories, 1 file" in used["imported"]
    assert used["messages"] == ["input", "reply", "desk.turn"]


def test_its_view_shows(used: dict[str, Any]) -> None:
    assert used["view"] == [{"words": 4, "total": 4}, {"words": 3, "total": 7}]
    assert used["openapi"]


def test_its_command_is_listed_and_runs(used: dict[str, Any]) -> None:
    assert used["command"] == "7\n"
    assert "Say how many words a thread has." in used["help"]


def test_its_parts_bear_the_names_that_they_are_registered_by(used: dict[str, Any]) -> None:
    assert used["names"] == ["desk", "words"]


def test_the_document_has_its_lines() -> None:
    """What `extend.md` shows stands in the example."""
    text = (ROOT / "docs" / "how-to" / "extend.md").read_text()
    blocks = re.findall(r"^```(?:py|toml)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    sources = [path.read_text() for path in EXAMPLE.rglob("*.*") if path.is_file()]
    assert len(blocks) > 3
    assert [block for block in blocks if not any(block in source for source in sources)] == []
