"""Importing each format: copies of the golden sources, beside the kernel's own messages."""

from pathlib import Path, PurePosixPath

from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.source_file import SourceFile
from agentlog.infrastructure.transfer.files.sources import Sources, find_sources
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.projections.readers.registry import FORMATS
from benchmarks.harness.databases import new_database, store_on
from benchmarks.harness.figures import Case, Figure, timed

_GOLDEN = Path(__file__).parents[2] / "tests" / "golden"
_MESSAGES = 2000


def measure_readers(server: str, *, runs: int) -> Case:
    """Return the seconds that a thousand messages of each format take, from bytes to the log."""
    kernel = Figure("`kernel`", "floor")
    sources = [(kernel, [_GOLDEN / "threads" / "deploy.json"])]
    for name in FORMATS:
        folder = _GOLDEN / "readers" / name
        paths = sorted(path for path in folder.glob("*") if ".histories." not in path.name)
        if paths:
            sources.append((Figure(f"`{name}`", "agentlog"), paths))
    for _ in range(runs):
        for figure, paths in sources:
            figure.runs.append(_import(server, paths))
    return Case(
        "Formats",
        f"Copies of the golden sources of each format, {_MESSAGES:,} messages or a few more, each "
        f"copy a thread. Milliseconds for a thousand messages; {runs} runs.",
        [figure for figure, _ in sources],
    )


def _import(server: str, paths: list[Path]) -> list[float]:
    files = [file for path in paths for file in find_sources([path]).files]
    run: list[float] = []
    with new_database(server) as url, store_on(url) as service:
        counted = Importer(service.own.rehearsal(), Plan(), progress=lambda _: None)
        counted.import_sources(Sources(files, {}))
        copies = -(-_MESSAGES // max(1, counted.report.appended))
        copied = [_copy(file, n, at) for n in range(copies) for at, file in enumerate(files)]
        plan = Plan(thread_id="{path}-{record}-{thread?}")
        importer = Importer(service.threads, plan, progress=lambda _: None)
        with timed(run):
            importer.import_sources(Sources(copied, {}))
    if importer.report.failures:
        raise RuntimeError(f"not imported: {importer.report.failures[:3]}")
    return [seconds * 1000 / importer.report.appended for seconds in run]


def _copy(file: SourceFile, number: int, at: int) -> SourceFile:
    path = PurePosixPath(f"{number}-{at}") / file.path
    return SourceFile(f"{number}:{file.place}", path, file.size, file.content)
