"""Files imported by a service: as by the command here, whoever is killed meanwhile."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.tenants import Tenants
from agentlog.infrastructure.transfer.report import ImportReport
from agentlog_client import AgentlogError
from agentlog_client.transfer import sending
from agentlog_client.transfer.imports import import_files
from agentlog_client.transfer.memory import Memory, NoStateFolder
from agentlog_client.transfer.watch import watched
from tests.api.conftest import threads_over
from tests.api.keyholders import empty_keys, make_key
from tests.command_line import AGENTLOG, agentlog, environment
from tests.infrastructure.appends import TENANT, reply
from tests.infrastructure.transfer.importing import run as import_here
from tests.projections.readers.test_golden_readers import SOURCES
from tests.reliability.service import ServiceProcess, own_service
from tests.waiting import WAIT_SECONDS, until

THREADS, MESSAGES = 40, 10
PIECE = 20_000


def bulky(folder: Path) -> Path:
    """Return a file of many pieces."""
    path = folder / "runs.jsonl"
    lines = (
        {"threadId": f"t{n:02}", "messages": [reply(f"{n}.{m} " + "x" * 500) for m in range(10)]}
        for n in range(THREADS)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def lines_of(report: ImportReport) -> list[str]:
    return list(report.lines())


KINDS = {source.suffix: source for source in SOURCES}
"""A source of each kind of files, by its suffix; folders have none."""


@pytest.mark.parametrize("source", KINDS.values(), ids=lambda path: path.name)
def test_a_service_imports_as_the_command_does_here(
    url: str, database: Database, capsys: pytest.CaptureFixture[str], source: Path
) -> None:
    here = import_here(threads_over(database, tenant="here"), source, wire=None)
    code = import_files([source], url=url, key=None, order={})
    printed = capsys.readouterr().err.splitlines()
    assert printed[: len(lines_of(here))] == lines_of(here)
    assert code == (1 if here.failures else 0)


def test_all_findings_go_to_a_file_and_a_dry_run_writes_nothing(
    url: str, app: FastAPI, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tenants: Tenants = app.state.tenants
    folder, report = tmp_path / "runs", tmp_path / "report.jsonl"
    folder.mkdir()
    (folder / "a.jsonl").write_text(json.dumps({"threadId": "a", "messages": [reply("x")]}) + "\n{")
    (folder / "b.mp4").write_bytes(b"x")
    (folder / "c.json").symlink_to("/etc/passwd")
    for dry in (True, False):
        code = import_files([folder], url=url, key=None, order={}, dry_run=dry, report=report)
        assert code == 1
        assert [json.loads(line)["kind"] for line in report.read_text().splitlines()] == [
            "passed over",
            "passed over",
            "refused",
        ]
        assert len(tenants[TENANT].threads.log()) == (0 if dry else 2)
    printed = capsys.readouterr().err
    assert "passed over         2" in printed
    assert f"{folder}/a.jsonl:2: " in printed


def test_a_key_that_is_refused_is_told(
    url: str, app: FastAPI, database: Database, tmp_path: Path
) -> None:
    path = bulky(tmp_path)
    try:
        reader = make_key(app, "read")
        for key, reason in ((None, "401"), (reader.reveal(), "append")):
            with pytest.raises(AgentlogError, match=reason):
                import_files([path], url=url, key=key, order={})
    finally:
        empty_keys(database)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files go in many pieces."""
    monkeypatch.setattr(sending, "_PIECE_BYTES", PIECE)


@pytest.fixture
def service(database_url: str) -> Iterator[ServiceProcess]:
    """A service that may be killed."""
    with own_service(database_url, AGENTLOG_PROJECTIONS="off") as running:
        yield running


def contents(url: str) -> dict[str, list[str]]:
    """Return the texts of all threads of a database."""
    exported = agentlog("export", "threads", url=url).lines
    return {
        line["threadId"]: [message["text"][:4].strip() for message in line["messages"]]
        for line in exported
    }


EXPECTED = {f"t{n:02}": [f"{n}.{m}" for m in range(MESSAGES)] for n in range(THREADS)}


@pytest.mark.usefixtures("small_pieces")
def test_a_service_that_is_killed_goes_on_with_the_file(
    service: ServiceProcess, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed twice while pieces arrive, and once while the import runs."""
    sent = 0
    starting: list[threading.Thread] = []
    send = sending.Sender._sent
    run = sending.Sender.run

    def kill_and_start() -> None:
        for thread in starting:
            thread.join()
        service.end(signal.SIGKILL)
        starting.append(threading.Thread(target=service.start))
        starting[-1].start()

    def sent_slowly(*arguments: Any) -> int:
        nonlocal sent
        sent += 1
        if sent in {3, 6}:
            kill_and_start()
        return send(*arguments)

    def run_and_kill(self: sending.Sender, import_id: str, **more: Any) -> Any:
        self.client.run_import(import_id)
        kill_and_start()
        return run(self, import_id, **more)

    monkeypatch.setattr(sending.Sender, "_sent", sent_slowly)
    monkeypatch.setattr(sending.Sender, "run", run_and_kill)
    assert import_files([bulky(tmp_path)], url=service.address, key=None, order={}) == 0
    assert sent > 8
    assert contents(database_url) == EXPECTED
    assert agentlog("verify", url=database_url).code == 0


def test_a_client_that_is_killed_leaves_nothing_half_and_comes_again(
    service: ServiceProcess, database_url: str, tmp_path: Path
) -> None:
    path = bulky(tmp_path)
    program = (
        "from agentlog_client.transfer import sending; from agentlog_client.transfer.imports import"
        " import_files; from pathlib import Path; import sys, time; send = sending.Sender._sent;"
        f"sending._PIECE_BYTES = {PIECE};"
        "sending.Sender._sent = lambda *a: (time.sleep(0.05), print(flush=True), send(*a))[2];"
        "import_files([Path(sys.argv[1])], url=sys.argv[2], key=None, order={})"
    )
    command = [sys.executable, "-c", program, path, service.address]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        for _ in range(3):
            client.stdout.readline()
        client.kill()
    assert contents(database_url) == {}
    outcomes = [_import_to(service.address, path) for _ in range(2)]
    assert [code for code, _ in outcomes] == [0, 0]
    assert contents(database_url) == EXPECTED


def _import_to(address: str, path: Path) -> tuple[int, str]:
    done = subprocess.run(
        [AGENTLOG, "import", path, "--to", address],
        env=dict(environment()),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stderr


def test_two_clients_send_the_same_file_at_once(
    service: ServiceProcess, database_url: str, tmp_path: Path
) -> None:
    path = bulky(tmp_path)
    outcomes: list[tuple[int, str]] = []
    clients = [
        threading.Thread(target=lambda: outcomes.append(_import_to(service.address, path)))
        for _ in range(2)
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert [code for code, _ in outcomes] == [0, 0]
    told = sorted(re.findall(r"events +([\d,]+)  ([\d,]+) there", "".join(e for _, e in outcomes)))
    assert told == [("0", "440"), ("440", "0")]
    assert contents(database_url) == EXPECTED


def line(text: str) -> str:
    return json.dumps({"type": "log", "text": text}) + "\n"


class Watching:
    """`agentlog watch FOLDER --to URL` as a process."""

    def __init__(self, folder: Path, address: str, state: Path, *more: str) -> None:
        self.command = [AGENTLOG, "watch", folder, "--to", address, *more]
        self.environment = {**environment(), "XDG_STATE_HOME": str(state)}
        self.process = self.start()

    def start(self) -> subprocess.Popen[str]:
        self.process = subprocess.Popen(
            self.command, env=self.environment, stderr=subprocess.PIPE, text=True
        )
        return self.process

    def end(self, order: signal.Signals) -> str:
        self.process.send_signal(order)
        _, err = self.process.communicate(timeout=WAIT_SECONDS)
        return err


@pytest.fixture
def watching(service: ServiceProcess, tmp_path: Path) -> Iterator[Callable[..., Watching]]:
    started: list[Watching] = []

    def start(folder: Path, *more: str) -> Watching:
        started.append(Watching(folder, service.address, tmp_path / "state", *more))
        return started[-1]

    yield start
    for watcher in started:
        watcher.process.kill()
        watcher.process.communicate()


def test_a_file_that_grows_is_followed_while_service_and_watcher_are_killed(
    service: ServiceProcess,
    database_url: str,
    tmp_path: Path,
    watching: Callable[..., Watching],
) -> None:
    folder = tmp_path / "logs"
    (folder / "deeper").mkdir(parents=True)
    growing, other = folder / "deeper" / "s.jsonl", folder / "o.jsonl"
    texts: list[str] = []

    def add(*more: str) -> None:
        texts.extend(more)
        with growing.open("a") as file:
            file.write("".join(map(line, more)))

    def there() -> list[str]:
        exported = agentlog("export", "threads", url=database_url).lines
        return [
            message["text"]
            for thread in exported
            if thread["threadId"] == "s"
            for message in thread["messages"]
        ]

    def follows() -> bool:
        return there() == texts

    add("a", "b")
    other.write_text(line("o"))
    watcher = watching(folder, "--format", "kernel")
    until(follows)
    add("c")
    until(follows)
    service.end(signal.SIGKILL)
    add("d")
    service.start()
    until(follows, seconds=40)
    watcher.end(signal.SIGKILL)
    add("e")
    watcher.command[2] = Path(os.path.relpath(folder))
    watcher.start()
    until(follows)
    with growing.open("a") as file:
        file.write(line("f")[:10])
    add_rest = line("f")[10:]
    with growing.open("a") as file:
        file.write(add_rest)
    texts.append("f")
    until(follows)
    err = watcher.end(signal.SIGINT)
    assert "Traceback" not in err
    assert err.rstrip().endswith("interrupted")
    assert watcher.process.returncode == 130
    (listed,) = agentlog("imports", "--json", url=database_url).lines
    assert (listed["threads"], listed["events"], listed["grown"]) == (2, 9, [])


def test_a_watcher_whose_key_is_refused_says_so_and_ends(
    service: ServiceProcess, tmp_path: Path, watching: Callable[..., Watching]
) -> None:
    service.post("/v1/keys", {"name": "admin", "scopes": ["admin"]})
    watcher = watching(tmp_path)
    _, err = watcher.process.communicate(timeout=WAIT_SECONDS)
    assert watcher.process.returncode == 2
    assert "401 not-authenticated" in err


def test_two_watchers_of_one_folder_are_refused(
    tmp_path: Path, watching: Callable[..., Watching]
) -> None:
    first = watching(tmp_path)
    assert first.process.stderr is not None
    assert "watching" in first.process.stderr.readline()
    second = watching(tmp_path)
    _, err = second.process.communicate(timeout=WAIT_SECONDS)
    assert "another process watches this folder" in err


@pytest.mark.parametrize("state", ["/proc/nosuch", "/dev/null", "/dev/null/below"])
def test_a_state_folder_that_cannot_be_written_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, state: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", state)
    with pytest.raises(NoStateFolder, match="XDG_STATE_HOME"):
        Memory.of(url="http://127.0.0.1:9", folder=str(tmp_path))


def test_agents_have_their_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    (tmp_path / "sessions").mkdir()
    agent, root = watched("codex", None)
    assert agent is not None
    assert (agent.name, root) == ("codex", tmp_path / "sessions")
    assert agent.writes(root / "2026" / "11" / "rollout-x.jsonl")
    with pytest.raises(AgentlogError, match="no folder, and none of claude-code"):
        watched("nope", None)
    with pytest.raises(AgentlogError, match="no such folder; name it: agentlog watch codex FOLDER"):
        watched("codex", tmp_path / "nope")


OPENCODE = """
CREATE TABLE session (id text PRIMARY KEY, slug text, project_id text, parent_id text,
                      directory text, title text, version text);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer,
                      time_updated integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer,
                   time_updated integer, data text);
INSERT INTO session VALUES ('ses_1', 'a-b', 'global', NULL, '/home/ann', 'New', '1.18.33');
"""


class OpenCode:
    """A database as opencode writes it, of which nothing but what is read is there."""

    def __init__(self, folder: Path) -> None:
        self.database = sqlite3.connect(folder / "opencode.db", isolation_level=None)
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.executescript(OPENCODE)
        self._now = 0

    def message(self, number: int, **info: Any) -> None:
        self._now += 1
        row = (f"msg_{number}", "ses_1", number, self._now, json.dumps(info))
        self.database.execute("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)", row)

    def part(self, number: int, message: int, **part: Any) -> None:
        self._now += 1
        row = (f"prt_{number}", f"msg_{message}", "ses_1", number, self._now, json.dumps(part))
        self.database.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)", row)


@pytest.fixture
def opencode(tmp_path: Path) -> Iterator[OpenCode]:
    (tmp_path / "opencode").mkdir()
    made = OpenCode(tmp_path / "opencode")
    yield made
    made.database.close()


@pytest.mark.parametrize("by_service", [False, True], ids=["here", "by a service"])
def test_a_session_of_opencode_is_followed_answer_by_answer(
    service: ServiceProcess,
    database_url: str,
    tmp_path: Path,
    opencode: OpenCode,
    *,
    by_service: bool,
) -> None:
    folder = tmp_path / "opencode"
    to = ["--to", service.address] if by_service else []
    words = [AGENTLOG, "watch", "opencode", str(folder), *to]
    settings = {**environment(database_url), "XDG_STATE_HOME": str(tmp_path)}

    def types() -> list[str]:
        outcome = agentlog("show", "ses_1", "--json", url=database_url)
        return [line["type"] for line in outcome.lines if "type" in line]

    opencode.message(1, role="user", time={"created": 5})
    opencode.part(1, 1, type="text", text="hello")
    opencode.message(2, role="assistant", time={"created": 6})
    opencode.part(2, 2, type="text", text="hal")
    with subprocess.Popen(words, env=settings, stderr=subprocess.PIPE, text=True) as watcher:
        try:
            asked = ["thread.started", "input", "opencode.session"]
            until(lambda: types() == asked, seconds=60)
            opencode.part(2, 2, type="text", text="hallo")
            opencode.message(
                2, role="assistant", time={"created": 6, "completed": 9}, finish="stop"
            )
            until(lambda: types() == [*asked, "llm_response", "reply"], seconds=60)
            opencode.message(1, role="user", time={"created": 5}, summary={"diffs": [{}]})
            opencode.message(3, role="user", time={"created": 10})
            opencode.part(3, 3, type="text", text="thanks")
            until(lambda: types()[-1] == "input", seconds=60)
        finally:
            watcher.send_signal(signal.SIGINT)
        _, err = watcher.communicate(timeout=WAIT_SECONDS)
    assert "Traceback" not in err
    assert "refused" not in err
    assert agentlog("view", "ses_1", "openai", url=database_url).lines == [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hallo"},
        {"role": "user", "content": "thanks"},
    ]
