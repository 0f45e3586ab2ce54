"""Importing histories: the whole command, the importer alone, floor and peer."""

from pathlib import Path

from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.projections.readers.registry import choose_format
from benchmarks.harness import floor, peer
from benchmarks.harness.databases import connected, new_database, store_on
from benchmarks.harness.figures import Case, Figure, timed
from benchmarks.harness.floor import StoredBody
from benchmarks.harness.service import run_agentlog
from benchmarks.harness.workload import Workload

_THREAD_ID = "airline-{task_id}-{trial}"
_MESSAGES = "$.traj"


def measure_imports(server: str, workload: Workload, scratch: Path, *, runs: int) -> Case:
    """Return what importing all histories takes, each time into an empty database."""
    command = Figure("`agentlog import`, the whole process", "agentlog", limit=3.0)
    from_nothing = Figure("the same, its own PostgreSQL made, started and stopped", "agentlog")
    inside = Figure("the importer in process", "agentlog")
    copied = Figure("binary COPY, one transaction", "floor")
    inserted = Figure("executemany INSERT, one transaction", "floor")
    recorded = Figure("the library's recorder, a thread a batch", "peer")
    for number in range(runs):
        with new_database(server) as url:
            command.runs.append(_command(workload, url=url))
            bodies = floor.stored_bodies(url)
        from_nothing.runs.append(_command(workload, data_dir=scratch / f"new-{number}"))
        with new_database(server) as url:
            inside.runs.append(import_in_process(url, workload))
            copied.runs.append(copy_bodies(url, bodies))
            inserted.runs.append(_inserted(url, bodies))
            recorded.runs.append(_recorded(url, bodies))
    size = sum(len(body.body) for body in bodies)
    return Case(
        "Import",
        f"`{workload.name}`: {workload.messages:,} messages on OpenAI's wire, which the log has as "
        f"{len(bodies):,} events, {size:,} bytes. Milliseconds; {runs} runs.",
        [copied, inserted, command, from_nothing, inside, recorded],
    )


def _command(
    workload: Workload, *, url: str | None = None, data_dir: Path | None = None
) -> list[float]:
    run: list[float] = []
    options = ["--format", "openai", "--messages", _MESSAGES, "--thread-id", _THREAD_ID]
    where = [] if data_dir is None else ["--data-dir", str(data_dir)]
    with timed(run):
        run_agentlog(["import", str(workload.path), *options, *where], url=url)
    return run


def import_in_process(url: str, workload: Workload) -> list[float]:
    """Return the seconds, one, that the importer took in this process."""
    run: list[float] = []
    plan = Plan(choose_format("openai"), messages=_MESSAGES, thread_id=_THREAD_ID)
    with store_on(url) as service:
        importer = Importer(service.threads, plan, progress=lambda _: None)
        with timed(run):
            importer.import_sources(find_sources([workload.path]))
    if importer.report.failures:
        raise RuntimeError(f"records were not imported: {importer.report.failures[:3]}")
    return run


def copy_bodies(url: str, bodies: list[StoredBody]) -> list[float]:
    """Return the seconds, one, that a binary COPY of them took."""
    run: list[float] = []
    with connected(url) as connection:
        floor.make_table(connection)
        with timed(run):
            floor.copy_all(connection, bodies)
    return run


def _inserted(url: str, bodies: list[StoredBody]) -> list[float]:
    run: list[float] = []
    with connected(url) as connection:
        floor.make_table(connection)
        with timed(run):
            floor.insert_all(connection, bodies)
    return run


def _recorded(url: str, bodies: list[StoredBody]) -> list[float]:
    run: list[float] = []
    with peer.library_recorder(url) as recorder, timed(run):
        peer.insert_all(recorder, bodies)
    return run
