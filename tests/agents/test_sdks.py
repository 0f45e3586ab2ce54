"""The client libraries of Python, recorded and replayed."""

import sys
from pathlib import Path

import pytest

from tests.agents.recorded import KEY, Machine, counts
from tests.command_line import agentlog
from tests.providers.server import ScriptedProvider

PROGRAM = [sys.executable, str(Path(__file__).with_name("sdks.py"))]
CLIENTS, ASKED = 15, 3


@pytest.mark.timeout(300)
def test_client_libraries_send_the_same_requests_again(database_url: str, tmp_path: Path) -> None:
    with ScriptedProvider() as provider:
        machine = Machine(database_url, provider, tmp_path)
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
