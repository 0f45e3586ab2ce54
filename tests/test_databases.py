"""A run of the tests that is killed leaves no server and no folder behind."""

import subprocess
import sys
from pathlib import Path

from agentlog.infrastructure.embedded.postmaster import Postmaster
from tests.waiting import until

SERVER = """
from tests.databases import embedded_server_url
with embedded_server_url() as url:
    print(url, flush=True)
    input()
"""


def test_a_server_ends_with_the_tests_that_are_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as tests:
        assert tests.stdout is not None
        socket = tests.stdout.readline().partition("host=")[2].partition("&")[0]
        data = Path(socket.replace("%2F", "/")).parent
        server = Postmaster.read(data / "postgresql")
        assert server is not None
        assert server.runs
        tests.kill()
    until(lambda: not server.runs and not data.parent.exists())
