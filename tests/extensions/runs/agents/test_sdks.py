"""The client libraries of Python, recorded and replayed."""

import os
import sys
from pathlib import Path

import pytest

from tests.command_line import agentlog
from tests.extensions.runs.agents.recorded import KEY, Machine, counts
from tests.providers.server import ScriptedProvider

PROGRAM = [sys.executable, "-m", "tests.extensions.runs.agents.sdks"]
GOOGLES = [sys.executable, "-m", "tests.extensions.runs.agents.google_client"]
SETTINGS = {"PYTHONPATH": os.pathsep.join(sys.path)}
CLIENTS, ASKED = 15, 3


pytestmark = pytest.mark.slow


@pytest.mark.timeout(300)
def test_client_libraries_send_the_same_requests_again(database_url: str, tmp_path: Path) -> None:
    with ScriptedProvider() as provider:
        machine = Machine(database_url, provider, tmp_path, SETTINGS)
        recorded = machine.record(PROGRAM)
    assert recorded.code == 0, recorded.err
    assert recorded.out.count(": Done after 2 calls.\n") == CLIENTS
    for _ in ("the same home and folder", "others"):
        report = machine.replay(PROGRAM)
        assert counts(report) == (CLIENTS * ASKED, 0, 0)
        assert report["others"] == 2  # Anthropic's count_tokens
        machine.move()
    assert agentlog("verify", url=database_url).code == 0
    assert KEY not in agentlog("export", "threads", url=database_url).out


@pytest.mark.timeout(300)
def test_google_s_client_goes_on_live_at_each_answer(database_url: str, tmp_path: Path) -> None:
    with ScriptedProvider() as provider:
        machine = Machine(database_url, provider, tmp_path, SETTINGS)
        assert machine.record(GOOGLES).code == 0
        messages = agentlog("show", "run", "--json", url=database_url).lines
        versions = [line["version"] for line in messages if line.get("type") == "llm_response"]
        assert len(versions) == ASKED
        for place, version in enumerate(versions):
            provider.requests.clear()
            words = ("--from", str(version), "--model", "model-2", "--as", f"fork-{place}")
            forked = machine.run("fork-run", "run", "--yes", *words, "--", *GOOGLES)
            assert forked.code == 0, forked.err
            assert "Done after 2 calls." in forked.out
            models = [request.model for request in provider.requests]
            assert models == ["model-2"] * (ASKED - place)
    assert agentlog("verify", url=database_url).code == 0
