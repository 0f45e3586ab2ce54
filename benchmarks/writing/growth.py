"""How the cost of one lone durable append grows: with its thread, the log, and its own size."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from random import Random

import psycopg

from agentlog.domain.errors import AgentlogError
from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.draft import Draft
from benchmarks.harness import floor
from benchmarks.harness.databases import connected, new_database, store_on
from benchmarks.harness.figures import Figure, sample_in_turn
from benchmarks.harness.floor import StoredBody
from benchmarks.harness.table import Table, milliseconds
from benchmarks.harness.workload import Workload

_BATCH = 1000
_SIZES = (10**2, 10**3, 10**4, 10**5, 10**6, 10**7)
_MOST_BYTES = 2 * 10**8  # that one size appends: large ones are timed less often

_Write = Callable[[str, Draft], object]


def measure_growth(
    server: str, workload: Workload, *, runs: int, times: int, upto: int
) -> list[Table]:
    """Return a table for each way to grow; `upto` is the most messages, and the most threads."""
    steps = [10**power for power in range(2, 9) if 10**power <= upto]
    with _beside(server) as (threads, raw):
        messages = _long_thread(threads, raw, workload, steps, runs=runs, times=times)
    with _beside(server) as (threads, raw):
        of_threads = _many_threads(threads, raw, workload, steps, runs=runs, times=times)
    with _beside(server) as (threads, raw):
        payload = _large_messages(threads, raw, workload, runs=runs, times=times)
    about = f"Lone appends in process, in turn with raw INSERTs of the same; {runs} runs of {times}"
    return [
        _table("By messages in the thread", f"{about}.", messages),
        _table("By threads in the log", f"{about}, to any of the threads.", of_threads),
        _table("By bytes of the message", f"{about}, of large ones fewer.", payload),
    ]


_Line = tuple[int, Figure, Figure]


def _long_thread(  # noqa: PLR0913 - what is grown, and how often it is asked
    threads: Threads, raw: _Write, workload: Workload, steps: list[int], *, runs: int, times: int
) -> list[_Line]:
    drafts = workload.lone_drafts()
    lines, length = [], 0
    for step in steps:
        while length < step:
            many = [drafts[(length + n) % len(drafts)] for n in range(min(_BATCH, step - length))]
            length += len(threads.append("long", many).messages)
        lines.append(_line(step, threads, raw, lambda: "long", drafts, runs=runs, times=times))
        length = threads.head("long").version
    return lines


def _many_threads(  # noqa: PLR0913 - what is grown, and how often it is asked
    threads: Threads, raw: _Write, workload: Workload, steps: list[int], *, runs: int, times: int
) -> list[_Line]:
    drafts = workload.lone_drafts()
    random = Random(_BATCH)  # noqa: S311 - the same threads at every run
    lines, made = [], 0
    for step in steps:
        while made < step:
            numbers = range(made, min(made + _BATCH, step))
            requests = [threads.request(f"t-{n}", [drafts[n % len(drafts)]]) for n in numbers]
            for outcome in threads.append_many(requests):
                if isinstance(outcome, AgentlogError):
                    raise outcome
            made = numbers.stop

        def any_thread(last: int = step - 1) -> str:
            return f"t-{random.randint(0, last)}"

        lines.append(_line(step, threads, raw, any_thread, drafts, runs=runs, times=times))
    return lines


def _large_messages(
    threads: Threads, raw: _Write, workload: Workload, *, runs: int, times: int
) -> list[_Line]:
    text = "".join(str(draft["text"]) for draft in workload.lone_drafts())
    lines = []
    for size in _SIZES:
        whole = text * (size // len(text) + 2)
        drafts: list[Draft] = [
            {"type": "reply", "text": whole[start : start + size]} for start in range(100)
        ]
        fewer = max(1, min(times, _MOST_BYTES // size // runs // 2))
        numbers = count()
        thread = partial(_numbered, size, numbers)
        lines.append(_line(size, threads, raw, thread, drafts, runs=runs, times=fewer))
    return lines


def _numbered(size: int, numbers: "count[int]") -> str:
    return f"of-{size}-{next(numbers) % 100}"


def _line(  # noqa: PLR0913 - what is appended where, and how often
    step: int,
    threads: Threads,
    raw: _Write,
    thread: Callable[[], str],
    drafts: list[Draft],
    *,
    runs: int,
    times: int,
) -> _Line:
    ours, floor_ = Figure("agentlog", "agentlog"), Figure("raw", "floor")
    numbers = count()

    def append() -> None:
        threads.append(thread(), [drafts[next(numbers) % len(drafts)]])

    def insert() -> None:
        raw(thread(), drafts[next(numbers) % len(drafts)])

    for _ in range(runs):
        sample_in_turn([(floor_, insert), (ours, append)], times=times, warmups=1)
    return step, ours, floor_


@contextmanager
def _beside(server: str) -> Iterator[tuple[Threads, _Write]]:
    """Yield a store on a database of its own, and what inserts a row there."""
    with (
        new_database(server) as url,
        store_on(url) as service,
        connected(url) as connection,
    ):
        floor.make_table(connection)
        yield service.threads, partial(_insert, connection, count())


def _insert(
    connection: psycopg.Connection, numbers: "count[int]", thread: str, draft: Draft
) -> None:
    floor.insert_one(
        connection, StoredBody(thread, next(numbers), str(draft["type"]), print_bytes(draft))
    )


def _table(title: str, about: str, lines: list[_Line]) -> Table:
    return Table(
        title,
        about,
        ["", "append ms", "spread", "p99 ms", "raw INSERT ms", "times raw"],
        [
            [
                f"{step:,}",
                milliseconds(ours.median),
                f"{milliseconds(ours.spread[0])} to {milliseconds(ours.spread[1])}",
                "" if ours.p99 is None else milliseconds(ours.p99),
                milliseconds(raw.median),
                f"{ours.median / raw.median:.2f}",
            ]
            for step, ours, raw in lines
        ],
        [
            {"step": step, "append": ours.median, "p99": ours.p99, "raw": raw.median}
            for step, ours, raw in lines
        ],
    )
