"""The plugin of pytest, as pytest runs it in a folder of a user's own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentlog.testing import assert_replays, recorded_tool
from examples.deploy_engine import DeployEngine
from tests.providers.server import ScriptedProvider
from tests.waiting import WAIT_SECONDS

EXAMPLES = Path(__file__).parents[5] / "examples"
CASSETTE = EXAMPLES / "recording" / "lisbon.cassette"
BEGINNING = """
import json, os
from urllib.request import Request, urlopen
import pytest
from examples.recording import agent

TASK = "What should I wear in Lisbon?"
"""


def pytest_in(folder: Path, text: str, *words: str, **variables: str) -> tuple[int, str]:
    """Run pytest over a test module beside the cassette; return the exit code and the output."""
    (folder / "test_it.py").write_text(BEGINNING + text)
    if not (folder / "a.cassette").exists():
        shutil.copy(CASSETTE, folder / "a.cassette")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--strict-markers", *words]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


MARKED = '@pytest.mark.agentlog("a.cassette")\n'
WEATHER = 'monkeypatch.setitem(agent.TOOLS, "weather", agentlog.recorded_tool(agent.weather))'


def test_a_run_as_recorded_passes(tmp_path: Path) -> None:
    code, out = pytest_in(
        tmp_path,
        f"""
{MARKED}def test_it(agentlog, monkeypatch):
    {WEATHER}
    assert "19 degrees" in agent.run(TASK)
    assert agentlog.report.rungs["exact"] == 2

{MARKED}def test_without_the_fixture():
    assert "19 degrees" in agent.run(TASK)
""",
    )
    assert code == 0, out
    assert "2 passed" in out


def test_a_request_not_on_the_tape_fails_with_both_forms_and_the_rules(tmp_path: Path) -> None:
    code, out = pytest_in(
        tmp_path,
        f"""
{MARKED}def test_it():
    with pytest.raises(Exception, match="400"):
        agent.run("What should I eat?")
""",
    )
    assert code == 1
    assert (
        "request 1, POST /v1/chat/completions (tried: exact, normalised, outputs)\n"
        "  items[0] differs from that of exchange 1\n" in out
    )
    assert re.search(r"^  recorded  .*wear in Lisbon", out, re.MULTILINE)
    assert re.search(r"^  now       .*eat", out, re.MULTILINE)
    assert "1 failed" in out


@pytest.mark.parametrize(
    ("allowed", "code"), [("", 1), (", allow_unused=True", 0)], ids=["fails", "allowed"]
)
def test_an_unused_answer_fails_unless_it_may(tmp_path: Path, allowed: str, code: int) -> None:
    marker = f'@pytest.mark.agentlog("a.cassette"{allowed})'
    given, out = pytest_in(tmp_path, f"{marker}\ndef test_it(): pass\n")
    assert given == code, out
    assert ("recorded, and not asked for: exchange 2" in out) is bool(code)


def test_a_tool_called_otherwise_fails_though_the_agent_goes_on(tmp_path: Path) -> None:
    code, out = pytest_in(
        tmp_path,
        f"""
{MARKED}def test_it(agentlog):
    tool = agentlog.recorded_tool(agent.weather)
    with pytest.raises(Exception):
        tool("Porto")
    assert json.loads(tool("Lisbon")) == {{"celsius": 19}}
    agent.run(TASK)
""",
    )
    assert code == 1
    assert 'weather {"city":"Porto"}; the nearest that is recorded and unused: weather' in out


@pytest.mark.parametrize(
    ("marker", "reason"),
    [
        ("", "agentlog: name a run: @pytest.mark.agentlog('FILE.cassette')"),
        ('@pytest.mark.agentlog("none.cassette")', "agentlog: there is no file "),
        ("@pytest.mark.agentlog()", "agentlog: the marker is agentlog(source, "),
        ('@pytest.mark.agentlog("a.cassette", tools="x")', "agentlog: the marker is agentlog("),
        ('@pytest.mark.agentlog("test_it.py")', "line 1 is none of a cassette: "),
    ],
)
def test_wrong_input_is_named(tmp_path: Path, marker: str, reason: str) -> None:
    code, out = pytest_in(tmp_path, f"{marker}\ndef test_it(agentlog): pass\n")
    assert code == 1
    assert reason in out
    assert "Traceback" not in out


def test_without_the_plugin_the_marker_is_unknown(tmp_path: Path) -> None:
    code, out = pytest_in(tmp_path, f"{MARKED}def test_it(): pass\n", "-p", "no:agentlog")
    assert code != 0
    assert "'agentlog' not found in `markers`" in out


def test_a_cassette_is_recorded_and_then_replayed(tmp_path: Path) -> None:
    text = """
@pytest.mark.agentlog("new.cassette")
def test_it(agentlog, monkeypatch):
    tool = agentlog.recorded_tool(lambda **_: "fine", name="weather")
    monkeypatch.setitem(agent.TOOLS, "weather", tool)
    assert agent.run(TASK).startswith("Done")
"""
    with ScriptedProvider() as provider:
        base = f"{provider.url}/v1"
        code, out = pytest_in(tmp_path, text, "--agentlog-record", OPENAI_BASE_URL=base)
        assert code == 0, out
    assert (tmp_path / "new.cassette").stat().st_mode & 0o777 == 0o600
    code, out = pytest_in(tmp_path, text)
    assert code == 0, out


def test_a_tool_answers_from_a_file_outside_of_pytest() -> None:
    replayer = recorded_tool(CASSETTE)
    weather = replayer("weather")
    with pytest.raises(AssertionError, match="recorded, and not called: weather"):
        replayer.check()
    assert weather(city="Lisbon") == '{"celsius": 19}'
    replayer.check()


def test_fifo_serves_other_arguments_and_says_so() -> None:
    replayer = recorded_tool(CASSETTE, mode="fifo")
    assert replayer("weather")(city="Porto") == '{"celsius": 19}'
    ((asked, call),) = replayer.recorded.drifted
    assert (asked, call.arguments) == ({"city": "Porto"}, {"city": "Lisbon"})


def test_an_engine_is_held_against_a_file() -> None:
    assert_replays(EXAMPLES / "deploy.json", DeployEngine)
    with pytest.raises(AssertionError, match=r"refund: .* diverge"):
        assert_replays(EXAMPLES / "refund.json", DeployEngine)
