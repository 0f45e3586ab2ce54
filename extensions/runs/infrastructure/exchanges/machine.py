"""Texts of this machine and its user, which requests of an agent may hold."""

import getpass
import os
import socket
import tempfile
from pathlib import Path

_FOLDERS = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
"""Variables by which agents find folders of their own."""
_SHORTEST = 3
"""Characters of the shortest text that is not a part of any other by chance."""


def values_here() -> dict[str, str]:
    """Return the texts, by what they are."""
    values = {
        "cwd": str(Path.cwd()),
        "home": str(Path.home()),
        "tmp": tempfile.gettempdir(),
        "user": getpass.getuser(),
        "host": socket.gethostname(),
        **{name.lower(): os.environ[name] for name in _FOLDERS if name in os.environ},
    }
    return {name: value for name, value in values.items() if len(value) >= _SHORTEST}
