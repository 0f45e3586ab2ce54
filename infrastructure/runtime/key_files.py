"""Files of secret keys: readable only by their owner, and written atomically."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

SIGNING_KEY = "signing-key.pem"
SNAPSHOT_KEY = "snapshot-key"
"""Names of the files in the data folder, which they may be the first to use."""


def write_once(path: Path, content: bytes) -> None:
    """Write a key; if the file exists already, it is kept."""
    handle, name = tempfile.mkstemp(prefix=path.name, dir=path.parent)  # for its owner only: 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink()
