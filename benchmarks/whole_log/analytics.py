"""Reports over a big log, each as it comes and in its dearer forms."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projection import Projection, StepResult
from agentlog.infrastructure.reports.catalogue import REPORTS
from agentlog.infrastructure.reports.question import Question
from agentlog.infrastructure.reports.reports import Reports
from agentlog.projections.readmodels.registry import READ_MODELS
from benchmarks.harness.big_log import make_big_log
from benchmarks.harness.databases import connected, new_database
from benchmarks.harness.figures import Case, Figure, sample_in_turn
from benchmarks.harness.workload import Workload

_LIMIT = 1.0
_TENANT = "default"


def measure_analytics(
    server: str, workload: Workload, *, runs: int, times: int, events: int
) -> Case:
    """Return what reports take over a log of so many events, with times and model calls."""
    with new_database(server) as url:
        count = make_big_log(url, workload, events=events, measured=True)
        with Database(url, pool_size=2) as database:
            _build_all(database)
            day = _some_day(url)
            reports = Reports(database, tenant=_TENANT)
            actions: list[tuple[Figure, Callable[[], object]]] = [
                (Figure("one thread's tools (what asking costs)", "floor"), _one(reports)),
                *(
                    (
                        Figure(f"{name}, {what}", "agentlog", limit=_LIMIT),
                        partial(reports.ask, name, question),
                    )
                    for name in REPORTS
                    for what, question in _questions(name, day).items()
                ),
            ]
            for _ in range(runs):
                sample_in_turn(actions, times=times, warmups=1)
    return Case(
        f"Reports over {count:,} events",
        "In process, as `GET /v1/analytics/{report}` asks them. Milliseconds; "
        f"{runs} runs of {times}, in turn.",
        [figure for figure, _ in actions],
    )


def _one(reports: Reports) -> Callable[[], object]:
    return partial(reports.ask, "tools", Question(filters={"thread": ["airline-3"]}))


def _questions(name: str, day: datetime) -> Mapping[str, Question]:
    narrow = {"one day": Question(begin=day, end=day + timedelta(days=1))}
    if REPORTS[name].by is None:
        return {"as it comes": Question(), **narrow}
    responses = {"by model": Question(by=["model"])} if REPORTS[name].source.of_responses else {}
    return {
        "as it comes": Question(),
        **responses,
        "by day": Question(by=["day"]),
        "by thread": Question(by=["thread"]),
        "by a key of metadata": Question(by=["metadata.reward"]),
        "by day and a key of metadata": Question(by=["day", "metadata.reward"]),
        "of some metadata": Question(metadata={"reward": 1}),
        **narrow,
    }


def _some_day(url: str) -> datetime:
    with connected(url) as connection:
        row = connection.execute("SELECT max(updated_at) FROM agentlog.threads").fetchone()
    latest: datetime = datetime.now(UTC) if row is None else row[0]
    return latest.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)


def _build_all(database: Database) -> None:
    with database.connect() as connection:
        for name in {report.model for report in REPORTS.values()} - {None}:
            model = READ_MODELS[str(name)]
            for number in builds.at_work(connection, model):
                while Projection(model, number).step(connection) is StepResult.MORE:
                    pass
            (live,) = (build for build in builds.builds(connection) if build.name == name)
            # as a rebuild leaves it, and autovacuum does of itself
            connection.execute(f"VACUUM ANALYZE agentlog_readmodels.{name}_{live.build}".encode())
