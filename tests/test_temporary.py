"""A run of the tests that is killed leaves no process and no folder behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import WAIT_SECONDS, until

MARK = "KILLED_TEST_RUN"
TEST = """
import os
import tempfile
from pathlib import Path

from agentlog.infrastructure.embedded import open_embedded, temporary_data_dir
from tests.command_line import started


def test_that_is_killed():
    with temporary_data_dir() as data, open_embedded(data) as server:
        with started("serve", "--port", "0", url=server.url) as service:
            service.stdout.readline()
            Path("ready.new").write_text(f"{os.getpid()} {tempfile.gettempdir()}")
            Path("ready.new").rename("ready")
            service.wait()
"""


@pytest.fixture
def run(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run of the tests by a process beside, in a group of its own, with server and service."""
    (tmp_path / "test_killed.py").write_text(TEST)
    (tmp_path / "pytest.ini").touch()
    command = [sys.executable, "-m", "pytest", "-n", "1", "-p", "tests.conftest", "test_killed.py"]
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, MARK: str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        yield process
        process.kill()


def processes_of(run: Path) -> list[str]:
    """Return the commands of the run that have not ended."""
    commands = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={run}".encode() in (process / "environ").read_bytes():
                commands.append((process / "cmdline").read_text())
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # it has ended, or is another user's
    return commands


@pytest.mark.parametrize(
    "whole",
    [
        pytest.param(True, id="the run"),
        pytest.param(False, id="one worker", marks=pytest.mark.slow),
    ],
)
def test_server_and_service_end_with_tests_that_are_killed(
    run: subprocess.Popen[bytes], tmp_path: Path, *, whole: bool
) -> None:
    ready = tmp_path / "ready"
    until(ready.exists, seconds=4 * WAIT_SECONDS)  # a run of the tests begins
    worker, folder = ready.read_text().split()
    assert Path(folder).is_dir()
    assert any("postgres" in command for command in processes_of(tmp_path))
    if whole:
        os.killpg(run.pid, signal.SIGKILL)
    else:
        ready.unlink()
        os.kill(int(worker), signal.SIGKILL)
    until(lambda: not processes_of(tmp_path) and not Path(folder).exists())
