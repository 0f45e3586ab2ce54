"""MCP servers behind mcp-proxy: recorded, and replayed without them, with the real SDK."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.json.text import parse
from tests.command_line import AGENTLOG, Outcome, agentlog, started
from tests.providers.mcp_agent import PREFIX
from tests.providers.script import Answer, Call
from tests.providers.server import ScriptedProvider

ROOT = Path(__file__).parents[6]
LISBON = {"city": "Lisbon"}
_SECONDS = 240
"""For an agent and a server that both import MCP's SDK, on a machine that does much else."""
OUTPUTS = [
    "forecast of Lisbon, number 1",
    "forecast of Lisbon, number 2",
    "forecast of Lisbon, number 3",
    "book of Lisbon, number 4",
]
ANSWERS = {
    0: Answer(calls=[Call(f"{PREFIX}forecast", LISBON)] * 2),
    2: Answer(calls=[Call(f"{PREFIX}forecast", LISBON), Call(f"{PREFIX}book", LISBON)]),
    4: Answer("Have a good journey."),
}
"""What the model says, by the results that it has."""
pytestmark = pytest.mark.timeout(900)


@dataclass
class Travel:
    """An agent that asks the same forecast three times and books; its server notes its calls."""

    url: str
    provider: ScriptedProvider
    folder: Path

    def __post_init__(self) -> None:
        self.server = self.folder / "server.py"
        shutil.copy(ROOT / "tests" / "providers" / "mcp_server.py", self.server)
        self.noted = self.folder / "noted"
        self.noted.touch()

    @property
    def ran(self) -> list[str]:
        """The calls that the server ran."""
        return self.noted.read_text().splitlines()

    def run(self, *words: str, **settings: str) -> Outcome:
        """Run a command of agentlog with the agent."""
        proxy = [str(AGENTLOG), "mcp-proxy", "travel", "--"]
        server = [sys.executable, str(self.server), str(self.noted)]
        agent = f'"{sys.executable}" -m tests.providers.mcp_agent "$OPENAI_BASE_URL" go "$@"'
        own = {
            "OPENAI_BASE_URL": f"{self.provider.url}/v1",
            "AGENTLOG_SPOOL_DIR": str(self.folder / "spool"),
            "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
            **settings,
        }
        command = ["sh", "-c", agent, "sh", *proxy, *server]
        with started(*words, "--", *command, url=self.url, **own) as process:
            out, err = process.communicate(timeout=_SECONDS)
            return Outcome(process.returncode, out, err)

    def record(self) -> Outcome:
        recorded = self.run("record", "--thread", "run")
        assert (recorded.code, recorded.out.splitlines()[:4]) == (0, OUTPUTS), recorded.err
        return recorded

    def replay(
        self, *words: str, by: str = "replay", thread: str = "run", **settings: str
    ) -> tuple[Outcome, Any]:
        """Replay by a command, and return the report too."""
        outcome = self.run(by, thread, "--json", *words, **settings)
        lines = outcome.out.splitlines()
        return outcome, parse(lines[-1]) if lines else None

    def events(self, thread: str = "run") -> list[Any]:
        lines = agentlog("show", thread, "--json", url=self.url).lines
        return [line for line in lines if "message" in line]

    def exchanges(self, thread: str = "run") -> list[Any]:
        """Return the payloads of the MCP exchanges of a thread."""
        events = self.events(thread)
        return [event["message"]["payload"] for event in events if event["type"] == "agentlog.mcp"]


@pytest.fixture(name="travel")
def _travel(database_url: str, tmp_path: Path) -> Iterator[Travel]:
    with ScriptedProvider(lambda turn: ANSWERS[turn.results]) as provider:
        yield Travel(database_url, provider, tmp_path)


def test_a_recorded_server_is_not_needed_again(travel: Travel) -> None:
    recorded = travel.record()
    assert re.search(r"3 exchanges and \d+ with MCP servers in 1 threads: run", recorded.err)
    last = travel.exchanges()[-1]
    assert (last["server"], last["end"], last["params"]["name"]) == ("travel", "complete", "book")
    travel.server.unlink()
    replayed, report = travel.replay("--tools", "recorded")
    assert (replayed.code, replayed.out.splitlines()[:4]) == (0, OUTPUTS), replayed.err
    none: list[str] = []
    answered = {"mode": "recorded", "answered": 4, "refused": 0}
    assert report["tools"] == {**answered, "unmatched": none, "unused": none}
    assert report["exact"] == 3
    assert len(travel.ran) == 4


def test_another_argument_than_recorded_is_named_and_diverges(travel: Travel) -> None:
    travel.record()
    other, report = travel.replay("--tools", "recorded", OTHER_ARGUMENTS='{"city": "Porto"}')
    assert other.code == 1, other.err
    text = 'forecast {"city":"Porto"}; the nearest that is recorded and unused: forecast'
    assert text in other.out
    missed = {"server": "travel", "tool": "forecast", "arguments": {"city": "Porto"}}
    assert report["tools"]["unmatched"][0] == {**missed, "nearest": LISBON, "place": "city"}
    assert [call["tool"] for call in report["tools"]["unused"]] == ["book"] + ["forecast"] * 3
    assert len(travel.ran) == 4


def test_tools_are_refused_or_run_again(travel: Travel) -> None:
    travel.record()
    refused, report = travel.replay("--tools", "refuse")
    assert refused.code == 0, refused.err  # as ordered: what the model was told differs
    assert 'tools are refused in this replay: book {"city":"Lisbon"}' in refused.out
    assert (report["tools"]["refused"], report["outputs"]) == (4, 2)
    assert len(travel.ran) == 4
    live, report = travel.replay()
    assert (live.code, report["tools"]["mode"], len(travel.ran)) == (0, "live", 8), live.err


def test_a_fork_is_answered_by_the_record_and_has_its_own(travel: Travel) -> None:
    travel.record()
    travel.server.unlink()
    versions = [event["version"] for event in travel.events() if event["type"] == "tool_calls"]
    words = ("--from", str(versions[1]), "--as", "fork")
    asked = travel.run("fork-run", "run", *words)
    assert asked.code == 2
    assert "tools of the agent run again, and may have effects: mcp__travel__book (1);" in asked.err
    # nothing is asked: all calls with effects went through the proxy
    forked, report = travel.replay(*words, "--tools", "recorded", by="fork-run")
    assert (forked.code, forked.out.splitlines()[:4]) == (0, OUTPUTS), forked.err
    assert (report["exact"], report["liveCalls"], report["tools"]["answered"]) == (1, 2, 4)
    again, report = travel.replay("--tools", "recorded", thread="fork")
    assert (again.code, again.out.splitlines()[:4]) == (0, OUTPUTS), again.err
    assert (report["exact"], report["tools"]["unused"], len(travel.ran)) == (3, [], 4)
