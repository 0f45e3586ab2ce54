"""A data folder that is thrown away."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from agentlog.infrastructure.embedded.errors import EmbeddedServerError


@contextmanager
def temporary_data_dir(above: Path | None = None) -> Iterator[Path]:
    """Yield a data folder to be made, which is removed at the end: in `above`, or the system's.

    Raises:
        EmbeddedServerError: there can be none in `above`.
    """
    with ExitStack() as stack:
        try:
            if above is not None:
                above.mkdir(parents=True, exist_ok=True)
            name = TemporaryDirectory(prefix="agentlog-", dir=above, ignore_cleanup_errors=True)
            folder = Path(stack.enter_context(name))
        except OSError as error:
            raise EmbeddedServerError(
                f"no trial can be made in {above} ({error.strerror}): have AGENTLOG_TRIAL_DIR name "
                "a folder on a disk with room for the whole log"
            ) from error
        folder.chmod(0o755)  # its data is private; the server's user must be able to enter it
        yield folder / "data"
