"""Uses a package of strangers that is installed, and prints what came of it as JSON."""

import json
import sys
from pathlib import Path
from typing import Any

from agentlog.projections.readers.registry import FORMATS
from agentlog.projections.registry import VIEWS
from tests.command_line import agentlog


def used(file: Path, url: str) -> dict[str, Any]:
    """Return what commands print of a file of the stranger's format."""
    imported = agentlog("import", file, url=url)
    return {
        "formats": agentlog("formats", url=url).out,
        "imported": imported.out + imported.err,
        "messages": [item["type"] for item in agentlog("view", "north", "kernel", url=url).lines],
        "view": agentlog("view", "north", "words", url=url).lines,
        "command": agentlog("words", "north", url=url).out,
        "help": agentlog("--help", url=url).out,
        "openapi": "words" in agentlog("openapi", url=url).out,
        "names": [FORMATS["desk"].name, VIEWS["words"].name],
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(used(Path(sys.argv[1]), sys.argv[2])))
