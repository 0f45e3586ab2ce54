"""Followers: how soon each hears of an append, and what each takes of the service's memory."""

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles

from benchmarks.harness.databases import new_database
from benchmarks.harness.rates import Aim, Rate, aims_table, rate_table
from benchmarks.harness.service import Served, served
from benchmarks.harness.table import Table, milliseconds
from benchmarks.writing.load import posted

_PROGRAM = Path(__file__).with_name("followers_program.py")
_FOLLOWERS = 100
_RATE = 500
_LOG = "/v1/log/events?after=latest"
_THREAD = "/v1/threads/followed-{}/events?view=kernel"


def measure_followers(
    server: str, scratch: Path, *, runs: int, seconds: int, idle: int
) -> list[Table]:
    """Return how long 100 followers wait for what is appended, and what idle ones take."""
    latencies: dict[str, list[list[float]]] = {"the whole log": [], "a thread each": []}
    memory: list[float] = []
    with new_database(server) as url:
        for _ in range(runs):
            with served(url) as where:
                _begin_threads(where, idle)
                for what, path in zip(latencies, (_LOG, _THREAD), strict=True):
                    latencies[what].append(_latencies(where, path, scratch, seconds))
            with served(url) as where:
                memory.append(_memory_each(where, idle, scratch))
    return [
        _latency_table(latencies),
        _aims(latencies, memory, idle),
        _beside_left(server, scratch, runs=runs, seconds=seconds),
    ]


def _beside_left(server: str, scratch: Path, *, runs: int, seconds: int) -> Table:
    """Return what one connection appends to a log that was followed, beside one that was not."""
    never = Rate("POST …/messages, 1 connection, to a log that was never followed", "floor")
    left = Rate("the same, to a log whose follower has left", "agentlog")
    lines = scratch / "replies.jsonl"
    lines.write_text(json.dumps({"type": "reply", "text": "The seat is booked. " * 25}) + "\n")
    with ExitStack() as stack:
        services = [
            (rate, stack.enter_context(served(stack.enter_context(new_database(server)))))
            for rate in (never, left)
        ]
        with _following(services[1][1], 1, _LOG, scratch / "heard"):
            pass
        for number in range(runs):
            for rate, where in services if number % 2 else reversed(services):
                rate.runs.append(posted(where, 1, f"run-{number}", lines, seconds=seconds))
    return rate_table(
        "Appends after a follower has left",
        f"Two services, each with a database of its own; {runs} runs of {seconds} s, in turn.",
        [never, left],
        beside={"never followed": never},
    )


def _latencies(where: Served, path: str, scratch: Path, seconds: int) -> list[float]:
    """Return the seconds from each answer to each who follows having heard of it."""
    heard = scratch / "heard"
    with _following(where, _FOLLOWERS, path, heard):
        appending = subprocess.run(
            [*_program("append", where), str(_FOLLOWERS), str(_RATE), str(seconds)],
            capture_output=True,
            check=True,
        )
    whole = path == _LOG
    answered = {}
    for thread_id, version, position, when in json.loads(appending.stdout):
        key = position if whole else (int(thread_id.rpartition("-")[2]), version)
        answered[key] = when
    delays: list[float] = []
    times: dict[int, int] = defaultdict(int)
    for line in heard.read_text().splitlines():
        when, number, place = line.split()
        key = int(place) if whole else (int(number), int(place.partition(".")[0]))
        if key in answered:
            delays.append(max(0.0, float(when) - answered[key]))
            times[int(number)] += 1
    expected = len(answered) * (_FOLLOWERS if whole else 1)
    if len(delays) != expected:
        raise RuntimeError(f"{len(delays)} frames were heard, not {expected}: {dict(times)}")
    return delays


def _memory_each(where: Served, idle: int, scratch: Path) -> float:
    """Return the bytes that each idle follower takes of the service."""
    with _following(where, _FOLLOWERS, _THREAD, scratch / "heard"):
        pass  # what the first of them load is not theirs
    before = where.memory()
    with _following(where, idle, _THREAD, scratch / "heard"):
        return (where.memory() - before) / idle


def _begin_threads(where: Served, count: int) -> None:
    connection = HTTPConnection(where.host, where.port)
    lines = (
        json.dumps({"threadId": f"followed-{n}", "messages": [{"type": "tick"}]})
        for n in range(count)
    )
    connection.request("POST", "/v1/log", "\n".join(lines).encode())
    if b"problem" in connection.getresponse().read():
        raise RuntimeError("threads could not be made")
    connection.close()


@contextmanager
def _following(where: Served, count: int, path: str, output: Path) -> Iterator[None]:
    """Have so many follow, in a process apart, until the block ends."""
    command = [*_program("follow", where), str(count), path, str(output)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("no pipes")
        if process.stdout.readline() != "ready\n":
            raise RuntimeError("the followers could not follow")
        yield
        process.stdin.close()
        if process.wait(timeout=120) != 0:
            raise RuntimeError("the followers failed")


def _program(act: str, where: Served) -> list[str]:
    return [sys.executable, str(_PROGRAM), act, where.host, str(where.port)]


def _latency_table(latencies: dict[str, list[list[float]]]) -> Table:
    rows, figures = [], []
    for what, runs in latencies.items():
        p50, p99 = _percentile(runs, 50), _percentile(runs, 99)
        heard = sum(map(len, runs))
        rows.append([what, f"{heard:,}", milliseconds(p50), milliseconds(p99)])
        figures.append({"what": what, "heard": heard, "p50": p50, "p99": p99})
    return Table(
        f"{_FOLLOWERS} followers over HTTP, {_RATE} appends a second",
        "From the answer to an append until a follower has it, each of them counted; medians of "
        "the runs' percentiles. Who appends and who follows are processes of their own.",
        ["who follows", "heard", "p50 ms", "p99 ms"],
        rows,
        figures,
    )


def _aims(latencies: dict[str, list[list[float]]], memory: Sequence[float], idle: int) -> Table:
    late = max(_percentile(runs, 99) for runs in latencies.values())
    return aims_table(
        "Followers: what is asked",
        [
            Aim("append acknowledged to follower has it, p99", late * 1000, 100, 25, "ms"),
            Aim(f"memory of each of {idle:,} idle followers", median(memory) / 1000, 100, 30, "kB"),
        ],
    )


def _percentile(runs: Sequence[Sequence[float]], which: int) -> float:
    return median(quantiles(run, n=100)[which - 1] for run in runs)
