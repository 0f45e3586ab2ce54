"""Any two parts of a history, however they are imported: the whole, or one is refused."""

import itertools
import json
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.errors import InvalidInput
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.documents import Documents, Plan
from agentlog.infrastructure.transfer.files.records import read_records
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.threads import threads_of
from agentlog.projections.readers.registry import FORMATS, recognise
from tests.histories import examples
from tests.infrastructure.transfer.importing import run
from tests.infrastructure.transfer.parts import (
    given_as,
    own_records,
    parts_of,
    parts_of_lines,
    printed,
    session_lines,
    sources_of,
)

Contents = dict[str, list[str]]
NewStore = Callable[[], Threads]
NUMBERS = itertools.count()
UNCHECKED = [HealthCheck.function_scoped_fixture]


@pytest.fixture
def new_store(database: Database, writer: Writer) -> NewStore:
    """Return a function that returns an empty store: a tenant of its own."""

    def new() -> Threads:
        tenant = f"parts-{next(NUMBERS)}"
        return Threads(
            reader=LogReader(database, tenant=tenant),
            writer=writer,
            blobs=Blobs(database, tenant=tenant),
            tenant=tenant,
        )

    return new


# --- files of which the second is refused ---------------------------------------------------------


def check_a_second_file(
    threads: Threads, folder: Path, files: list[list[Any]], *, together: bool
) -> None:
    """Import two files of a thread by the remedies that their refusals name."""
    paths = [folder / f"{name}.jsonl" for name in "ab"]
    for path, lines in zip(paths, files, strict=True):
        path.write_bytes(b"".join(printed(value) + b"\n" for value in lines))
    runs = [paths] if together else [[path] for path in paths]
    (failure,) = [failure for part in runs for failure in run(threads, *part, wire=None).failures]
    assert failure.place.startswith(str(paths[1]))
    remedy = failure.reason.rpartition("--thread-id ")[2].strip("'")
    assert run(threads, paths[1], wire=None, thread_id=remedy).failures == []
    assert len(threads.thread_ids(limit=9)) == 2
    paths[0].write_bytes(b"".join(path.read_bytes() for path in paths))  # the other remedy
    whole = run(threads, paths[0], wire=None)
    assert (whole.failures, len(threads.thread_ids(limit=9))) == ([], 2)


# --- what comes of them ---------------------------------------------------------------------------


ABOUT_WHOLE = "about the whole: "


def ids_about_whole(paths: Sequence[Path]) -> set[str]:
    """Return the ids of messages that are others in another part of a history."""
    plan, ids = Plan(), set[str]()
    documents = Documents(plan)
    for file in find_sources(paths).files:
        with suppress(InvalidInput):
            chosen, records = documents.of(read_records(file))
            for record in records:
                with suppress(InvalidInput):
                    value = documents.value(record)
                    threads = threads_of(plan, chosen or recognise([value]), record, value)
                    ids.update(*(thread.of_whole for thread in threads))
    return ids


def contents(threads: Threads, about_whole: AbstractSet[str]) -> Contents:
    """Return what each thread says, without ids and times."""
    return {
        thread_id: [
            ABOUT_WHOLE * (event.message_id in about_whole)
            + json.dumps({k: v for k, v in event.raw.items() if k not in {"id", "timestamp"}})
            for event in threads.messages(thread_id)
            if event.type not in FACT_TYPES
        ]
        for thread_id in threads.thread_ids(limit=1000)
    }


def by_place(said: list[str]) -> list[str]:
    """Return what has its place in a history."""
    return [text for text in said if not text.startswith(ABOUT_WHOLE)]


def imported(threads: Threads, *runs: Sequence[Path]) -> dict[str, str]:
    """Import files, the files of a run together; return what was refused, and why."""
    reports = [run(threads, *paths, wire=None) for paths in runs]
    return {failure.place: failure.reason for report in reports for failure in report.failures}


def check_parts(
    new_store: NewStore, paths: Sequence[Path], versions: Sequence[list[str]] = ()
) -> None:
    """Import the whole and two parts: together and apart, in either order, and once more.

    `versions` are what a thread may say beside: all that the whole has of it, but alone.
    """
    about_whole = ids_about_whole(paths)
    stores = [new_store() for _ in paths]
    refused_alone = [imported(threads, [path]) for threads, path in zip(stores, paths, strict=True)]
    alone = [contents(threads, about_whole) for threads in stores]
    _, a, b = paths
    for runs in ([[a, b]], [[b, a]], [[a], [b]], [[b], [a]]):
        threads = new_store()
        refused = imported(threads, *runs)
        together = contents(threads, about_whole)
        for path, said_alone, before in zip(paths[1:], alone[1:], refused_alone[1:], strict=True):
            of_file = {place for place in refused if place.startswith(str(path))}
            as_part = of_file - before.keys()
            assert all("--thread-id" in refused[place] for place in as_part)
            for thread_id, said in said_alone.items():
                assert as_part or set(said) <= set(together[thread_id])
        for thread_id, said in together.items():
            known = [by_place(part.get(thread_id, [])) for part in alone]
            assert by_place(said) in [*known, *versions]
        assert [run(threads, *paths, wire=None).appended for paths in runs] == [0] * len(runs)
        assert contents(threads, about_whole) == together


@pytest.mark.parametrize("wire", FORMATS)
@settings(examples(2, long=80), suppress_health_check=UNCHECKED)
@given(data=st.data())
def test_parts_of_a_source_are_its_whole_or_one_is_refused(
    new_store: NewStore, tmp_path: Path, wire: str, data: st.DataObject
) -> None:
    """In any form that a file may have; a format without a source fails."""
    source = data.draw(st.sampled_from(sources_of(wire)))
    folder = tmp_path / f"{next(NUMBERS)}"
    folder.mkdir()
    named = zip(("whole", "a", "b"), data.draw(parts_of(source)), strict=True)
    check_parts(new_store, [data.draw(given_as(folder, *part)) for part in named])


@settings(examples(6, long=250), suppress_health_check=UNCHECKED)
@given(data=st.data())
def test_parts_of_any_session_are_its_whole_or_one_is_refused(
    new_store: NewStore, tmp_path: Path, data: st.DataObject
) -> None:
    parts = data.draw((session_lines() | own_records()).flatmap(parts_of_lines))
    paths = [tmp_path / f"{name}.jsonl" for name in ("whole", "a", "b")]
    for path, part in zip(paths, parts, strict=True):
        path.write_bytes(part)
    check_parts(new_store, paths, versions_in(parts[0]))


def versions_in(data: bytes) -> list[list[str]]:
    """Return what the records of our own export say, each alone: none is a part of another."""
    records = [json.loads(line) for line in data.splitlines()]
    return [list(map(json.dumps, record.get("messages", []))) for record in records]
