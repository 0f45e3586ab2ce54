"""Measure, print tables, and write them as JSON where that is asked for."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agentlog.infrastructure.runtime.garbage import collect_rarely
from benchmarks.clients.adk import measure_adk
from benchmarks.clients.graphs import measure_graphs
from benchmarks.clients.histories import measure_histories
from benchmarks.clients.sessions import measure_sessions
from benchmarks.harness.databases import server_url
from benchmarks.harness.machine import describe
from benchmarks.harness.table import Section, as_json, markdown
from benchmarks.harness.workload import Workload, load_workload
from benchmarks.reading.followers import measure_followers
from benchmarks.reading.search import measure_search
from benchmarks.reading.starts import measure_starts
from benchmarks.reading.views import measure_views
from benchmarks.writing.appends import measure_appends
from benchmarks.writing.bulk import measure_bulk, measure_disk
from benchmarks.writing.growth import measure_growth
from benchmarks.writing.imports import measure_imports
from benchmarks.writing.load import measure_http_load, measure_load
from benchmarks.writing.readers import measure_readers
from benchmarks.writing.recorder import measure_recorder
from benchmarks.writing.spans import measure_spans

CASES = (
    "import",
    "readers",
    "views",
    "appends",
    "load",
    "http",
    "bulk",
    "spans",
    "disk",
    "growth",
    "followers",
    "search",
    "recorder",
    "graphs",
    "sessions",
    "histories",
    "starts",
)

_Measures = Mapping[str, Callable[[], Sequence[Section]]]


def main() -> None:
    """Run the benchmarks that were chosen."""
    chosen = _arguments()
    collect_rarely()  # as the service and the commands do
    with tempfile.TemporaryDirectory(prefix="agentlog-bench-") as made:
        scratch = Path(made)
        scratch.chmod(0o755)  # root's PostgreSQL runs as somebody else
        workload = load_workload(chosen.histories, scratch)
        with server_url(chosen.database_url, scratch / "data") as server:
            measures = _measures(server, workload, scratch, chosen)
            machine = describe(server, scratch)
            sections: list[Section] = []
            names = chosen.only or CASES
            extra = ["adk"] if chosen.adk else []
            for name in (*names, *extra):
                print(f"measuring: {name}", file=sys.stderr, flush=True)
                sections += measures[name]()
    print(markdown(sections, machine))
    if chosen.output is not None:
        chosen.output.write_bytes(as_json(sections, machine))


def _measures(
    server: str, workload: Workload, scratch: Path, chosen: argparse.Namespace
) -> _Measures:
    runs, times, seconds = chosen.runs, chosen.times, chosen.seconds
    return {
        "import": lambda: [measure_imports(server, workload, scratch, runs=runs)],
        "readers": lambda: [measure_readers(server, runs=runs)],
        "views": lambda: [measure_views(server, workload, runs=runs, times=times)],
        "appends": lambda: [measure_appends(server, workload, runs=runs, times=times)],
        "load": lambda: measure_load(server, workload, runs=runs, seconds=seconds),
        "http": lambda: measure_http_load(server, workload, scratch, runs=runs, seconds=seconds),
        "bulk": lambda: measure_bulk(server, workload, runs=runs),
        "spans": lambda: measure_spans(server, workload, runs=runs),
        "disk": lambda: measure_disk(server, workload),
        "growth": lambda: measure_growth(
            server, workload, runs=runs, times=times, upto=chosen.upto
        ),
        "followers": lambda: measure_followers(
            server, scratch, runs=runs, seconds=seconds, idle=chosen.idle
        ),
        "search": lambda: measure_search(
            server, workload, runs=runs, times=times, seconds=seconds, events=chosen.events
        ),
        "recorder": lambda: [
            measure_recorder(server, workload, scratch, runs=runs, times=10 * times)
        ],
        "graphs": lambda: measure_graphs(server, scratch, runs=runs, times=times),
        "sessions": lambda: measure_sessions(server, scratch, runs=runs, times=times),
        "starts": lambda: [measure_starts(server, runs=runs, times=max(3, times // 20))],
        "histories": lambda: measure_histories(server, scratch, runs=runs, times=times),
        "adk": lambda: measure_adk(server, chosen.adk, scratch, runs=runs, times=times),
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--database-url", help="a PostgreSQL to make databases on; default its own")
    parser.add_argument("--histories", type=Path, help="histories on OpenAI's wire, under traj")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    parser.add_argument("--runs", type=int, default=5, help="default 5")
    parser.add_argument("--idle", type=int, default=5000, help="idle followers; default 5000")
    parser.add_argument(
        "--events", type=int, default=1_000_000, help="of the big log; default 1,000,000"
    )
    parser.add_argument("--times", type=int, default=100, help="samples a run; default 100")
    parser.add_argument("--seconds", type=int, default=3, help="of a run of a load; default 3")
    parser.add_argument(
        "--upto", type=int, default=100_000, help="messages and threads to grow to; default 100000"
    )
    parser.add_argument("--adk", type=Path, help="a Python with Google ADK, to measure it too")
    parser.add_argument("--only", action="append", choices=CASES, help="may be given repeatedly")
    return parser.parse_args()


if __name__ == "__main__":
    main()
