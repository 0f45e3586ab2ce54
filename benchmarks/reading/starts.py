"""How soon commands start: processor time of whole processes, beside `python -c pass`."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.harness.databases import new_database, store_on
from benchmarks.harness.figures import Case, Figure
from benchmarks.harness.service import served

_AGENTLOG = str(Path(sys.executable).with_name("agentlog"))
_REPLY = {"type": "reply", "text": "hi"}
_COMMANDS = {
    "`agentlog --version`": (0.15, ["--version"]),
    "`agentlog threads`": (0.45, ["threads"]),
    "`agentlog show`": (0.45, ["show", "t"]),
    "`agentlog view`": (0.45, ["view", "t"]),
}


def measure_starts(server: str, *, runs: int, times: int) -> Case:
    """Return the processor time of commands on a running server, bytecode compiled before."""
    figures = [
        Figure("`python -c pass`", "floor"),
        *(Figure(name, "agentlog", limit) for name, (limit, _) in _COMMANDS.items()),
        Figure("`import agentlog_client`", "agentlog"),
        Figure("`agentlog serve` to its first answer", "agentlog", 1.0),
    ]
    with new_database(server) as url, tempfile.TemporaryDirectory() as folder:
        with store_on(url) as service:
            service.threads.append("t", [_REPLY])
        kept = {name: text for name, text in os.environ.items() if "BYTECODE" not in name}
        environment = {
            **kept,
            "AGENTLOG_DATABASE_URL": url,
            "PYTHONPYCACHEPREFIX": f"{folder}/bytecode",
        }
        python = partial(_seconds, environment, sys.executable, "-c")
        actions: list[Callable[[], float]] = [
            partial(python, "pass"),
            *(partial(_seconds, environment, _AGENTLOG, *words) for _, words in _COMMANDS.values()),
            partial(python, "import agentlog_client"),
            partial(_seconds_of_serve, url, environment["PYTHONPYCACHEPREFIX"]),
        ]
        for action in actions:
            action()  # writes bytecode
        for _ in range(runs):
            samples = [[action() for action in actions] for _ in range(times)]
            for figure, run in zip(figures, zip(*samples, strict=True), strict=True):
                figure.runs.append(list(run))
    return Case(
        "Starts",
        "Processor time, user and system, on a PostgreSQL that runs already; that of serve without "
        "its process of projections.",
        figures,
    )


def _seconds(environment: dict[str, str], *words: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _seconds_of_serve(url: str, bytecode: str) -> float:
    settings = {
        "AGENTLOG_PROJECTIONS": "off",
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": bytecode,
    }
    with served(url, **settings) as where, where.client() as client:
        client.get("/v1/threads")
        return where.processor_seconds()
