"""Texts of this machine and its user, which requests of an agent may hold."""

import getpass
import socket
import tempfile
from pathlib import Path

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
    }
    return {name: value for name, value in values.items() if len(value) >= _SHORTEST}
