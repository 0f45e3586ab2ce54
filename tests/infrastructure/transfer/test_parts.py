"""Any two parts of a history, however they are imported: the whole, or one is refused."""

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.catalogue import FACT_TYPES
from infrastructure.appending.writer import Writer
from infrastructure.eventlog.blob_store import Blobs
from infrastructure.eventlog.reader import LogReader
from infrastructure.postgres.database import Database
from infrastructure.views.store import Store
from tests.infrastructure.transfer.importing import run
from tests.projections.readers.test_golden_readers import SOURCES

Contents = dict[str, list[str]]
NewStore = Callable[[], Store]
PLAIN = {".json", ".jsonl", ".traj", ".af"}
NUMBERS = itertools.count()


@pytest.fixture
def new_store(database: Database, writer: Writer) -> NewStore:
    """Return a function that returns an empty store: a tenant of its own."""

    def new() -> Store:
        tenant = f"parts-{next(NUMBERS)}"
        return Store(
            reader=LogReader(database, tenant=tenant),
            writer=writer,
            blobs=Blobs(database, tenant=tenant),
            tenant=tenant,
        )

    return new


# --- sources and their parts ----------------------------------------------------------------------


def printed(value: Any) -> bytes:
    return json.dumps(value).encode()


@st.composite
def parts_of_lines(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """Return the whole, and two parts of it, cut between lines or anywhere."""
    ends = [n + 1 for n, byte in enumerate(data) if byte == 10]
    place = st.sampled_from([0, *ends]) | st.integers(0, len(data))
    first, second = draw(place), draw(place)
    overlap = draw(st.booleans())
    return [data, data[: max(first, second)], data[min(first, second) if overlap else second :]]


@st.composite
def parts_of_items(draw: st.DrawFn, document: Any) -> list[bytes]:
    """Return a document, and two others with some of the items of one of its arrays."""
    keys: list[Any] = [None]
    if isinstance(document, dict):
        keys = [key for key, value in document.items() if isinstance(value, list) and value]
    key = draw(st.sampled_from(keys)) if keys else None
    items = document if key is None else document[key]
    if not isinstance(items, list):
        return [printed(document)] * 3
    first, second = sorted(draw(st.tuples(*[st.integers(0, len(items))] * 2)))
    begin = draw(st.sampled_from([0, first, second]))
    several = [items, items[:second], items[begin:]]
    return [printed(each if key is None else {**document, key: each}) for each in several]


SESSION, OTHER = "0b2f1c1e-0000-4000-8000-00000000000a", "0b2f1c1e-0000-4000-8000-00000000000b"


@st.composite
def session_lines(draw: st.DrawFn) -> bytes:
    """Return lines of Claude Code: some without an id, some alike, of two sessions."""
    lines: list[dict[str, Any]] = []
    for number in range(draw(st.integers(2, 8))):
        session = draw(st.sampled_from([SESSION, SESSION, OTHER]))
        at = f"2026-01-01T00:00:{number:02d}Z"
        of_line = {"sessionId": session, "timestamp": at, "uuid": f"{SESSION[:-4]}{number:04x}"}
        text = draw(st.sampled_from(["yes", "no"]))
        match draw(st.sampled_from(["user", "assistant", "mode"])):
            case "mode":
                lines.append({"type": "mode", "mode": text, "sessionId": session})
            case "user":
                message: dict[str, Any] = {"role": "user", "content": text}
                lines.append({**of_line, "type": "user", "message": message})
            case _:
                content = [{"type": "text", "text": text}]
                message = {"id": f"msg_{number}", "role": "assistant", "content": content}
                lines.append({**of_line, "type": "assistant", "message": message})
    return b"".join(printed(line) + b"\n" for line in lines)


@st.composite
def own_records(draw: st.DrawFn) -> bytes:
    """Return records of our own export, of which several may name one thread."""
    replies = st.sampled_from(["yes", "no"]).map(lambda text: {"type": "reply", "text": text})
    record = st.builds(
        lambda name, messages: {"threadId": name, "messages": messages},
        st.sampled_from("tu"),
        st.lists(replies, min_size=1, max_size=3),
    )
    return b"".join(printed(each) + b"\n" for each in draw(st.lists(record, min_size=2)))


def line(number: int, text: str) -> dict[str, Any]:
    """Return a line of Claude Code with a uuid of its own."""
    return {
        "type": "user",
        "sessionId": SESSION,
        "uuid": f"{SESSION[:-4]}{number:04x}",
        "timestamp": f"2026-01-01T00:00:{number:02d}Z",
        "message": {"role": "user", "content": text},
    }


def observation(number: int) -> dict[str, Any]:
    """Return one of Langfuse's, of a session."""
    return {
        "id": f"o{number}",
        "traceId": f"t{number}",
        "sessionId": "s",
        "type": "GENERATION",
        "startTime": f"2026-01-01T00:00:{number:02d}Z",
        "input": f"question {number}",
        "output": f"answer {number}",
    }


TWO_FILES = {
    "agents of one session": [
        [line(n, f"to the {name} agent, {n}") for n in range(place, place + 4)]
        for place, name in ((0, "first"), (4, "second"))
    ],
    "a session that was cut": [[line(n, f"line {n}") for n in part] for part in ((0, 1), (2, 3))],
    "pages of a session": [[observation(n) for n in part] for part in ((0, 1, 2), (3, 4))],
}


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("files", TWO_FILES.values(), ids=TWO_FILES)
def test_a_second_file_of_a_thread_loses_no_message(
    store: Store, tmp_path: Path, files: list[list[Any]], *, together: bool
) -> None:
    paths = [tmp_path / f"{name}.jsonl" for name in "ab"]
    for path, lines in zip(paths, files, strict=True):
        path.write_bytes(b"".join(printed(each) + b"\n" for each in lines))
    runs = [paths] if together else [[path] for path in paths]
    (failure,) = [each for part in runs for each in run(store, *part, wire=None).failures]
    assert failure.place.startswith(str(paths[1]))
    remedy = failure.reason.rpartition("--thread-id ")[2].strip("'")
    assert run(store, paths[1], wire=None, thread_id=remedy).failures == []
    assert len(store.thread_ids(limit=9)) == 2
    paths[0].write_bytes(b"".join(path.read_bytes() for path in paths))  # the other remedy
    whole = run(store, paths[0], wire=None)
    assert (whole.failures, len(store.thread_ids(limit=9))) == ([], 2)


# --- what comes of them ---------------------------------------------------------------------------


def contents(store: Store) -> Contents:
    """Return what each thread says, without ids and times."""
    return {
        thread_id: [
            json.dumps({k: v for k, v in event.raw.items() if k not in {"id", "timestamp"}})
            for event in store.messages(thread_id)
            if event.type not in FACT_TYPES
        ]
        for thread_id in store.thread_ids(limit=1000)
    }


def imported(store: Store, *runs: Sequence[Path]) -> tuple[Contents, dict[str, str]]:
    """Import files, the files of a run together; return threads, and what was refused why."""
    reports = [run(store, *paths, wire=None) for paths in runs]
    failures = {each.place: each.reason for report in reports for each in report.failures}
    return contents(store), failures


def check_parts(new_store: NewStore, folder: Path, parts: list[bytes], suffix: str) -> None:
    """Import parts together and apart, in either order, and once more."""
    paths = [folder / f"{name}{suffix}" for name in ("whole", "a", "b")]
    for path, data in zip(paths, parts, strict=True):
        path.write_bytes(data)
    whole, first, second = (imported(new_store(), [path]) for path in paths)
    _, a, b = paths
    for runs in ([[a, b]], [[b, a]], [[a], [b]], [[b], [a]]):
        store = new_store()
        threads, refused = imported(store, *runs)
        for path, (said_alone, refused_alone) in ((a, first), (b, second)):
            of_file = {place for place in refused if place.startswith(str(path))}
            as_part = of_file - refused_alone.keys()
            assert all("--thread-id" in refused[place] for place in as_part)
            for thread_id, said in said_alone.items():
                assert as_part or set(said) <= set(threads[thread_id])
        for thread_id, said in threads.items():
            known = [each[0].get(thread_id, []) for each in (whole, first, second)]
            assert said in known or is_later_version(said, known)
        assert [run(store, *paths, wire=None).appended for paths in runs] == [0] * len(runs)
        assert contents(store) == threads


def is_later_version(said: list[str], known: list[list[str]]) -> bool:
    """Return whether a whole was added to its beginning.

    Messages about the whole end each part: they are in twice, or stand where the beginning ended.
    """
    whole, *parts = known
    about_whole = {text for part in parts for text in part}.difference(whole)
    for texts in zip(*map(reversed, known), strict=False):
        if len(set(texts)) > 1:
            break
        about_whole.add(texts[0])

    def without(texts: list[str]) -> list[str]:
        return [text for text in texts if text not in about_whole]

    return without(said) in map(without, known)


plain_sources = pytest.mark.parametrize(
    "source",
    [path for path in SOURCES if path.suffix in PLAIN and path.is_file()],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
parts_are_checked = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@plain_sources
@settings(parts_are_checked, max_examples=3)
@given(data=st.data())
def test_parts_of_a_source_are_its_whole_or_one_is_refused(
    new_store: NewStore, tmp_path: Path, source: Path, data: st.DataObject
) -> None:
    content = source.read_bytes()
    if source.suffix == ".jsonl":
        parts = data.draw(parts_of_lines(content))
    else:
        parts = data.draw(parts_of_items(json.loads(content)))
    check_parts(new_store, tmp_path, parts, source.suffix)


@parts_are_checked
@given(data=st.data())
def test_parts_of_any_session_are_its_whole_or_one_is_refused(
    new_store: NewStore, tmp_path: Path, data: st.DataObject
) -> None:
    parts = data.draw((session_lines() | own_records()).flatmap(parts_of_lines))
    check_parts(new_store, tmp_path, parts, ".jsonl")
