"""Coding agents, recorded before a scripted provider and replayed when it is gone."""

import shutil
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import object_of
from tests.command_line import agentlog, started
from tests.extensions.runs.agents.recorded import KEY, Machine, counts
from tests.gateways import gateway, settings_for
from tests.providers.coding_agents import PROGRAMS, SETTINGS
from tests.providers.script import Answer, Call, ShellCalls, Turn
from tests.providers.server import ScriptedProvider
from tests.reliability.service import own_service
from tests.waiting import WAIT_SECONDS, until

MCP_SERVER = Path(__file__).with_name("travel.py")
TASK = "please run two shell commands for me"


class Agent(NamedTuple):
    """An agent: how it is run, and what its replays come to: exact, normalised, outputs."""

    script: str
    same: tuple[int, int, int]
    moved: tuple[int, int, int]

    @property
    def command(self) -> Sequence[str]:
        return ["sh", "-ec", self.script]


CLAUDE_CODE = f"""
exec {PROGRAMS}/claude -p "{TASK}" --dangerously-skip-permissions
"""
CODEX = f"""
mkdir -p "$HOME/.codex"
cat >"$HOME/.codex/config.toml" <<END
model = "gpt-5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "$OPENAI_BASE_URL"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
END
exec {PROGRAMS}/codex exec --skip-git-repo-check \
    --dangerously-bypass-approvals-and-sandbox "{TASK}"
"""
OPENCODE = f"""
cat >opencode.json <<END
{{"provider": {{"scripted": {{"npm": "@ai-sdk/openai-compatible", "name": "scripted",
  "options": {{"baseURL": "$OPENAI_BASE_URL", "apiKey": "none"}},
  "models": {{"model-1": {{"name": "model-1"}}}}}}}}}}
END
exec {PROGRAMS}/../opencode-linux-x64/bin/opencode run --model scripted/model-1 "{TASK}"
"""
GEMINI_CLI = f"""
mkdir -p "$HOME/.gemini"
echo '{{"security": {{"auth": {{"selectedType": "gemini-api-key"}}}}}}' \
    >"$HOME/.gemini/settings.json"
exec {PROGRAMS}/gemini --skip-trust --model gemini-2.5-flash --yolo --prompt "{TASK}"
"""
AGENTS = {
    "claude-code": Agent(CLAUDE_CODE, (4, 0, 0), (1, 3, 0)),
    "codex": Agent(CODEX, (1, 2, 0), (0, 3, 0)),
    "opencode": Agent(OPENCODE, (4, 0, 0), (1, 3, 0)),
    "gemini-cli": Agent(GEMINI_CLI, (1, 2, 0), (0, 3, 0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_coding_agents_are_replayed(database_url: str, tmp_path: Path, name: str) -> None:
    agent = AGENTS[name]
    with ScriptedProvider() as provider:
        machine = Machine(database_url, provider, tmp_path, SETTINGS)
        recorded = machine.record(agent.command)
        assert recorded.code == 0, recorded.err
        assert "Done after 2 calls." in recorded.out
    assert counts(machine.replay(agent.command)) == agent.same
    machine.move()
    assert counts(machine.replay(agent.command)) == agent.moved
    assert agentlog("verify", url=database_url).code == 0
    assert KEY not in agentlog("export", "threads", url=database_url).out


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_coding_agents_go_on_live_at_each_answer(
    database_url: str, tmp_path: Path, name: str
) -> None:
    command = AGENTS[name].command
    with ScriptedProvider() as provider:
        machine = Machine(database_url, provider, tmp_path, SETTINGS)
        assert machine.record(command).code == 0
        messages = agentlog("show", "run", "--json", url=database_url).lines
        answers = [line for line in messages if line.get("type") == "llm_response"]
        versions = [line["version"] for line in answers]
        assert len(versions) == 3
        for place, version in enumerate(versions):
            provider.requests.clear()
            words = ("--from", str(version), "--model", "model-2", "--as", f"fork-{place}")
            forked = machine.run("fork-run", "run", "--yes", *words, "--", *command)
            assert forked.code == 0, forked.err
            assert "Done after 2 calls." in forked.out
            asked = [request.model for request in provider.requests if request.body]
            assert asked.count("model-2") == 3 - place, asked
        last = agentlog("view", "fork-1", "openai", url=database_url).lines[-1]
        assert last["content"] == "Done after 2 calls."
    for place in range(3):
        machine.move()
        outcome = machine.run("replay", f"fork-{place}", "--", *command)
        assert outcome.code == 0, outcome.err
    assert agentlog("verify", url=database_url).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_coding_agents_run_through_a_gateway(database_url: str, tmp_path: Path, name: str) -> None:
    command = AGENTS[name].command
    with (
        ScriptedProvider() as provider,
        gateway(database_url, settings_for(provider, tmp_path)) as running,
    ):
        machine = Machine(database_url, provider, tmp_path, SETTINGS)
        for place in ("", "", "/t/again"):
            addresses = {
                "OPENAI_BASE_URL": f"{running.address}{place}/openai/v1",
                "ANTHROPIC_BASE_URL": f"{running.address}{place}/anthropic",
                "GOOGLE_GEMINI_BASE_URL": f"{running.address}{place}/gemini",
            }
            outcome = machine.execute(command, **addresses)
            assert outcome.code == 0, outcome.err
            assert "Done after 2 calls." in outcome.out
        running.stop()
    listed = agentlog("threads", "--json", url=database_url).lines
    own = [
        thread["threadId"]
        for thread in listed
        if thread.get("parent") is None and "-other-" not in thread["threadId"]
    ]
    assert len(own) == 3
    for thread in own:
        last = agentlog("view", thread, "openai", url=database_url).lines[-1]
        assert last["content"] == "Done after 2 calls."
    replayed = machine.run("replay", "again", "--json", "--", *command)
    assert counts(object_of(parse(replayed.out.splitlines()[-1]))) == AGENTS[name].same
    assert replayed.code == 0, replayed.err
    assert agentlog("verify", url=database_url).code == 0


def two_sub_agents(turn: Turn) -> Answer:
    """Have Claude Code's main agent, which alone has this tool, start two at once."""
    if "Workflow" not in turn.tools:
        return ShellCalls(1)(turn)
    if turn.results:
        return Answer("Both are done.")
    kind = {"description": "a part", "subagent_type": "general-purpose"}
    return Answer(calls=[Call("Agent", {**kind, "prompt": f"Do part {n}."}) for n in (1, 2)])


@pytest.mark.slow
def test_sub_agents_of_claude_code_are_replayed(database_url: str, tmp_path: Path) -> None:
    command = AGENTS["claude-code"].command
    with ScriptedProvider(two_sub_agents) as provider:
        machine = Machine(database_url, provider, tmp_path, SETTINGS)
        recorded = machine.record(command)
        assert "Both are done." in recorded.out, recorded.err
    assert "recorded 8 exchanges in 4 threads: run" in recorded.err
    for _ in range(5):
        assert counts(machine.replay(command)) == (6, 1, 0)
    machine.move()
    assert counts(machine.replay(command)) == (1, 6, 0)


WITH_MCP_SERVER = f"""
cat >mcp.json <<END
{{"mcpServers": {{"travel": {{"command": "agentlog",
  "args": ["mcp-proxy", "travel", "--", "python", "$MCP_SERVER", "$HOME/noted"]}}}}}}
END
exec {PROGRAMS}/claude -p "{TASK}" --dangerously-skip-permissions --mcp-config mcp.json
"""


def three_bookings(turn: Turn) -> Answer:
    """Have an agent call its MCP tool three times with the same arguments."""
    name = next((name for name in turn.tools if name.endswith("book")), None)
    if name is None or turn.results == 3:
        return Answer(f"Done after {turn.results} calls.")
    return Answer(calls=[Call(name, {"city": "Lisbon"})])


@pytest.mark.slow
def test_mcp_tools_of_claude_code_are_answered_from_the_record(
    database_url: str, tmp_path: Path
) -> None:
    command = ["sh", "-ec", WITH_MCP_SERVER]
    server = tmp_path / "server.py"
    shutil.copy(MCP_SERVER, server)
    with ScriptedProvider(three_bookings) as provider:
        machine = Machine(database_url, provider, tmp_path, {**SETTINGS, "MCP_SERVER": str(server)})
        recorded = machine.record(command)
        assert recorded.code == 0, recorded.err
        assert "Done after 3 calls." in recorded.out
    assert len((machine.home / "noted").read_text().splitlines()) == 3
    server.unlink()
    machine.move()
    outcome = machine.run("replay", "run", "--json", "--tools", "recorded", "--", *command)
    assert outcome.code == 0, outcome.err
    report = object_of(parse(outcome.out.splitlines()[-1]))
    answered: dict[str, object] = {"mode": "recorded", "answered": 3, "refused": 0}
    assert report["tools"] == {**answered, "unmatched": [], "unused": []}
    assert counts(report)[2] == 0  # what the tools gave is the same
    assert not (machine.home / "noted").exists()


FOLDERS = {
    "claude-code": ".claude/projects",
    "codex": ".codex/sessions",
    "opencode": ".local/share/opencode",
    "gemini-cli": ".gemini/tmp",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_the_sessions_of_coding_agents_are_watched_for_a_service(
    database_url: str, tmp_path: Path, name: str
) -> None:
    def kinds() -> list[str]:
        lines = agentlog("export", "threads", url=database_url).lines
        return [message["type"] for line in lines for message in line["messages"]]

    with (
        ScriptedProvider() as provider,
        own_service(database_url, AGENTLOG_PROJECTIONS="off") as service,
    ):
        machine = Machine(database_url, provider, tmp_path, SETTINGS)
        (machine.home / FOLDERS[name]).mkdir(parents=True)
        home = {"HOME": str(machine.home), "XDG_STATE_HOME": str(tmp_path)}
        with started("watch", name, "--to", service.address, **home) as watcher:
            assert watcher.stderr is not None
            assert "watching" in watcher.stderr.readline()
            done = machine.execute(AGENTS[name].command)
            assert "Done after 2 calls." in done.out, done.err
            until(lambda: "reply" in kinds(), seconds=60)
            watcher.send_signal(signal.SIGINT)
            _, err = watcher.communicate(timeout=WAIT_SECONDS)
    assert "refused" not in err
    assert kinds().count("tool_calls") == 2
    assert {"input", "llm_response", "tool_results"} <= set(kinds())
    assert agentlog("verify", url=database_url).code == 0
