"""A log that grows beyond memory: how much each figure grows with it.

`python -m benchmarks.whole_log.large_log --events 20000000 --memory 2048` loads real histories,
each made unique, with real chains, and measures when the log is small, when it has a tenth of its
events, and when it has all. `--memory` limits what PostgreSQL has of memory, its page cache
included, by a control group (version 1, as root): a log of a few times that is beyond memory.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.audit.threads.thread_audit import audit_thread
from agentlog.infrastructure.embedded import open_embedded
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.runtime.garbage import collect_rarely
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.messages import chat
from agentlog.projections.readmodels.message_words import MessageWords
from benchmarks.harness.databases import connected, fill_read_models, rebuild_read_model, store_on
from benchmarks.harness.figures import Figure, sample_in_turn
from benchmarks.harness.machine import describe
from benchmarks.harness.service import Client, run_agentlog, serving
from benchmarks.harness.table import Section, Table, markdown, milliseconds
from benchmarks.harness.workload import Workload, load_workload

_SMALL = 60_000
_NEW = 20_000
"""Events whose words go into an index that is already there."""

_ROUND_THREADS = 200
_LONG_TEXT = 512
"""Bytes from which a text is kept once: those of tools are made unique, as real ones are."""

_SAMPLED_THREADS = 500
_TENANT = "default"
_CGROUPS = Path("/sys/fs/cgroup/memory")


@dataclass(slots=True)
class _Log:
    """A log under way: the events and threads loaded so far, and the rate of each round."""

    threads: Threads
    workload: Workload
    random: Random = field(default_factory=lambda: Random(_ROUND_THREADS))  # noqa: S311 - the same at every run
    events: int = 0
    rounds: int = 0
    rates: list[float] = field(default_factory=list)

    def grow(self, upto: int) -> None:
        """Append rounds of histories until the log has so many events."""
        while self.events < upto:
            requests = list(self._round())
            began = time.perf_counter()
            for outcome in self.threads.append_many(requests):
                if isinstance(outcome, AgentlogError):
                    raise outcome
            added = sum(len(request.drafts) + 1 for request in requests)
            self.rates.append(added / (time.perf_counter() - began))
            self.events += added
            self.rounds += 1
            if self.rounds % 50 == 0:
                _say(f"{self.events:,} events, {self.rates[-1]:,.0f} a second")

    def any_thread(self) -> str:
        """Return the id of a thread."""
        return f"run-{self.random.randrange(self.rounds)}-{self.random.randrange(_ROUND_THREADS)}"

    def any_position(self) -> int:
        """Return a position."""
        return self.random.randrange(self.events)

    def _round(self) -> Iterator[AppendRequest]:
        for number, record in zip(range(_ROUND_THREADS), self.workload.records, strict=False):
            drafts = chat.READER.read(self._unique(item, number) for item in record["traj"])
            goal = f"airline {record.get('task_id', number)}, trial {self.rounds}"
            started = {"type": "thread.started", "goal": goal, "policy": "record"}
            yield self.threads.request(f"run-{self.rounds}-{number}", list(drafts), facts=[started])

    def _unique(self, item: dict[str, Any], number: int) -> dict[str, Any]:
        content = item.get("content")
        if item.get("role") == "tool" and isinstance(content, str) and len(content) >= _LONG_TEXT:
            return {**item, "content": f"{content}\nanswer {self.rounds}-{number}"}
        return item


def measure_large_log(
    url: str, workload: Workload, folder: Path, *, events: int, times: int
) -> list[Section]:
    """Return what grows: of a small log, of a tenth of so many events, and of them all."""
    sizes: list[int] = []
    figures: list[list[Figure]] = []
    with store_on(url) as service:
        log = _Log(service.threads, workload)
        for upto in sorted({min(_SMALL, events), max(min(_SMALL, events), events // 10), events}):
            log.grow(upto)
            words = _words(url, log)
            with connected(url) as connection:
                connection.execute("VACUUM ANALYZE")
            _say(f"measuring at {log.events:,} events")
            loaded = Figure("bulk append, an event", "agentlog")
            loaded.runs.append([1 / rate for rate in log.rates[-30:]])
            sizes.append(log.events)
            figures.append([loaded, *words, *_asked(url, log, times), *_checked(url, log, folder)])
            _say(markdown([_grown(sizes, figures)], {}))
    return [_grown(sizes, figures), _bytes(url, log.events)]


def _words(url: str, log: _Log) -> list[Figure]:
    """Return what the words for search take an event: of a rebuild, and of the next messages."""
    model = MessageWords()
    _say("building the words for search")
    began = time.perf_counter()
    rebuild_read_model(url, model)
    rebuilt = _once("words for search rebuilt, an event", time.perf_counter() - began, log.events)
    before = log.events
    log.grow(before + _NEW)
    began = time.perf_counter()
    fill_read_models(url, [model])
    seconds = time.perf_counter() - began
    return [rebuilt, _once("words of new messages, an event", seconds, log.events - before)]


def _asked(url: str, log: _Log, times: int) -> list[Figure]:
    """Return what requests take, each to a place of its own."""
    texts = [str(draft["text"]) for draft in log.workload.lone_drafts()]
    with serving(url, AGENTLOG_PROJECTIONS="off") as client:
        asked = {
            what: (
                Figure(what, "agentlog"),
                partial(client.get, path) if isinstance(path, str) else path,
            )
            for what, path in _requests(client, log, texts).items()
        }
        sample_in_turn(asked.values(), times=times)
    return [figure for figure, _ in asked.values()]


def _requests(
    client: Client, log: _Log, texts: Sequence[str]
) -> dict[str, str | Callable[[], object]]:
    def append(thread: str) -> None:
        client.post(
            f"/v1/threads/{thread}/messages", {"type": "reply", "text": log.random.choice(texts)}
        )

    def get(path: Callable[[], str]) -> Callable[[], object]:
        return lambda: client.get(path())

    names = iter(range(10**9))
    middle = log.events // 2
    return {
        "GET /healthz, which reads nothing": "/healthz",
        "append one to any thread": lambda: append(log.any_thread()),
        "append one to a new thread": lambda: append(f"new-{log.rounds}-{next(names)}"),
        "threads, first page": "/v1/threads",
        "threads, from the middle": f"/v1/threads?after={middle}",
        "threads, by two words": "/v1/threads?filter=airline+42",
        "100 events of the log": get(lambda: f"/v1/log?after={log.any_position()}&limit=100"),
        "a thread": get(lambda: f"/v1/threads/{log.any_thread()}"),
        "a view": get(lambda: f"/v1/threads/{log.any_thread()}/views/openai"),
        "a view, at a version": get(lambda: f"/v1/threads/{log.any_thread()}/views/openai?at=9"),
        "search, a word of a third": "/v1/search?q=flight",
        "search, a word of one message": get(
            lambda: f"/v1/search?q=%22answer+{log.random.randrange(log.rounds)}-7%22"
        ),
        "search, a word that is nowhere": "/v1/search?q=xyzzy",
        "search, two words": "/v1/search?q=certificate+refund",
    }


def _checked(url: str, log: _Log, folder: Path) -> list[Figure]:
    """Return what checks and a backup take an event."""
    with Database(url, pool_size=1) as database:
        began, count = time.perf_counter(), 0
        for _ in range(_SAMPLED_THREADS):
            count += audit_thread(database, _TENANT, log.any_thread()).events
        verified = _once("verify, an event", time.perf_counter() - began, count)
    with store_on(url) as service:
        began = time.perf_counter()
        service.own.proofs.auditor.tree()
        tree = _once("verify, a link of the tree", time.perf_counter() - began, log.events)
    began = time.perf_counter()
    run_agentlog(["backup", str(folder / f"backup-{log.events}"), "--unsigned"], url=url)
    return [verified, tree, _once("backup, an event", time.perf_counter() - began, log.events)]


def _once(what: str, seconds: float, events: int) -> Figure:
    figure = Figure(what, "agentlog")
    figure.runs.append([seconds / max(events, 1)])
    return figure


def _grown(sizes: Sequence[int], figures: Sequence[Sequence[Figure]]) -> Table:
    rows, values = [], []
    for same in zip(*figures, strict=True):
        medians = [figure.median for figure in same]
        factor = f"{medians[-1] / medians[0]:.2f}"
        rows.append([same[0].what, *map(_time, medians), factor])
        values.append({"what": same[0].what, "sizes": list(sizes), "medians": medians})
    return Table(
        "A log as it grows",
        "Medians; requests over one kept connection, in turn, each of another place in the log.",
        ["what", *(f"{size:,} events" for size in sizes), "last by first"],
        rows,
        values,
    )


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:,.1f} µs" if seconds < 2e-4 else f"{milliseconds(seconds)} ms"


def _bytes(url: str, events: int) -> Table:
    with connected(url) as connection:
        rows = connection.execute(
            "SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace::regnamespace::text LIKE 'agentlog%%' "
            "AND pg_total_relation_size(oid) > %s ORDER BY pg_total_relation_size(oid) DESC",
            (events,),
        ).fetchall()
    return Table(
        "On disk",
        "Bytes an event.",
        ["table", "table", "indexes"],
        [[name, f"{table / events:.0f}", f"{index / events:.0f}"] for name, table, index in rows],
        [{"table": name, "bytes": table, "indexes": index} for name, table, index in rows],
    )


@contextmanager
def _limited(data_dir: Path, megabytes: int) -> Iterator[None]:
    """Limit the memory of the server of a data folder, with its page cache."""
    group = _CGROUPS / f"agentlog-{os.getpid()}"
    group.mkdir()
    try:
        (group / "memory.limit_in_bytes").write_text(str(megabytes * 2**20))
        postmaster = (data_dir / "postgresql" / "postmaster.pid").read_text().split()[0]
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for pid in (postmaster, *children):  # later ones are born in the group
            _move(pid, group)
        yield
    finally:
        for pid in (group / "cgroup.procs").read_text().split():
            _move(pid, _CGROUPS)
        group.rmdir()


def _move(pid: str, group: Path) -> None:
    with suppress(ProcessLookupError):  # it has ended
        (group / "cgroup.procs").write_text(pid)


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def main() -> None:
    """Load, measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=3_000_000, help="default 3,000,000")
    parser.add_argument("--memory", type=int, help="MB that PostgreSQL may use; default all")
    parser.add_argument("--times", type=int, default=100, help="samples of a request; default 100")
    parser.add_argument("--folder", type=Path, help="on the disk to measure; default temporary")
    parser.add_argument("--histories", type=Path, help="tau-bench's file; default as `make bench`")
    chosen = parser.parse_args()
    collect_rarely()
    with tempfile.TemporaryDirectory(prefix="agentlog-bench-", dir=chosen.folder) as made:
        scratch = Path(made)
        scratch.chmod(0o755)  # as root, PostgreSQL runs under another account
        workload = load_workload(chosen.histories, scratch)
        data_dir = scratch / "data"
        with (
            open_embedded(data_dir) as server,
            nullcontext() if chosen.memory is None else _limited(data_dir, chosen.memory),
        ):
            sections = measure_large_log(
                server.url, workload, scratch, events=chosen.events, times=chosen.times
            )
            print(markdown(sections, describe(server.url, scratch)))


if __name__ == "__main__":
    main()
