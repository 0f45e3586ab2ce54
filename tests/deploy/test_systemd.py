"""Units are what systemd understands, and their command lines run."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from textwrap import dedent

import httpx2
import psycopg
import pytest

from agentlog.infrastructure.embedded import open_embedded
from tests.clients import TLS
from tests.command_line import AGENTLOG, agentlog, agentlog_on, environment
from tests.databases import CARELESS, make_cluster, short_folder
from tests.waiting import WAIT_SECONDS

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


def a_night(
    folder: Path, backups: Path, data: Path, every: str = "1", note_command: str = "cat >> sent"
) -> subprocess.CompletedProcess[str]:
    """Run the script on a data folder; temporary files and notes that are sent go to `folder`."""
    path = f"{AGENTLOG.parent}:{os.environ['PATH']}"
    settings = {"AGENTLOG_DATA_DIR": str(data), "PATH": path, "TMPDIR": str(folder)}
    return subprocess.run(
        [NIGHTLY, backups, "14", every],
        cwd=folder,
        env={**environment(), **settings, "NOTE_COMMAND": note_command},
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS * 3,
        check=False,
    )


def folders_in(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir() if entry.is_dir())


@pytest.mark.timeout(240)
def test_a_night_verifies_what_is_new_and_sends_its_note_away() -> None:
    with short_folder() as folder:
        backups, data, sent = folder / "backups", folder / "data", folder / "sent"
        backups.mkdir()
        (backups / f"{datetime.now(UTC):%Y-%m-%d}T02-30-00Z").mkdir()  # of less than a week ago
        make_cluster(data)
        night = partial(a_night, folder, backups, data, "7")
        with open_embedded(data, settings=CARELESS) as server:
            examples = UNITS.parents[1] / "examples"
            assert agentlog("import", examples / "refund.json", url=server.url).code == 0
            first = night()
            assert first.returncode == 0, first.stderr
            kept = (backups / "default.note").read_text()
            assert sent.read_text() == kept
            assert re.search(r"^whole: 1 thread, ", first.stdout, re.MULTILINE)
            assert agentlog("import", examples / "deploy.json", url=server.url).code == 0
            unset = night("")
            assert unset.returncode == 2
            assert "set NOTE_COMMAND: the note is on this machine only" in unset.stderr
            assert "erased: 0 threads" in unset.stderr  # by another step
            refused = night("cat > /dev/null; exit 7")
            assert refused.returncode == 7
            assert (backups / "default.note").read_text() == kept
            second = night()
            assert second.returncode == 0, second.stderr
            size = kept.splitlines()[1]
            assert f"whole since size {size}: 1 thread, " in second.stdout
            assert sent.read_text().startswith(kept)
            assert sent.read_text().endswith((backups / "default.note").read_text())
            owner = "UPDATE agentlog.events SET chain = sha256('') WHERE thread_id = 'refund'"
            with psycopg.connect(server.url) as connection:
                connection.execute("SET session_replication_role = replica")
                connection.execute(owner)
            noted = sent.read_text()
            broken = night()
            assert broken.returncode == 1
            assert sent.read_text() == noted  # what is broken is not signed
        assert len(folders_in(backups)) == 1


def test_the_guide_s_command_pushes_notes_to_a_repository(tmp_path: Path) -> None:
    guide = (UNITS.parents[1] / "docs" / "how-to" / "deploy.md").read_text()
    blocks = re.findall(r"^    #!/bin/sh.*\n(?:    .*\n)+", guide, re.MULTILINE)
    (script,) = (dedent(block) for block in blocks if "git push" in block)
    hub, notes = tmp_path / "hub.git", tmp_path / "notes"
    who = {
        f"GIT_{role}_{key}": "night"
        for role in ("AUTHOR", "COMMITTER")
        for key in ("NAME", "EMAIL")
    }
    env = {**os.environ, **who, "AGENTLOG_TENANT": "acme"}
    run = partial(subprocess.run, env=env, check=True, capture_output=True, text=True)
    run(["git", "init", "--quiet", "--bare", hub])
    run(["git", "clone", "--quiet", hub, notes])
    for note in ("first\n", "second\n"):
        run(
            ["sh", "-euc", script.replace("/var/lib/agentlog-backups/notes", str(notes))],
            input=note,
        )
    shown = run(["git", "-C", hub, "log", "--format=", "-p", "--", "acme.note"]).stdout
    assert [line for line in shown.splitlines() if line[:1] == "+" and line[1:2].isalpha()] == [
        "+second",
        "+first",
    ]


def test_the_key_of_checkpoints_is_not_where_the_service_is() -> None:
    assert "SIGNING_KEY" not in here("agentlog.service")
    assert "signing-key" not in here("agentlog.service")
    (credential,) = values("agentlog-nightly.service", "LoadCredential")
    name, _, source = credential.partition(":")
    assert source.startswith("/etc/agentlog/")
    assert f"AGENTLOG_SIGNING_KEY=%d/{name}" in values("agentlog-nightly.service", "Environment")


@pytest.mark.timeout(240)
def test_a_night_backs_up_tries_it_and_removes_what_is_old() -> None:
    with short_folder() as folder:
        backups, data = folder / "backups", folder / "data"
        backups.mkdir()
        make_cluster(data)
        _, *arguments = command_of("agentlog-nightly.service")
        assert arguments == ["/var/lib/agentlog-backups", "14", "7"]
        with open_embedded(data, settings=CARELESS) as server:
            examples = UNITS.parents[1] / "examples"
            assert agentlog("import", examples, url=server.url).code == 0
            rules = '{"rules": [{"older_than": "1h", "reason": "over"}]}'
            assert agentlog("rules", "set", "retention", rules, url=server.url).code == 0
            old = backups / "2020-01-01T02-30-00Z"
            old.mkdir()
            os.utime(old, (0, 0))
            failed = a_night(folder, backups, data)
            assert failed.returncode == 2, failed.stderr
            assert folders_in(backups) == [old.name, "unchecked"]
            assert agentlog("backup", backups / "2020-01-02T02-30-00Z", url=server.url).code == 0
            os.utime(backups / "2020-01-02T02-30-00Z", (time.time() - 86_400,) * 2)
            done = a_night(folder, backups, data)
            assert done.returncode == 0, done.stderr
            assert "erased: 0 threads" in done.stderr  # all are of today
            names = folders_in(backups)
            assert names[0] == "2020-01-02T02-30-00Z"
            assert names[1] > "2026"
            assert len(names) == 2


@pytest.mark.timeout(240)
def test_a_log_that_went_back_fails_each_night_and_its_good_backups_stay() -> None:
    """Also where nothing is of the tenant that the settings name."""
    with short_folder() as folder:
        backups, data, put_back = folder / "backups", folder / "data", folder / "put-back"
        backups.mkdir()
        make_cluster(data)
        night = partial(a_night, folder, backups)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AGENTLOG_TENANT", "acme")
            examples = UNITS.parents[1] / "examples"
            with open_embedded(data, settings=CARELESS) as server:
                assert agentlog("import", examples / "refund.json", url=server.url).code == 0
                assert agentlog("backup", folder / "before", url=server.url).code == 0
                assert agentlog("import", examples / "deploy.json", url=server.url).code == 0
                assert (done := night(data)).returncode == 0, done.stderr
        (good,) = (path for path in backups.iterdir() if path.is_dir())
        os.utime(good, (0, 0))
        assert agentlog_on(put_back, "restore", folder / "before").code == 0
        for _ in range(2):
            failed = night(put_back)
            assert failed.returncode == 1, failed.stderr
            assert "the log went back: from position" in failed.stdout
            assert folders_in(backups) == [good.name, "unchecked"]
