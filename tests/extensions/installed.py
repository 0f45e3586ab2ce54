"""Prints what is installed as JSON: what commands show in a process of its own."""

import json
import sys
from typing import Any

from typer.testing import CliRunner

from agentlog.api.cli.commands import COMMANDS
from agentlog.api.cli.main import app
from agentlog.api.http.codec.responses import ERRORS
from agentlog.api.http.registry import ROUTERS
from agentlog.extension import added
from agentlog.projections.context.links import LINKS
from agentlog.projections.outcomes.suspicion import FAILURE_TEXTS
from agentlog.projections.own_types.registry import OWN_TYPES
from agentlog.projections.readers.appended import APPENDABLE
from agentlog.projections.registry import VIEWS


def installed() -> dict[str, Any]:
    """Return the names of parts by kind, the text of help, and the extensions that are imported."""
    return {
        "formats": [line.split()[0] for line in _printed("formats").splitlines()],
        "appendable": list(APPENDABLE),
        "own_types": list(OWN_TYPES),
        "links": list(LINKS),
        "failure_texts": list(FAILURE_TEXTS),
        "views": list(VIEWS),
        "commands": [*COMMANDS, *added("commands", taken=COMMANDS)],
        "routes": list(ROUTERS),
        "errors": list(ERRORS),
        "paths": list(json.loads(_printed("openapi"))["paths"]),
        "help": _printed("--help"),
        "modules": [name for name in sys.modules if name.startswith("agentlog.extensions.")],
    }


def _printed(*words: str) -> str:
    outcome = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


if __name__ == "__main__":
    sys.stdout.write(json.dumps(installed()))
