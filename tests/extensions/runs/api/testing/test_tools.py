"""Tools of an agent that `agentlog replay` runs: answered by the replay, for all its processes."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from agentlog.extensions.runs.api.gateway.replayer import replaying
from agentlog.extensions.runs.projections.tapes.recorded_tools import RecordedCall
from agentlog.extensions.runs.projections.tapes.tape import Tape
from agentlog.extensions.runs.projections.tapes.tool_tape import Tools, ToolTape
from agentlog.testing import CallNotRecorded, CallRefused, RecordedToolError, recorded_tool
from tests.extensions.runs.projections.tapes.test_tape import run_of

CALLS = [
    RecordedCall("weather", {"city": "Lisbon"}, "sunny"),
    RecordedCall("weather", {"city": "Lisbon"}, "rainy"),
    RecordedCall("weather", {"city": "Porto"}, None, "no such city"),
]


def weather(city: str, key: object = None) -> str:
    return f"live in {city} {key}"


@contextmanager
def replayed(monkeypatch: pytest.MonkeyPatch, mode: Tools) -> Iterator[ToolTape]:
    tape = ToolTape(mode, CALLS)
    with replaying(Tape(run_of([])), tape, {}, names=()) as replay:
        monkeypatch.setenv("AGENTLOG_TOOLS", replay.tools)
        yield tape


def test_a_replay_answers_the_tools_of_its_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    with replayed(monkeypatch, "recorded") as tape:
        tool = recorded_tool()(weather)
        assert tool("Lisbon", key=object()) == "sunny"  # what no call has is the program's own
        assert recorded_tool()("weather")(city="Lisbon") == "rainy"
        with pytest.raises(RecordedToolError, match="no such city"):
            tool(city="Porto")
        assert tape.is_equal
        with pytest.raises(CallNotRecorded, match=r"recorded and unused: none"):
            tool("Lisbon")
        assert not tape.is_equal


def test_the_nearest_call_is_named_in_the_agent_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        replayed(monkeypatch, "recorded"),
        pytest.raises(CallNotRecorded, match=r'city is "Lisbon" there, "Faro" here'),
    ):
        recorded_tool()(weather)("Faro")


def test_calls_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with replayed(monkeypatch, "refuse"), pytest.raises(CallRefused, match="weather"):
        recorded_tool()(weather)("Lisbon")


@pytest.mark.parametrize("place", ["", "/a/spool"])
def test_tools_run_outside_of_such_a_replay(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("AGENTLOG_TOOLS", place)
    assert recorded_tool()(weather)("Lisbon") == "live in Lisbon None"
