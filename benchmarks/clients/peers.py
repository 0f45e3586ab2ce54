"""What else agents keep their messages in, from an environment of its own, on the same server."""

import json
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from statistics import median, quantiles

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from benchmarks.harness import floor, peer
from benchmarks.harness.databases import connected, new_database, store_on
from benchmarks.harness.figures import Role
from benchmarks.harness.floor import StoredBody
from benchmarks.harness.rates import Rate, Run
from benchmarks.harness.table import Table, milliseconds
from benchmarks.harness.workload import Workload

MESSAGES = 300
"""Of one growing thread."""

_REQUIREMENTS = Path(__file__).with_name("peers-requirements.txt")
_PROGRAM = Path(__file__).with_name("peers_program.py")
_PEERS = {
    "langgraph": "LangGraph `PostgresSaver.put`",
    "agents-sdk": "OpenAI Agents SDK `SQLAlchemySession.add_items`",
    "langchain": "LangChain `PostgresChatMessageHistory.add_messages`",
}

_Write = Callable[[str], Sequence[float]]
"""Appends all messages on a database; returns the seconds of each."""


def measure_peers(server: str, workload: Workload, scratch: Path, *, runs: int) -> list[Table]:
    """Return appends a second and bytes a message of everybody, on one thread, one at a time."""
    python = _environment(scratch / "peers")
    items = list(islice(chain.from_iterable(workload.histories()), MESSAGES))
    given = scratch / "items.jsonl"
    given.write_bytes(b"\n".join(print_bytes(item) for item in items) + b"\n")
    with new_database(server) as url, store_on(url) as service:
        service.threads.append("model", workload.drafts(MESSAGES))
        bodies = floor.stored_bodies(url)
    writes: list[tuple[str, Role, _Write]] = [
        ("raw psycopg INSERT", "floor", partial(_raw, bodies)),
        ("agentlog `Store.append`", "agentlog", partial(_ours, workload)),
        ("the eventsourcing library's recorder", "peer", partial(_library, bodies)),
        *((what, "peer", partial(_peer, python, name, given)) for name, what in _PEERS.items()),
    ]
    rates = [Rate(what, role) for what, role, _ in writes]
    sizes: list[list[int]] = [[] for _ in writes]
    for _ in range(runs):
        for (_, _, write), rate, size in zip(writes, rates, sizes, strict=True):
            with new_database(server) as url:
                taken = write(url)
                size.append(_written(url))
            percentiles = quantiles(taken, n=100)
            rate.runs.append(Run(len(taken) / sum(taken), percentiles[49], percentiles[98]))
    return [_table(given.stat().st_size, runs, rates, [round(median(size)) for size in sizes])]


def _environment(folder: Path) -> Path:
    """Return the Python of an environment with the peers, made here; it takes half a minute."""
    print(f"installing the peers under {folder}", file=sys.stderr, flush=True)
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    command = [str(python), "-m", "pip", "install", "--quiet", "--requirement", str(_REQUIREMENTS)]
    subprocess.run(command, check=True, stdout=sys.stderr)
    return python


def _peer(python: Path, name: str, given: Path, url: str) -> list[float]:
    command = [str(python), str(_PROGRAM), name, url, str(given)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    taken: list[float] = json.loads(done.stdout.splitlines()[-1])
    return taken


def _ours(workload: Workload, url: str) -> list[float]:
    with store_on(url) as service:
        drafts = workload.drafts(MESSAGES)
        return _timed([partial(service.threads.append, "one", [draft]) for draft in drafts])


def _raw(bodies: Sequence[StoredBody], url: str) -> list[float]:
    with connected(url) as connection:
        floor.make_table(connection)
        return _timed([partial(floor.insert_one, connection, body) for body in bodies])


def _library(bodies: Sequence[StoredBody], url: str) -> list[float]:
    with peer.library_recorder(url, keep=True) as recorder:
        return _timed([partial(peer.insert_one, recorder, body) for body in bodies])


def _timed(acts: Sequence[Callable[[], object]]) -> list[float]:
    taken = []
    for act in acts:
        began = time.perf_counter()
        act()
        taken.append(time.perf_counter() - began)
    return taken


def _written(url: str) -> int:
    """Return the bytes of all tables, with what belongs to them, that have rows."""
    with connected(url) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute(_SIZE).fetchone()
    return 0 if row is None else int(row[0])


def _table(given: int, runs: int, rates: Sequence[Rate], sizes: Sequence[int]) -> Table:
    source_bytes = given / MESSAGES
    figures: list[JsonValue] = [
        {"what": rate.what, "runs": [run.per_second for run in rate.runs], "bytes": size}
        for rate, size in zip(rates, sizes, strict=True)
    ]
    return Table(
        "Beside what else agents keep their messages in",
        f"{MESSAGES} messages, {given:,} bytes of JSON, into one thread, each durable before the "
        f"next, in process; {runs} runs, each into an empty database. Bytes: tables with their "
        "indexes and what PostgreSQL keeps beside them.",
        [
            "what",
            "whose",
            "a second",
            "spread",
            "p50 ms",
            "p99 ms",
            "bytes a message",
            "times given",
        ],
        [
            [
                rate.what,
                rate.role,
                f"{rate.per_second:,.0f}",
                rate.spread,
                milliseconds(rate.middle(lambda run: run.p50) or 0),
                milliseconds(rate.middle(lambda run: run.p99) or 0),
                f"{size / MESSAGES:,.0f}",
                f"{size / MESSAGES / source_bytes:.2f}",
            ]
            for rate, size in zip(rates, sizes, strict=True)
        ],
        figures,
    )


_SIZE = """
SELECT sum(pg_total_relation_size(oid))::bigint
FROM pg_class
WHERE relkind = 'r' AND relnamespace NOT IN ('pg_catalog'::regnamespace,
    'information_schema'::regnamespace)
"""
