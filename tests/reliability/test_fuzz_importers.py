"""Spoiled files, of every format: nothing crashes, a record is in whole or not at all, and said."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.exporter import export_threads
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.infrastructure.transfer.report import ImportReport
from agentlog.infrastructure.views.results import Page
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.projections.readers.registry import FORMATS, choose_format
from agentlog.projections.readers.wires import kernel
from agentlog.projections.registry import VIEWS, choose_view
from tests.airline import airline_runs
from tests.command_line import agentlog, agentlog_process
from tests.infrastructure.appends import Clock, Ids
from tests.reliability.mutations import spoiled
from tests.reliability.outcomes import Tried

WIRES = [name for name in FORMATS if name in VIEWS]
"""The formats that histories can be written in, to be spoiled."""
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.json"))
LONE = re.compile("[\ud800-\udfff]")
SAME_VIEW: dict[str, dict[str, object]] = {
    "kernel": {"metadata": True},
    "openai": {"foreign": True, "repair": False},
}


@dataclass(frozen=True)
class Source:
    """A good file, to be spoiled, and how it is read."""

    name: str
    data: bytes
    plan: Plan


@pytest.fixture
def writer(own_database: Database) -> Writer:
    """The one writer of all tenants: each case has a tenant of its own."""
    return Writer(own_database, clock=Clock(), new_id=Ids())


def store_of(database: Database, writer: Writer, tenant: str) -> Threads:
    """Return empty threads."""
    return Threads(
        reader=LogReader(database, tenant=tenant),
        writer=writer,
        blobs=Blobs(database, tenant=tenant),
        tenant=tenant,
    )


def imported(threads: Threads, plan: Plan, path: Path) -> ImportReport:
    """Import a file, and see that each of its records is counted once."""
    taken: list[int] = []
    importer = Importer(threads, plan, progress=taken.append)
    importer.import_sources(find_sources([path]))
    assert importer.report.threads + len(importer.report.failures) <= len(taken)
    return importer.report


def sources(threads: Threads) -> Iterator[Source]:
    """Yield the examples in every format, as arrays and as lines, and an airline's runs."""
    for path in EXAMPLES:
        assert not imported(threads, Plan(choose_format("kernel")), path).failures
    ids = threads.thread_ids(limit=100)
    for wire in WIRES:
        view = choose_view(wire, SAME_VIEW.get(wire))
        lines = [json.dumps(line).encode() for line in _plain(threads, view, ids)]
        plan = Plan(choose_format(wire))
        yield Source(f"{wire}.json", b"[" + b",\n".join(lines) + b"]", plan)
        yield Source(f"{wire}.jsonl", b"\n".join(lines), plan)
    plan = Plan(choose_format("openai"), messages="$.traj", thread_id="task-{task_id}")
    yield Source("airline.json", json.dumps(airline_runs()[:3]).encode(), plan)


def _plain(threads: Threads, view: Any, ids: list[str]) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(thread)) for thread in export_threads(threads, view, ids)]


def test_a_spoiled_file_leaves_whole_records_and_says_which_failed(
    own_database: Database,
    writer: Writer,
    tmp_path: Path,
    soak: bool,  # noqa: FBT001
    tried: Tried,
) -> None:
    count = 400 if soak else 6
    row = tried(
        "files to import that were spoiled",
        made=f"{len(WIRES)} formats, {count} mutations by seed of each file: bits, pieces, "
        "encodings, escapes, numbers, depth, keys twice, other values at any place",
        holds="no crash, no hang; a record is in whole or not at all, with place and reason; "
        "a second import adds nothing",
    )
    seen: Counter[str] = Counter()
    origin = store_of(own_database, writer, "origin")
    for source in sources(origin):
        for seed in range(count):
            data, _ = spoiled(source.data, seed)
            path = tmp_path / source.name
            path.write_bytes(data)
            tenant = f"{source.name}-{seed}"
            seen += check_import(own_database, writer, tenant, source.plan, path)
    row.came = f"{seen['files']} files: {seen['threads']} records in, {seen['failures']} refused"
    assert seen["threads"]
    assert seen["failures"]


def check_import(
    database: Database, writer: Writer, tenant: str, plan: Plan, path: Path
) -> Counter[str]:
    """Import a file twice, and check what is there against what was said."""
    threads = store_of(database, writer, tenant)
    report = imported(threads, plan, path)
    for failure in report.failures:
        assert failure.place.startswith(str(path))
        assert failure.reason
    heads = threads.heads(ThreadFilter(), before=None, limit=10_000)
    assert sum(head.version for head in heads) == report.appended
    auditor = Auditor(database, tenant=tenant)
    for head in heads:
        assert auditor.thread(head.thread_id).whole
    snapshots = Snapshots(database, tenant=tenant, key=b"key")
    views = Views(LogReader(database, tenant=tenant), tenant=tenant, snapshots=snapshots)
    check_records(threads, views, plan, path, {failure.place for failure in report.failures})
    again = imported(threads, plan, path)
    if len(heads) == report.threads:  # else a thread stands in two records, which may conflict
        assert (again.appended, again.failures) == (0, report.failures)
    return Counter(files=1, threads=report.threads, failures=len(report.failures))


def check_records(threads: Threads, views: Views, plan: Plan, path: Path, failed: set[str]) -> None:
    """Check each record, as far as a lenient reader of JSON finds it: there in whole, or not."""
    records, wire = dict(lenient(path)), (plan.format or kernel.FORMAT).name
    ids = Counter(_thread_id(record) for record in records.values())
    view = choose_view(wire, SAME_VIEW.get(wire))
    for place, record in records.items():
        thread_id = _thread_id(record)
        if thread_id is None or ids[thread_id] > 1:
            continue
        refused = not failed.isdisjoint({place, str(path)})  # or the file as a whole
        assert (thread_id in threads.thread_ids(limit=10_000)) is not refused, (place, failed)
        if not refused:
            shown = views.view(thread_id, view)
            assert isinstance(shown, Page)
            check_items(wire, [placed.item for placed in shown.items], record)


def check_items(wire: str, shown: list[Any], record: Any) -> None:
    """Check that no message is missing; and for the kernel's own, that none is another."""
    messages = record["messages"]
    if wire == "kernel":
        # one that stands twice under its id is one message; a lone surrogate is replaced
        kept = {message.get("id", index): message for index, message in enumerate(messages)}
        printed = LONE.sub("\ufffd", json.dumps(list(kept.values()), ensure_ascii=False))
        for one, other in zip(shown, json.loads(printed), strict=True):
            for field in other.keys() - {"metadata"}:
                assert json.dumps(one[field]) == json.dumps(other[field]), (one, other)
    elif wire == "maria":  # she says some things twice, also where a spoiled source says them once
        assert len(shown) >= len(messages)
    else:
        assert len(shown) == len(messages)


def lenient(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield what is JSON beyond doubt, by its place."""
    if path.suffix == ".jsonl":
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            with suppress(ValueError, RecursionError):
                yield f"{path}:{number}", json.loads(line)
    else:
        with suppress(ValueError, RecursionError):
            whole = json.loads(path.read_bytes())
            for number, record in enumerate(whole if isinstance(whole, list) else []):
                yield f"{path}[{number}]", record


def _thread_id(record: Any) -> str | None:
    match record:
        case {"threadId": str(thread_id), "messages": list()}:
            return thread_id
        case _:
            return None


@pytest.mark.parametrize("wire", WIRES)
def test_the_command_says_by_its_exit_code_whether_any_record_failed(  # noqa: PLR0913, PLR0917
    own_database: Database,
    database_url: str,
    writer: Writer,
    tmp_path: Path,
    wire: str,
    soak: bool,  # noqa: FBT001
) -> None:
    origin = store_of(own_database, writer, "origin")
    (source,) = [source for source in sources(origin) if source.name == f"{wire}.json"]
    codes = set[int]()
    for seed in range(40 if soak else 2):
        data, _ = spoiled(source.data, seed)
        path = tmp_path / source.name
        path.write_bytes(data)
        run = agentlog_process if soak else agentlog
        outcome = run("import", "--format", wire, path, url=database_url)
        failed = "refused" in outcome.counted
        assert outcome.code == int(failed)
        assert "Traceback" not in outcome.err
        codes.add(outcome.code)
    assert codes
