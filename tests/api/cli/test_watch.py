"""The session files of coding agents, followed as they grow."""

import json
import signal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from agentlog.infrastructure.postgres.database import Database
from tests.command_line import agentlog, started
from tests.waiting import WAIT_SECONDS, until

SESSION = "7d1db301-e169-4649-a21b-1ea3ad00cfee"
TOKEN = "ghp_" + "a1B2" * 10


@pytest.fixture
def database_url(database: Database, shared_database_url: str) -> str:
    """The URL of a log with nothing in it."""
    del database  # which has emptied it
    return shared_database_url


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session's file, not there yet, in its project's folder."""
    folder = tmp_path / "projects" / "-home-ann"
    folder.mkdir(parents=True)
    return folder / f"{SESSION}.jsonl"


def user(number: int, text: str) -> str:
    """Return a line of the file: what the user said."""
    line = {
        "type": "user",
        "uuid": str(UUID(int=number)),
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": SESSION,
        "timestamp": "2026-11-22T17:48:23.738Z",
        "cwd": "/home/ann",
        "version": "2.1.330",
        "message": {"role": "user", "content": text},
    }
    return json.dumps(line) + "\n"


def inputs(url: str) -> list[Any]:
    outcome = agentlog("view", SESSION, "kernel", url=url)
    return [line["text"] for line in outcome.lines if line["type"] == "input"]


def added(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_a_session_is_followed_and_gone_on_with_after_a_restart(
    database_url: str, session: Path
) -> None:
    session.write_text(user(1, "one"))
    homes = {"CLAUDE_CONFIG_DIR": str(session.parents[2])}
    for more in ("two", "four"):
        with started("watch", "claude-code", url=database_url, **homes) as process:
            count = len(session.read_text().splitlines())
            until(lambda count=count: len(inputs(database_url)) == count)  # type: ignore[misc]
            added(session, user(count + 1, more))
            until(lambda count=count: len(inputs(database_url)) == count + 1)  # type: ignore[misc]
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=WAIT_SECONDS)
            assert "Traceback" not in err
        added(session, user(3, f"three, by {TOKEN}") if more == "two" else "")
    assert inputs(database_url) == ["one", "two", "three, by [masked: github-token, 44]", "four"]
    whole = agentlog("verify", url=database_url)
    assert whole.code == 0


def test_what_has_no_sessions_says_how_to_name_their_folder(
    database_url: str, tmp_path: Path
) -> None:
    outcome = agentlog("watch", "codex", tmp_path / "nope", url=database_url)
    assert outcome.code == 2
    assert "no such folder; name it: agentlog watch codex FOLDER" in outcome.err
