"""What events and reads of Google ADK's sessions take; ADK is in an environment of its own."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.databases import new_database
from benchmarks.harness.figures import Case, Figure
from benchmarks.harness.service import served

_LONG = 1000


def measure_adk(
    server: str, python: Path, scratch: Path, *, runs: int, times: int
) -> Sequence[Case]:
    """Return what an event and a read of a long session take."""
    with new_database(server) as url, served(url) as where:
        program = [
            str(python),
            "-m",
            "benchmarks.clients.adk_program",
            f"http://{where.host}:{where.port}",
        ]
        numbers = map(str, (runs, times, _LONG))
        done = subprocess.run(
            [*program, str(scratch / "adk.sqlite"), *numbers],
            check=True,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
    added, read = json.loads(done.stdout.splitlines()[-1])
    return [
        Case(
            "An event of a session of Google ADK",
            "A call or its result of 1 kB is appended; the session grows.",
            _figures(added),
        ),
        Case(f"A session of {_LONG:,} events, read", "Every other has 1 kB.", _figures(read)),
    ]


def _figures(runs: Sequence[list[list[float]]]) -> list[Figure]:
    sqlite, ours = runs
    return [
        Figure("DatabaseSessionService, a file of SQLite", "floor", runs=sqlite),
        Figure("AgentlogSessionService", "agentlog", runs=ours),
    ]
