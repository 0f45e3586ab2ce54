"""Every leaf of a record stands in a message, in metadata, or in a residue that is counted."""

import json
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.text import print_text
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.transfer.importing import ASKED, TOLD, USER, run, written
from tests.projections.readers.test_golden_readers import SOURCES, documents_of

NUMBERS = count()
TOLD_BY_TYPE = {"function", "user", "assistant", "tool", "system"}
"""Roles, and the type of a call, which the type of a message tells."""
DATA = Path(os.environ.get("AGENTLOG_TEST_DATA", "nowhere"))
LEAVES = st.recursive(
    st.integers(100_000, 999_999) | st.text("abcdefghij", min_size=6, max_size=12),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.text("klmnop", min_size=3, max_size=5), inner, min_size=1, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = st.dictionaries(st.text("qrstuv", min_size=3, max_size=6), LEAVES, max_size=4)


def leaves_of(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for inner in value.values():
                yield from leaves_of(inner)
        case list():
            for inner in value:
                yield from leaves_of(inner)
        case str() if value[:1] == "{":  # arguments of calls are told parsed
            try:
                yield from leaves_of(json.loads(value))
            except ValueError:
                yield value
        case None:
            pass
        case _:
            yield print_text(value).strip('"')


def kept_in(threads: Threads, names: set[str]) -> str:
    """Return all that is on record of threads: their start, messages and metadata."""
    events = [event for name in names for event in threads.messages(name)]
    return print_text([[event.raw, dict(event.metadata)] for event in events])


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.tuples(FIELDS, FIELDS, st.lists(st.sampled_from(["w", "x", "y"]), max_size=3)))
@pytest.mark.parametrize("option", ["messages", "records"])
def test_what_stands_beside_a_path_is_kept_and_counted(
    threads: Threads, tmp_path: Path, option: str, drawn: tuple[Any, Any, list[str]]
) -> None:
    beside, outside, path = drawn
    items: Any = [USER, ASKED, TOLD]
    inner = items if option == "messages" else [{"messages": items, **beside}] * 2
    value: Any = {"traj": inner, **(beside if option == "messages" else {})}
    for key in path:
        value = {key: value, **outside}
    place = ".".join(["$", *reversed(path), "traj"])
    file = written(tmp_path, "run.json", value)
    options: dict[str, Any] = {option: place, "thread_id": f"t{next(NUMBERS)}-{{record}}"}
    report = run(threads, file, wire="openai", **options)
    assert report.failures == []
    kept = kept_in(threads, report.thread_ids)
    assert [leaf for leaf in leaves_of([beside, outside if path else {}]) if leaf not in kept] == []
    asides = len(report.of_kind("aside"))
    assert bool(asides) == bool(beside or (outside and path))
    assert bool(report.kept) == bool(asides)


@pytest.mark.skipif(not DATA.exists(), reason="AGENTLOG_TEST_DATA names no folder")
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("tau-bench-gpt-4o-airline.json", "$.traj"),
        ("whowhen", "$.history"),
        ("agentrx/tau-retail-runs.json", "$.traj"),
    ],
)
def test_every_leaf_of_real_runs_is_found_again(threads: Threads, name: str, path: str) -> None:
    files = sorted((DATA / name).glob("*.json")) or [DATA / name]
    report = run(threads, *files[:20], wire="openai", messages=path, thread_id="r-{stem}-{record}")
    assert report.failures == []
    kept = kept_in(threads, report.thread_ids)
    for file in files[:20]:
        leaves = set(leaves_of(json.loads(file.read_bytes()))) - TOLD_BY_TYPE
        assert [leaf for leaf in leaves if leaf not in kept] == []


def inner_objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects in a value, but for what tools were given and gave back: any JSON."""
    match value:
        case dict():
            yield value
            for inner in value.values():
                yield from inner_objects(inner)
        case list():
            for inner in value:
                yield from inner_objects(inner)
        case _:
            pass


@settings(max_examples=25)
@given(data=st.data())
@pytest.mark.parametrize(
    "source",
    [path for path in SOURCES if path.suffix != ".md"],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_a_leaf_anywhere_in_a_source_is_found_again(source: Path, data: st.DataObject) -> None:
    for chosen, _, value in documents_of(source):
        if not isinstance(value, dict | list):
            continue
        document = json.loads(print_text(value))
        objects = list(inner_objects(document))
        marks = [f"zq{n}" for n in range(data.draw(st.integers(1, 3)))]
        for mark in marks:
            data.draw(st.sampled_from(objects))[f"field_{mark}"] = f"leaf-{mark}"
        try:
            histories = list(chosen.read(document))
        except InvalidInput:  # refused, and said
            continue
        told = print_text(
            [
                [history.drafts, dict(history.metadata), dict(history.beside), history.goal]
                for history in histories
            ]
        )
        assert [mark for mark in marks if f"leaf-{mark}" not in told] == []
