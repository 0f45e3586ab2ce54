"""Tests of the agent beside it: its model and its tool answer as they did when it was recorded.

pytest examples/recording
"""

import subprocess
import sys
from pathlib import Path

import pytest

from agentlog.testing import AgentRun
from examples.recording import agent

TASK = "What should I wear in Lisbon?"
ANSWER = "It is 19 degrees in Lisbon: take a light jacket."


@pytest.mark.agentlog("lisbon.cassette")
def test_the_agent_looks_at_the_weather(
    agentlog: AgentRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tool is answered from the cassette: nothing runs but the agent's own code."""
    monkeypatch.setitem(agent.TOOLS, "weather", agentlog.recorded_tool(agent.weather))
    assert agent.run(TASK) == ANSWER


@pytest.mark.agentlog("lisbon.cassette")
def test_it_prints_its_answer(agentlog: AgentRun) -> None:
    """It is a program: the tool runs in it, and its output differs or not."""
    command = [sys.executable, str(Path(agent.__file__)), TASK]
    done = subprocess.run(  # noqa: S603 - our own
        command, env=agentlog.env, check=True, capture_output=True, text=True
    )
    assert done.stdout == f"{ANSWER}\n"
