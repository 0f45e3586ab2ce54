"""Projections over a big log: how quickly each catches up, and all of them are built anew."""

import time
from collections.abc import Sequence

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.batch import read_batch
from agentlog.infrastructure.readmodels.projection import MOST_EVENTS, Projection, StepResult
from agentlog.infrastructure.readmodels.projection_status import ProjectionStatus
from agentlog.infrastructure.readmodels.projector import projector_process
from agentlog.projections.readmodels.registry import READ_MODELS, AnyReadModel
from benchmarks.harness.big_log import make_big_log
from benchmarks.harness.databases import connected, new_database
from benchmarks.harness.table import Table
from benchmarks.harness.workload import Workload

_LEAST_PER_SECOND = 15_000
_AIM_PER_SECOND = 50_000
_LEAST_SECONDS_PER_MILLION = 180
_AIM_SECONDS_PER_MILLION = 60


def measure_projections(server: str, workload: Workload, *, events: int) -> Table:
    """Have each projection catch up by itself, then rebuild all in a process beside."""
    with new_database(server) as url, Database(url, pool_size=4) as database:
        count = make_big_log(url, workload, events=events)
        floor = count / _read_all(database, count)
        rates = {name: count / _catch_up(database, model) for name, model in READ_MODELS.items()}
        seconds = _rebuild_all(database, url)
        rows_written = _rows(url)
    per_million = seconds * 1_000_000 / count
    rows = [
        ("reading its events, nothing made of them (floor)", f"{floor:,.0f} events/s", "1.00", ""),
        *(
            (
                f"{name} catches up",
                f"{rate:,.0f} events/s",
                f"{rate / floor:.2f}",
                _verdict(rate >= _AIM_PER_SECOND, rate >= _LEAST_PER_SECOND),
            )
            for name, rate in rates.items()
        ),
        (
            "all are built anew, in one process, beside those that are live",
            f"{per_million:,.0f} s a million events",
            "",
            _verdict(
                per_million <= _AIM_SECONDS_PER_MILLION, per_million <= _LEAST_SECONDS_PER_MILLION
            ),
        ),
    ]
    return Table(
        title=f"Projections over {count:,} events",
        about=f"{rows_written:,} rows in {len(READ_MODELS)} tables; one run. At least "
        f"{_LEAST_PER_SECOND:,} events a second, aim {_AIM_PER_SECOND:,}; all anew in at most "
        f"{_LEAST_SECONDS_PER_MILLION} s a million events, aim {_AIM_SECONDS_PER_MILLION}.",
        headings=("what", "measured", "times floor", ""),
        rows=rows,
        figures={
            "events": count,
            "rows": rows_written,
            "floorPerSecond": floor,
            "perSecond": rates,
            "rebuildSeconds": seconds,
        },
    )


def _read_all(database: Database, count: int) -> float:
    began = time.perf_counter()
    position = 0
    with database.connect() as connection:
        while position < count:
            batch = read_batch(
                connection,
                after=position,
                upto=count,
                types=None,
                limit=MOST_EVENTS,
                sizes=[0],
            )
            position = batch.position
    return time.perf_counter() - began


def _catch_up(database: Database, model: AnyReadModel) -> float:
    began = time.perf_counter()
    with database.connect() as connection:
        (build,) = builds.at_work(connection, model)
        projection = Projection(model, build)
        while projection.step(connection) is StepResult.MORE:
            pass
    return time.perf_counter() - began


def _rebuild_all(database: Database, url: str) -> float:
    with Listener(database) as listener:
        projection_status = ProjectionStatus(database, listener)
        begun = {name: projection_status.rebuild(name).build for name in READ_MODELS}
        began = time.perf_counter()
        with projector_process(url):
            while _live(projection_status) != begun:
                time.sleep(0.1)
        return time.perf_counter() - began


def _live(projection_status: ProjectionStatus) -> dict[str, int]:
    known: Sequence[builds.Build] = projection_status.builds()
    stopped = [build.reason for build in known if build.reason is not None]
    if stopped:
        raise RuntimeError(f"a projection stopped: {stopped[0]}")
    return {build.name: build.build for build in known if build.state == "live"}


def _rows(url: str) -> int:
    with connected(url) as connection:
        row = connection.execute(
            "SELECT sum(n_live_tup) FROM pg_stat_user_tables "
            "WHERE schemaname = 'agentlog_readmodels'"
        ).fetchone()
    return 0 if row is None else int(row[0] or 0)


def _verdict(aim: bool, least: bool) -> str:  # noqa: FBT001 - two answers
    return "aim met" if aim else "met" if least else "missed"
