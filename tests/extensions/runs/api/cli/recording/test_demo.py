"""What the demo prints of recording, run as it stands there."""

import signal
import socket
import subprocess
from pathlib import Path

import httpx2

from tests.api.cli.operations.test_service import address_of, data_dir, end, http, printed_after
from tests.command_line import environment, started
from tests.waiting import WAIT_SECONDS

__all__ = ["data_dir", "http"]


def test_the_demo_prints_how_an_agent_is_recorded_into_its_log(
    data_dir: Path, http: httpx2.Client, tmp_path: Path
) -> None:
    with started("demo", "--port", "0", "--data-dir", data_dir) as process:
        address = address_of(process)
        tour = printed_after(process, last="Ctrl-C")
        first = next(n for n, line in enumerate(tour) if line.startswith("Record an agent"))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        script = "\n".join(tour[first + 1 : -1]).replace("9753", str(port))
        connected = f"until : </dev/tcp/127.0.0.1/{port}; do sleep 0.1; done 2>/dev/null"
        script = script.replace("&\n", f"& trap 'kill $!' EXIT\n{connected}\n")
        own = {**environment(), "AGENTLOG_SPOOL_DIR": str(tmp_path / "spool")}
        done = subprocess.run(
            ["bash", "-c", script],
            env=own,
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == "It is 19 degrees in Lisbon: take a light jacket.\n"
        (listed,) = http.get(f"{address}/v1/threads?limit=1").json()["items"]
        assert listed["threadId"].startswith("record-")
        end(process, signal.SIGINT)
