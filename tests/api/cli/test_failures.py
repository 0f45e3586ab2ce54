"""How commands end: our own PostgreSQL ends with the last of them."""

import signal
from pathlib import Path

import pytest

from tests.command_line import started
from tests.databases import make_cluster, short_folder
from tests.waiting import WAIT_SECONDS, until


def _runs(data_dir: Path) -> bool:
    """Whether the server of a folder takes connections, or did when it was last killed."""
    file = data_dir / "postgresql" / "postmaster.pid"
    return file.exists() and "ready" in file.read_text()


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (["tail"], signal.SIGTERM),
        (["tail"], signal.SIGHUP),
        (["watch", "claude-code"], signal.SIGTERM),
        (["projections", "run"], signal.SIGTERM),
    ],
    ids=str,
)
def test_a_signal_ends_a_command_and_its_postgresql(
    words: list[str], number: int, tmp_path: Path
) -> None:
    with short_folder() as folder:
        data_dir = folder / "data"
        make_cluster(data_dir)
        settings = {"CLAUDE_CONFIG_DIR": str(tmp_path)}
        (tmp_path / "projects").mkdir()
        with started(*words, "--data-dir", data_dir, **settings) as process:
            until(lambda: _runs(data_dir) or process.poll() is not None)
            process.send_signal(number)
            _, err = process.communicate(timeout=WAIT_SECONDS)
        assert "Traceback" not in err
        assert process.returncode in {0, 128 + number}
        assert not _runs(data_dir)
