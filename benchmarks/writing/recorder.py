"""What a step costs an agent that records it, beside a line in a file and a commit of SQLite."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from agentlog.projections.readers.draft import Draft
from agentlog_client import Recorder
from benchmarks.harness.databases import new_database
from benchmarks.harness.figures import Case, Figure, sample_in_turn
from benchmarks.harness.service import served
from benchmarks.harness.workload import Workload

_WARMUPS = 10
_NOWHERE = "http://127.0.0.1:9"
_LIMIT_SECONDS = 0.001


def measure_recorder(
    server: str, workload: Workload, scratch: Path, *, runs: int, times: int
) -> Case:
    """Return what a step takes; each of them keeps the same messages, on the same disk."""
    line = Figure("a line written to a file", "floor")
    sqlite = Figure("SQLite: INSERT and commit, as frameworks keep sessions", "peer")
    ours = Figure("`Recorder.record`, the service there", "agentlog", limit=_LIMIT_SECONDS)
    away = Figure("`Recorder.record`, the service away", "agentlog", limit=_LIMIT_SECONDS)
    drafts = workload.drafts(times + _WARMUPS)
    with ExitStack() as stack:
        where = stack.enter_context(served(stack.enter_context(new_database(server))))
        for run in range(runs):
            folder = scratch / f"recorder-{run}"
            folder.mkdir()
            with ExitStack() as of_run:
                file = of_run.enter_context((folder / "lines").open("ab", buffering=0))
                database = of_run.enter_context(closing(sqlite3.connect(folder / "sqlite")))
                database.execute("CREATE TABLE messages (session TEXT, body TEXT)")
                url = f"http://{where.host}:{where.port}"
                recorders = [
                    of_run.enter_context(closing(_recorder(folder / name, address)))
                    for name, address in (("there", url), ("away", _NOWHERE))
                ]
                sample_in_turn(
                    [
                        (line, _over(drafts, partial(_write_line, file.write))),
                        (sqlite, _over(drafts, partial(_insert, database))),
                        (ours, _over(drafts, recorders[0].record)),
                        (away, _over(drafts, recorders[1].record)),
                    ],
                    times=times,
                    warmups=_WARMUPS,
                )
    return Case(
        "A recorded step",
        "One message after the other, in turn; the agent goes on when it is kept.",
        [line, sqlite, ours, away],
    )


def _recorder(folder: Path, url: str) -> Recorder:
    return Recorder(url=url, spool=folder, on_trouble=lambda _: None)


def _over(drafts: Iterable[Draft], keep: Callable[[Draft], object]) -> Callable[[], object]:
    following = iter(drafts)
    return lambda: keep(next(following))


def _write_line(write: Callable[[bytes], object], draft: object) -> None:
    write(json.dumps(draft).encode() + b"\n")


def _insert(database: sqlite3.Connection, draft: object) -> None:
    with database:
        database.execute("INSERT INTO messages VALUES (?, ?)", ("session", json.dumps(draft)))
