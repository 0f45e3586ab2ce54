"""The client's distribution alone, in an environment of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.test_transfer import EXPECTED, bulky, contents, line
from tests.command_line import agentlog
from tests.reliability.service import ServiceProcess, own_service
from tests.waiting import WAIT_SECONDS, until

CLIENT = Path(__file__).parents[2] / "client"
UV = Path(sys.executable).with_name("uv")


@pytest.fixture
def service(database_url: str) -> Iterator[ServiceProcess]:
    """A service."""
    with own_service(database_url, AGENTLOG_PROJECTIONS="off") as running:
        yield running


def _done(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_client_alone_imports_and_watches(
    service: ServiceProcess, database_url: str, tmp_path: Path
) -> None:
    """Its packages come from the registry that pip uses."""
    wheels, home = tmp_path / "wheels", tmp_path / "environment"
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    assert _done(*pip, "--wheel-dir", wheels, CLIENT).returncode == 0
    assert _done(sys.executable, "-m", "venv", "--without-pip", home).returncode == 0
    (wheel,) = wheels.iterdir()
    installed = _done(UV, "pip", "install", "--quiet", "--python", home, f"{wheel}[watch]")
    assert installed.returncode == 0, installed.stderr
    program = home / "bin" / "agentlog"
    assert _done(program, "--version").stdout.startswith("agentlog-client ")
    imported = _done(program, "import", bulky(tmp_path), "--to", service.address)
    assert imported.returncode == 0, imported.stderr
    assert "events            440  0 there already" in imported.stderr
    assert contents(database_url) == EXPECTED
    listed = _done(program, "imports", "--to", service.address)
    assert "40 threads       440 events" in listed.stdout
    taken = _done(program, "imports", "undo", listed.stdout[:26], "--to", service.address)
    assert taken.stdout.startswith("threads hidden: 40;")
    folder = tmp_path / "logs"
    folder.mkdir()
    settings = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    words = [program, "watch", folder, "--to", service.address]
    with subprocess.Popen(words, env=settings, stderr=subprocess.PIPE, text=True) as watcher:
        try:
            for text in ("a", "b"):
                with (folder / "s.jsonl").open("a") as file:
                    file.write(line(text))
                until(lambda text=text: contents(database_url).get("s", [])[-1:] == [text])  # type: ignore[misc]
        finally:
            watcher.send_signal(signal.SIGINT)
        _, err = watcher.communicate(timeout=WAIT_SECONDS)
    assert watcher.returncode == 130
    assert "Traceback" not in err
    assert agentlog("verify", url=database_url).code == 0
