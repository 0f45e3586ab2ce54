"""Many callers, one message each: in process and over HTTP, beside one raw connection."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

import psycopg
from eventsourcing.postgres import PostgresApplicationRecorder

from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.draft import Draft
from benchmarks.harness import floor, peer
from benchmarks.harness.callers import Act, run_callers
from benchmarks.harness.databases import connected, new_database, store_on
from benchmarks.harness.floor import StoredBody
from benchmarks.harness.rates import Aim, Rate, Run, aims_table, rate_table
from benchmarks.harness.service import Served, served
from benchmarks.harness.table import Table
from benchmarks.harness.workload import Workload

THREADS = 4000
"""Threads of the log that the messages go to, in turn."""

_CALLERS = (1, 8, 64, 256)
_LIBRARY_THREADS = 8
_COPIED = 20_000
_AT_ONCE = 500
_FOLDER = Path(__file__).parent


def measure_load(server: str, workload: Workload, *, runs: int, seconds: float) -> list[Table]:
    """Return how many single durable appends a second this process does, by callers."""
    raw, library, copied = _beside()
    ours = {n: Rate(f"`Store.append`, {_callers(n)}", "agentlog") for n in _CALLERS}
    starting = Rate("`Store.append`, one caller alone, each to a new thread", "agentlog")
    drafts = workload.lone_drafts()
    with ExitStack() as stack:
        url = stack.enter_context(new_database(server))
        threads = stack.enter_context(store_on(url)).threads
        bodies = _stored(url, threads, drafts)
        connection = stack.enter_context(connected(url))
        recorder = stack.enter_context(peer.library_recorder(url, connections=_LIBRARY_THREADS))
        for number in range(runs):
            floor.make_table(connection)
            insert = partial(_raw_inserts, connection, bodies)
            raw.runs.append(run_callers(1, insert, seconds=seconds))
            record = partial(_recordings, recorder, bodies, number)
            library.runs.append(run_callers(_LIBRARY_THREADS, record, seconds=seconds))
            copied.runs.append(_copied(connection, bodies))
            for callers, rate in ours.items():
                prefix = f"run-{number}-{callers}"
                _make_threads(threads, drafts, prefix)
                append = partial(_appends, threads, drafts, prefix, count())
                rate.runs.append(run_callers(callers, append, seconds=seconds))
            start = partial(_appends, threads, drafts, f"new-{number}", count())
            starting.runs.append(run_callers(1, start, seconds=seconds))
    size = sum(len(body.body) for body in bodies) // len(bodies)
    most = max(_CALLERS)
    return [
        rate_table(
            "The write path in process",
            f"Replies of {size} bytes on average, one an append, each durable before its caller "
            f"goes on, to {THREADS:,} threads in turn, which are there if nothing else is said; "
            f"{runs} runs of {seconds:g} s each, in turn.",
            [raw, copied, library, *ours.values(), starting],
            beside={"raw INSERT": raw, "the library": library},
        ),
        aims_table(
            "What is asked of it in process",
            [
                Aim(
                    f"{most} callers", median(ours[most].times(library)), 5, 15, "times the library"
                ),
                Aim("one caller alone", median(ours[1].times(raw)), 0.6, 0.9, "times raw INSERT"),
            ],
        ),
    ]


def measure_http_load(
    server: str, workload: Workload, scratch: Path, *, runs: int, seconds: float
) -> list[Table]:
    """Return how many appends a second one service process answers, by connections."""
    raw = _beside()[0]
    ours = {n: Rate(f"POST …/messages, {_connections(n)}", "agentlog") for n in _CALLERS}
    lines = scratch / "bodies.jsonl"
    drafts = workload.lone_drafts()
    lines.write_bytes(b"\n".join(print_bytes(draft) for draft in drafts) + b"\n")
    with ExitStack() as stack:
        url = stack.enter_context(new_database(server))
        with store_on(url) as service:
            bodies = _stored(url, service.threads, drafts)
            for number in range(runs):
                for connections in _CALLERS:
                    _make_threads(service.threads, drafts, f"run-{number}-{connections}")
        connection = stack.enter_context(connected(url))
        where = stack.enter_context(served(url))
        for number in range(runs):
            floor.make_table(connection)
            insert = partial(_raw_inserts, connection, bodies)
            raw.runs.append(run_callers(1, insert, seconds=seconds))
            for connections, rate in ours.items():
                prefix = f"run-{number}-{connections}"
                rate.runs.append(posted(where, connections, prefix, lines, seconds=seconds))
            _check(connection, ours, number, seconds)
    size = lines.stat().st_size // len(drafts)
    middle = ours[64]
    return [
        rate_table(
            "The write path over HTTP",
            f"The same replies, bodies of {size} bytes, to one process of `agentlog serve`, by "
            f"{'wrk' if _wrk() else 'a client in Python'}, a process of its own; {runs} runs of "
            f"{seconds:g} s each, in turn. Memory is the most that the service had resident.",
            [raw, *ours.values()],
            beside={"raw INSERT": raw},
        ),
        aims_table(
            "What is asked of it over HTTP, at 64 connections",
            [
                Aim("appends a second", median(middle.times(raw)), 0.6, 1.2, "times raw INSERT"),
                Aim("p50", 1000 * (middle.middle(lambda run: run.p50) or 0), 20, 10, "ms"),
                Aim("p99", 1000 * (middle.middle(lambda run: run.p99) or 0), 60, 30, "ms"),
                Aim("memory", (middle.middle(lambda run: run.memory) or 0) / 1e6, 250, 150, "MB"),
            ],
        ),
    ]


def _beside() -> tuple[Rate, Rate, Rate]:
    return (
        Rate("raw psycopg INSERT, one connection, a row a transaction", "floor"),
        Rate(f"the library's recorder, {_LIBRARY_THREADS} threads", "peer"),
        Rate("binary COPY, one transaction", "floor"),
    )


def _stored(url: str, threads: Threads, drafts: list[Draft]) -> list[StoredBody]:
    """Return the drafts as the log stores them: what floor and peer write."""
    threads.append("model", drafts)
    return floor.stored_bodies(url)


def _raw_inserts(connection: psycopg.Connection, bodies: list[StoredBody], caller: int) -> Act:
    return _next_body(bodies, f"raw-{caller}", partial(floor.insert_one, connection))


def _recordings(
    recorder: PostgresApplicationRecorder, bodies: list[StoredBody], number: int, caller: int
) -> Act:
    return _next_body(bodies, f"run-{number}-{caller}", partial(peer.insert_one, recorder))


def _next_body(bodies: list[StoredBody], prefix: str, write: Callable[[StoredBody], object]) -> Act:
    """Return what writes the next body, to threads of the caller's own in turn."""
    numbers = count()

    def act() -> None:
        version, thread = divmod(next(numbers), THREADS)
        body = bodies[thread % len(bodies)]
        write(StoredBody(f"{prefix}-{thread}", version + 1, body.type, body.body))

    return act


def _make_threads(threads: Threads, drafts: list[Draft], prefix: str) -> None:
    """Have threads to append to, each with a first message."""
    requests = [
        threads.request(f"{prefix}-{number}", [drafts[number % len(drafts)]])
        for number in range(THREADS)
    ]
    for start in range(0, THREADS, _AT_ONCE):
        threads.append_many(requests[start : start + _AT_ONCE])


def _appends(
    threads: Threads, drafts: list[Draft], prefix: str, numbers: "count[int]", caller: int
) -> Act:
    del caller  # they share the threads

    def act() -> None:
        number = next(numbers)
        threads.append(f"{prefix}-{number % THREADS}", [drafts[number % len(drafts)]])

    return act


def _copied(connection: psycopg.Connection, bodies: list[StoredBody]) -> Run:
    floor.make_table(connection)
    many = [
        StoredBody(f"copied-{n % THREADS}", n // THREADS, body.type, body.body)
        for n in range(_COPIED)
        for body in [bodies[n % len(bodies)]]
    ]
    began = time.perf_counter()
    floor.copy_all(connection, many)
    return Run(_COPIED / (time.perf_counter() - began))


def posted(where: Served, connections: int, prefix: str, lines: Path, *, seconds: float) -> Run:
    """Return what so many connections got answered, by a process of its own."""
    own = [prefix, str(THREADS), str(lines)]
    wrk = _wrk()
    if wrk is None:
        program = [sys.executable, str(_FOLDER / "http_load.py"), where.host, str(where.port)]
        command = [*program, str(connections), str(seconds), *own]
    else:
        script = str(_FOLDER / "http_load.lua")
        load = [wrk, "-t1", f"-c{connections}", f"-d{seconds:.0f}s", "-s", script]
        command = [*load, f"http://{where.host}:{where.port}", "--", *own]
    memory = where.memory()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            memory = max(memory, where.memory())
            time.sleep(0.1)
        said = process.stdout.read() if process.stdout else ""
    told = json.loads(said.strip().splitlines()[-1])
    if told["failed"]:
        raise RuntimeError(f"{told['failed']} of {told['requests']} requests failed")
    return Run(told["requests"] / told["seconds"], told["p50"], told["p99"], memory)


def _check(
    connection: psycopg.Connection, rates: dict[int, Rate], number: int, seconds: float
) -> None:
    """Hold what was answered against what is in the log: nothing is fast that was not written."""
    query = "SELECT count(*) FROM agentlog.events WHERE thread_id LIKE %s"
    for connections, rate in rates.items():
        row = connection.execute(query, (f"run-{number}-{connections}-%",)).fetchone()
        answered = rate.runs[number].per_second * seconds
        if row is None or row[0] < 0.95 * answered:  # its seconds are not exactly those asked for
            raise RuntimeError(f"{answered:.0f} appends were answered, {row} are in the log")


def _wrk() -> str | None:
    return shutil.which("wrk")


def _callers(number: int) -> str:
    return "one caller alone" if number == 1 else f"{number} callers"


def _connections(number: int) -> str:
    return f"{number} connection{'' if number == 1 else 's'}"
