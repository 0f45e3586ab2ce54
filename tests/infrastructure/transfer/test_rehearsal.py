"""Dry runs: what an import would come to, to the word, and nothing written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentlog.domain.drafts import Origin
from agentlog.infrastructure.appending.append_request import Preparer
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.infrastructure.transfer.imports import RunningImport
from agentlog.infrastructure.transfer.rehearsal import Rehearsal
from agentlog.infrastructure.transfer.report import ImportReport
from tests.infrastructure.appends import TENANT, Clock, Ids, calls, reply
from tests.infrastructure.transfer.importing import position, written
from tests.infrastructure.transfer.parts import own_records, parts_of_lines, session_lines


@pytest.fixture
def rehearse(
    database: Database, writer: Writer, reader: LogReader, blobs: Blobs
) -> Callable[[], Rehearsal]:
    """Return a function that returns a store which commits nothing, over the tests' tenant."""
    preparer = Preparer(clock=Clock(), new_id=Ids())
    return lambda: Rehearsal(
        database, preparer, reader=reader, writer=writer, blobs=blobs, tenant=TENANT
    )


def imported(threads: Threads, *paths: Path, **fields: Any) -> ImportReport:
    running = RunningImport(Origin(import_id="an-import"), lambda **_: None)
    importer = Importer(threads, Plan(**fields), progress=lambda _: None, running=running)
    importer.import_sources(find_sources(paths))
    return importer.report


def test_a_dry_run_comes_to_what_the_import_comes_to(
    threads: Threads, rehearse: Callable[[], Rehearsal], tmp_path: Path
) -> None:
    """Threads that are there and that come twice, anomalies, refusals by the store."""
    before = [{"threadId": "a", "messages": [reply("x")]}, {"threadId": "b", "messages": []}]
    imported(threads, written(tmp_path, "before.jsonl", before))
    records = [
        {"threadId": "a", "messages": [reply("x"), calls("a"), calls("a")]},
        {"threadId": "a", "messages": [reply("x"), calls("a"), calls("a"), reply("more")]},
        {"threadId": "b", "metadata": {"n": 1}, "messages": []},
        {"threadId": "c", "policy": "strict", "messages": [calls("a"), calls("a")]},
        {"threadId": "d", "policy": "strict", "messages": [reply("y")], "closed": {}},
        {"threadId": "d", "policy": "strict", "messages": [reply("z")]},
        {"threadId": "a", "messages": [reply("other")]},
    ]
    path = written(tmp_path, "runs.jsonl", records)
    at = position(threads)
    dry = imported(rehearse(), path)
    assert position(threads) == at
    assert dry == imported(threads, path)
    assert (dry.threads, dry.anomalies, len(dry.failures)) == (3, 1, 3)
    assert dry.replayed


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_files_are_rehearsed_as_they_are_imported(
    threads: Threads, rehearse: Callable[[], Rehearsal], tmp_path: Path, data: st.DataObject
) -> None:
    parts = data.draw((session_lines() | own_records()).flatmap(parts_of_lines))
    paths = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for path, part in zip(paths, parts, strict=True):
        path.write_bytes(part)
    chosen = data.draw(st.lists(st.sampled_from(paths), min_size=1, max_size=3))
    policy = data.draw(st.sampled_from(["record", "strict"]))
    at = position(threads)
    dry = imported(rehearse(), *chosen, policy=policy)
    assert position(threads) == at
    assert dry == imported(threads, *chosen, policy=policy)
