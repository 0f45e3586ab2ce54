"""The command record, with a real client before a scripted provider."""

import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import object_of
from agentlog.extensions.runs.infrastructure.exchanges.spool import (
    Header,
    SpoolWriter,
    create_spool,
)
from agentlog.projections.exchanges.exchange import Exchange
from tests.command_line import agentlog, started
from tests.databases import short_folder
from tests.providers.script import Answer
from tests.providers.server import Fault, ScriptedProvider
from tests.reliability.postgres import own_postgres
from tests.waiting import WAIT_SECONDS, until

KEY = "sk-secret-0123456789"
AGENT = [sys.executable, "-m", "tests.providers.agent"]
BASE = {
    "chat": "OPENAI_BASE_URL",
    "responses": "OPENAI_API_BASE",
    "messages": "ANTHROPIC_BASE_URL",
    "gemini": "GOOGLE_GEMINI_BASE_URL",
}


def agent(api: str, *, stream: bool = False) -> list[str]:
    """Return a command that finds its provider in the environment."""
    words = [*AGENT, f"${BASE[api]}", api, "'do it'", *(["--stream"] if stream else [])]
    return ["sh", "-c", " ".join(words)]


@pytest.fixture(name="provider")
def _provider() -> Iterator[ScriptedProvider]:
    with ScriptedProvider() as provider:
        yield provider


@pytest.fixture(name="settings")
def _settings(provider: ScriptedProvider, tmp_path: Path) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": f"{provider.url}/v1",
        "OPENAI_API_BASE": f"{provider.url}/v1",
        "ANTHROPIC_BASE_URL": provider.url,
        "GOOGLE_GEMINI_BASE_URL": provider.url,
        "AGENTLOG_SPOOL_DIR": str(tmp_path / "spool"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


def record(url: str, settings: dict[str, str], *words: str) -> tuple[int, str, str]:
    with started("record", *words, url=url, **settings) as process:
        out, err = process.communicate(timeout=WAIT_SECONDS)
        return process.returncode, out, err


def view(url: str, thread: str, name: str = "openai") -> list[Any]:
    outcome = agentlog("view", thread, name, url=url)
    assert outcome.code == 0, outcome.err
    return outcome.lines


@pytest.mark.parametrize(
    ("api", "stream"),
    [("chat", False), ("responses", True), ("messages", True), ("gemini", True)],
)
def test_a_run_is_on_record(
    database_url: str,
    settings: dict[str, str],
    provider: ScriptedProvider,
    api: str,
    *,
    stream: bool,
) -> None:
    words = ("--thread", "run", "--name", "a try", "--", *agent(api, stream=stream))
    code, out, err = record(database_url, settings, *words)
    assert (code, out) == (0, "Done after 2 calls."), err
    assert "recorded 3 exchanges in 1 threads: run" in err
    items = view(database_url, "run")
    roles = ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert [item["role"] for item in items] == roles
    assert items[1]["content"] == "do it"
    assert items[-1]["content"] == "Done after 2 calls."
    assert items[3]["content"].startswith("ran ")
    (state,) = view(database_url, "run", "request")
    assert state["model"] == "model-1"
    assert agentlog("verify", url=database_url).code == 0
    log = agentlog("export", "threads", url=database_url).out
    assert KEY not in log
    assert "u-identity" not in log
    assert len(provider.requests) == 3
    assert list(Path(settings["AGENTLOG_SPOOL_DIR"]).iterdir()) == []


def test_the_exit_code_is_the_commands(database_url: str, settings: dict[str, str]) -> None:
    code, _, err = record(database_url, settings, "--", "sh", "-c", "exit 7")
    assert code == 7
    assert "nothing recorded: does the command read a base URL" in err
    assert record(database_url, settings, "--", "sh", "-c", "kill -9 $$")[0] == 128 + 9


def test_a_folder_that_cannot_be_written_stops_no_command(
    database_url: str, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    where = {**settings, "AGENTLOG_SPOOL_DIR": "/proc/nosuch"}
    code, out, err = record(database_url, where, "--", "echo", "hi")
    assert (code, out) == (3, "hi\n"), err
    assert "nothing is recorded: /proc/nosuch cannot be written" in err
    for folder in ("/proc/nosuch", "/dev/null", "/dev/null/below"):
        monkeypatch.setenv("AGENTLOG_SPOOL_DIR", folder)
        refused = agentlog("gateway", "--port", "0", url=database_url)
        assert refused.code == 2
        assert "cannot be written" in refused.err


def test_a_command_that_is_not_there_is_said(database_url: str, settings: dict[str, str]) -> None:
    code, _, err = record(database_url, settings, "--", "no-such-command")
    assert code == 2
    assert "no-such-command: No such file" in err
    assert list(Path(settings["AGENTLOG_SPOOL_DIR"]).iterdir()) == []
    code, _, err = record(database_url, settings, "--nmae", "x", "--", "true")
    assert code == 2
    assert "No such option: --nmae" in err


@pytest.mark.slow
def test_postgresql_may_be_killed_at_each_event_of_a_stream(
    settings: dict[str, str], provider: ScriptedProvider
) -> None:
    pause = 0.1
    provider.fail(Fault("drip", pause))
    with short_folder() as folder, own_postgres(folder / "data") as postgres:
        for number in range(1, 13):
            thread = f"run-{number}"
            words = ("--thread", thread, "--", *agent("messages", stream=True))
            asked = len(provider.requests)
            with started("record", *words, url=postgres.url, **settings) as process:
                until(lambda: len(provider.requests) > asked, seconds=WAIT_SECONDS)  # noqa: B023
                time.sleep(number * pause)
                postgres.end(signal.SIGKILL)
                out, err = process.communicate(timeout=WAIT_SECONDS)
            assert (process.returncode, out) == (0, "Done after 2 calls."), err
            postgres.start()
            code, _, err = record(postgres.url, settings, "--", "true")
            assert code == 0, err
            assert len(view(postgres.url, thread)) == 7
        assert agentlog("verify", url=postgres.url).code == 0
    assert list(Path(settings["AGENTLOG_SPOOL_DIR"]).iterdir()) == []


def test_whatever_lies_in_the_spool_the_command_runs(
    database_url: str, settings: dict[str, str]
) -> None:
    folder = Path(settings["AGENTLOG_SPOOL_DIR"])
    folder.mkdir()
    contents = (b"", b"\xff\n" * 9, b"[" * 100_000 + b"\n", b'{"type":"run"}\n')
    for number, content in enumerate(contents):
        (folder / f"{number}.spool").write_bytes(content)
        (folder / f"{number}-.spool.aside").write_bytes(content)
    (folder / "9.spool").mkdir()
    code, out, err = record(database_url, settings, "--", "echo", "hi")
    assert (code, out) == (0, "hi\n"), err
    assert "Traceback" not in err
    assert "an earlier recording, None, waits: IsADirectoryError" in err


def test_what_the_log_could_not_take_is_uploaded_by_the_next_run(
    database_url: str, settings: dict[str, str]
) -> None:
    away = "postgresql://127.0.0.1:9/away"
    code, out, err = record(away, settings, "--thread", "run", "--", *agent("chat"))
    assert (code, out) == (0, "Done after 2 calls.")
    assert "waits in" in err
    (spool,) = Path(settings["AGENTLOG_SPOOL_DIR"]).iterdir()
    assert spool.stat().st_mode & 0o777 == 0o600
    code, _, err = record(database_url, settings, "--", "true")
    assert "uploaded 3 exchanges of an earlier recording: run" in err
    assert not spool.exists()
    assert len(view(database_url, "run")) == 7


def test_a_signal_is_the_commands_and_what_came_is_on_record(
    database_url: str, settings: dict[str, str], provider: ScriptedProvider
) -> None:
    provider.fail(Fault("stall", 3))
    words = ("--thread", "run", "--", *agent("messages", stream=True))
    with started("record", *words, url=database_url, **settings) as process:
        until(lambda: provider.requests, seconds=WAIT_SECONDS)
        time.sleep(0.5)  # some of the answer comes
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 128 + signal.SIGTERM, err
    assert "recorded 1 exchanges" in err
    items = agentlog("show", "run", url=database_url).out
    assert "agentlog.exchange" in items


def test_a_killed_recorder_leaves_what_the_next_uploads(
    database_url: str, settings: dict[str, str], provider: ScriptedProvider
) -> None:
    provider.script = lambda turn: Answer("a reply") if turn.items > 3 else Answer("go on")
    words = ("--thread", "run", "--", "sh", "-c", f"{agent('chat')[2]}; exec sleep 60")
    with started("record", *words, url=database_url, **settings) as process:
        spools = Path(settings["AGENTLOG_SPOOL_DIR"])
        until(lambda: any(b'"complete"' in spool.read_bytes() for spool in spools.rglob("*.spool")))
        process.kill()
    code, _, err = record(database_url, settings, "--", "true")
    assert code == 0
    assert "uploaded 1 exchanges of an earlier recording: run" in err
    assert [item["role"] for item in view(database_url, "run")] == ["system", "user", "assistant"]


def test_a_recording_that_the_log_refuses_holds_no_other_up(
    database_url: str, settings: dict[str, str]
) -> None:
    spool = create_spool(Path(settings["AGENTLOG_SPOOL_DIR"]), Header("run-0", "no id"))
    writer = SpoolWriter(spool)
    exchange = Exchange(writer.next_attempt(), "HEAD", "/", b"", "complete", 5, status=200)
    writer.begin(exchange)
    writer.end(exchange)
    code, _, err = record(database_url, settings, "--thread", "run", "--", *agent("chat"))
    assert code == 0
    assert "an earlier recording, no id, waits: " in err
    assert "recorded 3 exchanges in 1 threads: run" in err
    aside = spool.with_name("run-0.spool.aside")
    note = spool.with_name("run-0.spool.aside.txt")
    assert sorted(spool.parent.iterdir()) == [aside, note]
    assert "is no thread id" in note.read_text()


def test_a_thread_that_was_there_goes_on(database_url: str, settings: dict[str, str]) -> None:
    for _ in range(2):
        code, _, err = record(database_url, settings, "--thread", "run", "--", *agent("chat"))
        assert code == 0, err
    assert len(view(database_url, "run")) == 14


def test_what_requests_share_is_kept_once(database_url: str, settings: dict[str, str]) -> None:
    assert record(database_url, settings, "--thread", "run", "--", *agent("chat"))[0] == 0
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "SELECT cuts IS NOT NULL, body LIKE '%Runs a command. Runs%' FROM ("
            "SELECT cuts, convert_from(body, 'UTF8') AS body FROM agentlog.events "
            "WHERE type IN ('agentlog.exchange', 'agentlog.request')) AS events"
        ).fetchall()
    assert rows == [(True, False)] * 4


def replay(url: str, settings: dict[str, str], *words: str) -> tuple[int, str, str]:
    with started("replay", *words, url=url, **settings) as process:
        out, err = process.communicate(timeout=WAIT_SECONDS)
        return process.returncode, out, err


def fork_run(url: str, settings: dict[str, str], *words: str) -> tuple[int, str, str]:
    with started("fork-run", *words, url=url, **settings) as process:
        out, err = process.communicate(timeout=WAIT_SECONDS)
        return process.returncode, out, err


@pytest.mark.parametrize(("api", "stream"), [("chat", True), ("responses", False)])
def test_a_run_is_replayed_without_its_provider(
    database_url: str,
    settings: dict[str, str],
    provider: ScriptedProvider,
    api: str,
    *,
    stream: bool,
) -> None:
    command = agent(api, stream=stream)
    assert record(database_url, settings, "--thread", "run", "--", *command)[0] == 0
    provider.stop()
    code, out, err = replay(database_url, settings, "run", "--", *command)
    assert (code, out) == (0, "Done after 2 calls."), err
    assert err == "run: 3 exact; live calls: 0; tools: live\n"


def test_a_cassette_is_replayed_without_a_database(
    database_url: str, settings: dict[str, str], provider: ScriptedProvider, tmp_path: Path
) -> None:
    command = agent("messages", stream=True)
    assert record(database_url, settings, "--thread", "run", "--", *command)[0] == 0
    file = tmp_path / "run.cassette"
    done = agentlog("export", "cassette", "run", "--output", file, url=database_url)
    assert done.code == 0, done.err
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text().count("Runs a command. " * 40) == 1
    provider.stop()
    away = "postgresql://127.0.0.1:9/away"
    code, out, err = replay(away, settings, str(file), "--", *command)
    assert (code, out) == (0, "Done after 2 calls."), err
    assert err == f"{file}: 3 exact; live calls: 0; tools: live\n"
    file.write_text("something else")
    code, _, err = replay(away, settings, str(file), "--", *command)
    assert code == 2
    assert "line 1 is none of a cassette" in err


def test_another_task_is_not_on_the_tape(database_url: str, settings: dict[str, str]) -> None:
    command = agent("chat")
    assert record(database_url, settings, "--thread", "run", "--", *command)[0] == 0
    other = [*command[:2], command[2].replace("do it", "do more")]
    code, _, err = replay(database_url, settings, "run", "--json", "--", *other)
    assert code == 1
    assert "400" in err  # the client's own words, as it was refused
    code, out, _ = replay(database_url, settings, "run", "--json", "--", "true")
    assert code == 1
    assert object_of(parse(out))["unused"] == [1, 2, 3]


def test_a_broken_answer_breaks_again(
    database_url: str, settings: dict[str, str], provider: ScriptedProvider
) -> None:
    provider.fail(Fault("cut", 3))
    command = agent("messages", stream=True)
    code, _, err = record(database_url, settings, "--thread", "run", "--", *command)
    assert code == 1
    assert "RemoteProtocolError" in err
    code, _, err = replay(database_url, settings, "run", "--", *command)
    assert code == 1
    assert "RemoteProtocolError" in err
    assert "run: 1 exact; live calls: 0" in err


def test_a_thread_without_exchanges_is_no_tape(database_url: str, settings: dict[str, str]) -> None:
    assert record(database_url, settings, "--thread", "run", "--", *agent("chat"))[0] == 0
    assert agentlog("fork", "run", "--at", "1", "--as", "empty", url=database_url).code == 0
    code, _, err = replay(database_url, settings, "empty", "--", "true")
    assert code == 2
    assert "has no recorded exchanges" in err
    assert replay(database_url, settings, "nowhere", "--", "true")[0] == 2


def test_another_tenant_has_no_such_run(database_url: str, settings: dict[str, str]) -> None:
    own, other = ({**settings, "AGENTLOG_TENANT": name} for name in ("own", "other"))
    command = agent("chat")
    assert record(database_url, own, "--thread", "run", "--", *command)[0] == 0
    code, _, err = replay(database_url, other, "run", "--", *command)
    assert code == 2
    assert "there is no thread 'run'" in err
    assert replay(database_url, own, "run", "--", *command)[0] == 0


def test_what_is_erased_is_not_on_the_tape(database_url: str, settings: dict[str, str]) -> None:
    record(database_url, settings, "--thread", "run", "--", *agent("chat"))
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "SELECT message_id FROM agentlog.events WHERE type IN ('input', 'tool_results') "
            "ORDER BY version DESC"
        ).fetchall()
    for place, (message,) in enumerate(rows):
        outcome = agentlog(
            "redact", "run", "--yes", "--reason", "why", "--message", message, url=database_url
        )
        (done,) = outcome.lines
        assert (done["exchanges"], done["others"]) == (1, 0)  # later ones are erased already
        assert "1 exchanges and 0 other messages" in outcome.err
        code, out, err = replay(database_url, settings, "run", "--json", "--", *agent("chat"))
        assert code == 1, err
        report = object_of(parse(out.splitlines()[-1]))
        assert (report["exact"], len(report["unmatched"]), report["unused"]) == (2 - place, 1, [])
    assert agentlog("export", "cassette", "run", url=database_url).code == 0
    assert agentlog("verify", "--derived", url=database_url).code == 0


_BOLD = """
import os
from tests.providers.agent import Agent

class Bold(Agent):
    def body(self):
        body = super().body()
        body["messages"][0]["content"] = "Be bold."
        return body

print(Bold(os.environ["OPENAI_BASE_URL"].removesuffix("/v1"), "chat").run("do it"))
"""


def test_another_prompt_goes_on_in_place_if_asked_and_is_no_equal_run(
    database_url: str, settings: dict[str, str], provider: ScriptedProvider
) -> None:
    record(database_url, settings, "--thread", "run", "--", *agent("chat"))
    provider.stop()
    words = ("run", "--on-divergence", "nearest")
    command = ("--", sys.executable, "-c", _BOLD)
    code, out, err = replay(database_url, settings, *words, *command)
    assert (code, out) == (1, "Done after 2 calls.\n"), err
    first, *more = err.splitlines()
    assert first == "run: 3 by place; live calls: 0; tools: live"
    assert more[:2] == [
        "answered by its place alone: request 1",
        "  items[0] differs from that of exchange 1",
    ]
    code, out, _ = replay(database_url, settings, *words, "--json", *command)
    report = object_of(parse(out.splitlines()[-1]))
    assert (report["place"], report["unused"]) == (3, [])
    code, _, err = replay(database_url, settings, *words, "--from", "3", "--yes", *command)
    assert code == 2
    asked = shlex.join([*words, "--from", "3", "--yes", *command])
    assert err == f"agentlog: that is another command: agentlog fork-run {asked}\n"
