"""Units are what systemd understands, and their command lines run."""

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import httpx2
import pytest

from agentlog.infrastructure.embedded import open_embedded
from tests.clients import TLS
from tests.command_line import AGENTLOG, WAIT_SECONDS, agentlog, environment
from tests.databases import CARELESS, make_cluster, short_folder

UNITS = Path(__file__).parents[2] / "deploy" / "systemd"
NIGHTLY = UNITS / "agentlog-nightly"
PLACES = {
    "/opt/agentlog/bin/agentlog-nightly": str(NIGHTLY),
    "/opt/agentlog/bin": str(AGENTLOG.parent),
}
"""Where programs are once installed, and here."""

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="this machine has no systemd"
)


def here(unit: str) -> str:
    """Return a unit's text, with the programs of this environment."""
    text = (UNITS / unit).read_text()
    for place, ours in PLACES.items():
        text = text.replace(place, ours)
    return text


def values(unit: str, name: str) -> list[str]:
    return re.findall(rf"^{name}=(.+)", here(unit), re.MULTILINE)


def verified(folder: Path, texts: dict[str, str]) -> str:
    """Return what systemd has to say about units, nothing where all is well."""
    for name, text in texts.items():
        (folder / name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", *(folder / name for name in texts)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stderr + ("" if done.returncode == 0 else f"exit code {done.returncode}")


UNIT_NAMES = sorted(path.name for path in UNITS.iterdir() if path.suffix in {".service", ".timer"})


@needs_systemd
def test_systemd_has_nothing_to_say_about_the_units(tmp_path: Path) -> None:
    assert len(UNIT_NAMES) == 3
    assert verified(tmp_path, {name: here(name) for name in UNIT_NAMES}) == ""


@needs_systemd
@pytest.mark.parametrize("name", UNIT_NAMES)
def test_a_mistake_in_a_unit_is_told(name: str, tmp_path: Path) -> None:
    """It exits with 0 all the same."""
    text = re.sub(r"^(\w+)=", r"\1x=", here(name), count=1, flags=re.MULTILINE)
    assert "Unknown key" in verified(tmp_path, {name: text})


@needs_systemd
@pytest.mark.parametrize("name", [name for name in UNIT_NAMES if name.endswith(".service")])
def test_a_service_is_confined(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(here(name))
    command = ("systemd-analyze", "security", "--offline=true", "--threshold=20")  # of 100
    done = subprocess.run([*command, tmp_path / name], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


def command_of(unit: str) -> Sequence[str]:
    (line,) = values(unit, "ExecStart")
    return shlex.split(line)


def test_the_service_starts_answers_and_ends_in_time() -> None:
    with short_folder() as folder:
        make_cluster(folder / "data")
        settings = {"AGENTLOG_DATA_DIR": str(folder / "data"), "AGENTLOG_PORT": "0"}
        with subprocess.Popen(
            command_of("agentlog.service"),
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
            env={**environment(), **settings},
        ) as process:
            assert process.stdout is not None
            address = re.search(r"http://\S+?(?=,)", process.stdout.readline())
            assert address is not None
            with httpx2.Client(base_url=address[0], trust_env=False, verify=TLS) as client:
                assert client.get("/readyz").status_code == 200
            process.send_signal(signal.SIGTERM)
            (seconds,) = values("agentlog.service", "TimeoutStopSec")
            assert process.wait(timeout=int(seconds)) == 0


@pytest.mark.timeout(240)
def test_a_night_backs_up_tries_it_and_removes_what_is_old() -> None:
    with short_folder() as folder:
        backups, data = folder / "backups", folder / "data"
        backups.mkdir()
        make_cluster(data)
        _, *arguments = command_of("agentlog-nightly.service")
        assert arguments == ["/var/lib/agentlog-backups", "14"]
        path = f"{AGENTLOG.parent}:{os.environ['PATH']}"
        settings = {"AGENTLOG_DATA_DIR": str(data), "PATH": path, "TMPDIR": str(folder)}

        def night() -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [NIGHTLY, backups, "14"],
                env={**environment(), **settings},
                capture_output=True,
                text=True,
                timeout=WAIT_SECONDS * 3,
                check=False,
            )

        with open_embedded(data, settings=CARELESS) as server:
            examples = UNITS.parents[1] / "examples"
            assert agentlog("import", examples, url=server.url).code == 0
            rules = '{"rules": [{"older_than": "1h", "reason": "over"}]}'
            assert agentlog("rules", "set", "retention", rules, url=server.url).code == 0
            old = [backups / "2020-01-01T02-30-00Z", backups / "2020-01-01T02-30-00Z.note"]
            old[0].mkdir()
            old[1].write_text("no checkpoint")
            for path_of_old in old:
                os.utime(path_of_old, (0, 0))
            failed = night()
            assert failed.returncode == 2, failed.stderr
            assert all(path.exists() for path in old)  # what did not verify removes nothing
            shutil.rmtree(backups)
            backups.mkdir()
            old[0].mkdir()
            os.utime(old[0], (0, 0))
            done = night()
            assert done.returncode == 0, done.stderr
            assert "erased: 0 threads" in done.stderr  # all are of today
            note, kept = sorted(backups.iterdir(), key=lambda path: path.suffix, reverse=True)
            assert note.read_text().startswith("agentlog/default\n")
            assert note.name == f"{kept.name}.note"
