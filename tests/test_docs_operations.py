"""The guide to backups tells the truth: its commands run in order."""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentlog.infrastructure.embedded import open_embedded
from agentlog.infrastructure.postgres.database import Database
from tests.command_line import agentlog, environment
from tests.databases import CARELESS, make_cluster, short_folder

ROOT = Path(__file__).parents[1]
GUIDES = ROOT / "docs" / "how-to"
PROGRAMS = Path(sys.executable).parent

_BLOCK = re.compile(r"^```sh\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("jq") is None, reason="a command of the guide takes jq")
@pytest.mark.timeout(300)  # some processes, each with a Python to start
def test_its_commands_run_in_their_order() -> None:
    with short_folder() as folder:
        data, restored = folder / "data", folder / "data-2"
        places = {"/var/lib/agentlog": data, "/backups": folder / "backups", "/elsewhere": folder}
        blocks = _BLOCK.findall((GUIDES / "back-up.md").read_text())
        assert len(blocks) == 5
        for made in (data, restored):
            make_cluster(made)
        with (
            open_embedded(data, settings=CARELESS) as server,
            open_embedded(restored, settings=CARELESS),
        ):
            assert agentlog("import", ROOT / "examples", url=server.url).code == 0
            for block in blocks:
                if "redactions" in block:
                    words = ("redact", "refund", "--yes", "--reason", "was asked to")
                    assert agentlog(*words, url=server.url).code == 0
                run(block, places, folder)
        redactions = (folder / "backups" / "redactions.sh").read_text()
        assert redactions == "'agentlog' 'redact' '--yes' '--reason' 'was asked to' 'refund'\n"


def run(block: str, places: Mapping[str, Path], temporary: Path) -> None:
    """Run commands as a reader does, with other places than theirs."""
    for place, here in places.items():
        block = block.replace(place, str(here))
    kept = environment()
    changed = {"PATH": f"{PROGRAMS}:{kept['PATH']}", "TMPDIR": str(temporary)}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        env={**kept, **changed},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, f"{block}\n{done.stderr}"


def test_every_table_that_grows_stands_in_the_guide_with_its_bound(
    shared_database: Database,
) -> None:
    guide = (GUIDES / "operate.md").read_text()
    section = guide.partition("### What grows")[2].partition("\nRead models, ")[0]
    rows = [line.split("|")[1:4] for line in section.splitlines() if line.startswith("| `")]
    named = {
        name: bound.strip() for names, _, bound in rows for name in re.findall(r"`(\w+)`", names)
    }
    with shared_database.connection() as connection:
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'agentlog'"
        ).fetchall()
    assert named.keys() == {name for (name,) in tables}
    assert all(named.values())
