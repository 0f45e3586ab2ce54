"""Measure, print tables, and write them as JSON where that is asked for."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.appends import measure_appends
from benchmarks.databases import server_url
from benchmarks.figures import Case
from benchmarks.imports import measure_imports
from benchmarks.machine import describe
from benchmarks.table import as_json, markdown
from benchmarks.views import measure_views
from benchmarks.workload import load_workload

CASES = ("import", "views", "appends")


def main() -> None:
    """Run the benchmarks that were chosen."""
    chosen = _arguments()
    with tempfile.TemporaryDirectory(prefix="agentlog-bench-") as made:
        scratch = Path(made)
        scratch.chmod(0o755)  # root's PostgreSQL runs as somebody else
        workload = load_workload(chosen.histories, scratch)
        with server_url(chosen.database_url, scratch / "data") as server:
            measures: Mapping[str, Callable[[], Case]] = {
                "import": lambda: measure_imports(server, workload, scratch, runs=chosen.runs),
                "views": lambda: measure_views(
                    server, workload, runs=chosen.runs, times=chosen.times
                ),
                "appends": lambda: measure_appends(
                    server, workload, runs=chosen.runs, times=chosen.times
                ),
            }
            machine = describe(server)
            cases = []
            for name in chosen.only or CASES:
                print(f"measuring: {name}", file=sys.stderr, flush=True)
                cases.append(measures[name]())
    print(markdown(cases, machine))
    if chosen.output is not None:
        chosen.output.write_bytes(as_json(cases, machine))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--database-url", help="a PostgreSQL to make databases on; default its own")
    parser.add_argument("--histories", type=Path, help="histories on OpenAI's wire, under traj")
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    parser.add_argument("--runs", type=int, default=5, help="default 5")
    parser.add_argument("--times", type=int, default=100, help="samples a run; default 100")
    parser.add_argument("--only", action="append", choices=CASES, help="may be given repeatedly")
    return parser.parse_args()


if __name__ == "__main__":
    main()
