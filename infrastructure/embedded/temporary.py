"""A data folder that is thrown away."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def temporary_data_dir() -> Iterator[Path]:
    """Yield a data folder to be made, which is removed at the end."""
    with TemporaryDirectory(prefix="agentlog-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)  # its data is private; the server's user must be able to enter it
        yield folder / "data"
