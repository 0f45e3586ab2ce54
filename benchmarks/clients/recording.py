"""What `record` and `gateway` add to a request, and what a recorded run takes on disk.

python -m benchmarks.clients.recording

The agents are those of tests/extensions/runs/agents/coding: `make coding-agents` installs them.
"""

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import psycopg

from agentlog.infrastructure.postgres.migration import migrate
from benchmarks.harness.databases import connected, new_database, server_url
from tests.command_line import started
from tests.extensions.runs.agents.coding.test_coding_agents import AGENTS
from tests.extensions.runs.agents.recorded import Machine
from tests.providers.coding_agents import SETTINGS
from tests.providers.script import Answer, ShellCalls
from tests.providers.server import ScriptedProvider

_TIMES = 200
_TURNS = 20
_REPOSITORY = {"PYTHONPATH": str(Path(__file__).parents[2])}


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory(prefix="agentlog-bench-") as made:
        scratch = Path(made)
        scratch.chmod(0o755)  # root's PostgreSQL runs as another user
        with server_url(None, scratch / "data") as server:
            _print_latency(server, scratch / "client")
            for name in ("claude-code", "codex"):
                _print_size(server, scratch / name, name)


def _print_latency(server: str, folder: Path) -> None:
    folder.mkdir()
    script = Answer("some words " * 50)
    with (
        new_database(server) as url,
        ScriptedProvider(lambda _: script) as provider,
        _gateway(_migrated(url), provider.url, folder / "gateway") as gateway,
    ):
        machine = Machine(url, provider, folder, _REPOSITORY)
        words = [sys.executable, "-m", "benchmarks.clients.recording_program", str(_TIMES)]
        outcome = machine.record([*words, f"provider={provider.url}", f"gateway={gateway}"])
        seconds = json.loads(outcome.out)
        print(outcome.err.strip(), file=sys.stderr)
    print("| p50 in ms | provider | record | added | gateway | added |\n|---|--:|--:|--:|--:|--:|")
    for kind in ("whole", "stream"):
        for what in ("first byte", "end"):
            bare, record, ours = (
                1000 * median(seconds[f"{kind} {where} {what}"])
                for where in ("provider", "record", "gateway")
            )
            print(
                f"| {kind}, {what} | {bare:.2f} | {record:.2f} | {record - bare:.2f} "
                f"| {ours:.2f} | {ours - bare:.2f} |",
                flush=True,
            )


@contextmanager
def _gateway(url: str, provider: str, spool: Path) -> Iterator[str]:
    """Run a gateway; yield its address for Anthropic's clients."""
    settings = {"ANTHROPIC_BASE_URL": provider, "AGENTLOG_SPOOL_DIR": str(spool)}
    with started("gateway", "--port", "0", url=url, **settings) as process:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        match = re.search(r"http://[0-9.:]+", process.stdout.readline())
        assert match is not None, process.communicate()[1]  # noqa: S101 - no figure without it
        yield f"{match[0]}/anthropic"


def _print_size(server: str, folder: Path, name: str) -> None:
    folder.mkdir()
    with new_database(server) as url, ScriptedProvider(ShellCalls(_TURNS - 1)) as provider:
        before = _size(_migrated(url))
        outcome = Machine(url, provider, folder, SETTINGS).record(AGENTS[name].command)
        assert outcome.code == 0, outcome.err  # noqa: S101 - no figure of a run that failed
        stored = _size(url) - before
        sent = [len(request.body) for request in provider.requests]
    print(
        f"{name}: {_TURNS} turns, {len(sent)} requests of {sum(sent):,} bytes in all, "
        f"the largest {max(sent):,}; on disk {stored:,} bytes: {stored / sum(sent):.2f} of them",
        flush=True,
    )


def _migrated(url: str) -> str:
    with psycopg.connect(url) as connection:
        migrate(connection)
    return url


def _size(url: str) -> int:
    """Return the bytes of a database without what waits to be vacuumed."""
    with connected(url) as connection:
        connection.execute("VACUUM FULL")
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        return 0 if row is None else int(row[0])


if __name__ == "__main__":
    main()
