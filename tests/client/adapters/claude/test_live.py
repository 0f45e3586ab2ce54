"""A real Claude Code, mirrored into agentlog as it runs, and resumed from there by another."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from claude_agent_sdk import project_key_for_directory

from agentlog.domain.json.text import parse
from agentlog_client import Client
from agentlog_client.adapters.claude import AgentlogSessionStore
from tests.client.adapters.claude.test_store import load
from tests.providers.coding_agents import PROGRAMS, SETTINGS
from tests.providers.server import ScriptedProvider

PROGRAM = """
import asyncio, sys
from pathlib import Path
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query
from agentlog_client.adapters.claude import AgentlogSessionStore
from tests.client.conftest import client_of

async def main(url, cli, folder, prompt, session):
    with client_of(url) as client:
        options = ClaudeAgentOptions(
            cwd=folder, cli_path=cli, resume=session or None, setting_sources=[], max_turns=6,
            permission_mode="bypassPermissions", session_store=AgentlogSessionStore(client),
        )
        async for message in query(prompt=prompt, options=options):
            if isinstance(message, ResultMessage):
                print(message.session_id, message.is_error, message.result)

asyncio.run(main(*sys.argv[1:]))
"""


def run(url: str, provider: ScriptedProvider, home: Path, prompt: str, session: str = "") -> str:
    """Run the agent in a process of its own, and return what it prints."""
    home.mkdir()
    environment = {
        **os.environ,
        **SETTINGS,
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "ANTHROPIC_BASE_URL": provider.url,
        "ANTHROPIC_API_KEY": "sk-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    folder = home.parent / "work"
    folder.mkdir(exist_ok=True)
    words = [url, str(PROGRAMS / "claude"), str(folder), prompt, session]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        env=environment,
        cwd=Path(__file__).parents[4],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_session_is_mirrored_and_resumed_from_the_log(
    url: str, client: Client, tmp_path: Path
) -> None:
    with ScriptedProvider() as provider:
        first = run(url, provider, tmp_path / "first", "please run two shell commands for me")
        session, failed, *said = first.split()
        assert (failed, said) == ("False", ["Done", "after", "2", "calls."]), first
        (thread,) = [thread for thread in client.threads() if not thread.parent]
        before = client.view(thread.thread_id, "source").items
        on_disk = next((tmp_path / "first" / ".claude" / "projects").rglob(f"{session}.jsonl"))
        lines = [parse(line) for line in on_disk.read_text().splitlines()]
        assert before == [line for line in lines if line in before]
        assert len(before) > 10
        second = run(url, provider, tmp_path / "second", "and two more", session)
        assert "Done after" in second
    key = project_key_for_directory(str(tmp_path / "work"))
    loaded = load(AgentlogSessionStore(client), {"project_key": key, "session_id": session})
    assert loaded[: len(before)] == before
    assert len(loaded) > len(before)
    chat = client.view(thread.thread_id, "openai").items
    roles = [item["role"] for item in chat if item["role"] != "system"]
    assert roles[:3] == ["user", "assistant", "tool"]
    asked = [item["content"] for item in chat if item["role"] == "user"]
    assert "and two more" in str(asked)
