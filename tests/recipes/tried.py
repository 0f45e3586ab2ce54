"""Tries what the recipes added, in a copy of the sources, and prints what came of it as JSON."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.readmodels.registry import read_model
from tests import test_docs
from tests.command_line import agentlog
from tests.extensions import test_commands
from tests.infrastructure.readmodels.tables import live, rows_of
from tests.infrastructure.reports import test_documentation

TOYS = {
    "threadId": "box",
    "policy": "strict",
    "messages": [
        {"type": "toy", "id": f"{1:026d}", "timestamp": 1, "text": "secret", "callId": "a"},
        {"type": "approval_response", "callId": "a", "approved": True},
        {"type": "tool_calls", "calls": [{"id": "b", "name": "ball", "args": {}}]},
    ],
}


def tried(folder: Path, url: str) -> dict[str, Any]:
    """Return what the commands print about toys."""
    (folder / "chest").mkdir()
    (folder / "chest" / "head.toy").write_text('"ball"')
    (folder / "chest" / "body.toy").write_text('"kite"')
    (folder / "box.json").write_text(json.dumps(TOYS))
    schema = json.loads(agentlog("openapi", url=url).out)
    imported = agentlog("import", folder, url=url)
    shown = agentlog("view", "chest", "toy", "-o", "loud=true", url=url).lines
    agentlog("projections", "rebuild", "toys", url=url)
    report = json.loads(agentlog("report", "toy", "--json", url=url).out)
    agentlog("redact", "box", "--reason", "test", "--yes", url=url)
    with Database(url, pool_size=2) as database:
        rows = rows_of(database, read_model("toys"), live(database, "toys").build)
    return {
        "formats": [line.split()[0] for line in agentlog("formats", url=url).out.splitlines()],
        "imported": imported.out + imported.err,
        "view": shown,
        "toy": agentlog("view", "box", "kernel", url=url).lines[0],
        "rows": len(rows),
        "report": report,
        "help": agentlog("--help", url=url).out,
        "command": agentlog("toy", url=url).out,
        "models": sorted(name for name in schema["components"]["schemas"] if "Toy" in name),
        "undocumented": sorted(_undocumented()),
    }


def _undocumented() -> list[str]:
    """Return what the checks of documents ask for."""
    missing = [f"format {name}" for name in test_docs.missing_formats()]
    for check in (
        test_documentation.test_the_document_lists_every_report,
        test_docs.test_the_reference_names_every_message_type_with_its_fields,
        test_docs.test_the_reference_names_every_setting,
        test_docs.test_the_reference_names_every_view_and_option,
        test_commands.test_the_reference_of_the_commands_is_what_they_say_of_themselves,
    ):
        with suppress(AssertionError, ValueError):
            check()
            continue
        missing.append(check.__name__)
    return missing


if __name__ == "__main__":
    sys.stdout.write(json.dumps(tried(Path(sys.argv[1]), sys.argv[2])))
