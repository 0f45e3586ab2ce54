"""Runs of tasks: grouped, bounded, judged."""

from typing import Any

import pytest

from agentlog.domain.errors import InvalidCursor
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.comparison import run_sets as module
from agentlog.infrastructure.comparison import runs
from agentlog.infrastructure.comparison.run_sets import RunSets, SetsAsked, TaskComparer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.outcomes.outcome import Verdict
from agentlog.projections.registry import choose_view
from tests.infrastructure.appends import reply

KERNEL = choose_view("kernel")


@pytest.fixture
def run_sets(views: Views) -> TaskComparer:
    """The comparison under test."""
    return TaskComparer(views)


def _run(threads: Threads, thread_id: str, *drafts: Any, **metadata: JsonValue) -> None:
    threads.start(thread_id, {"metadata": metadata})
    if drafts:
        threads.append(thread_id, list(drafts))


def _compared(run_sets: TaskComparer, **asked: Any) -> RunSets:
    return run_sets.compare(SetsAsked(ThreadFilter(), KERNEL, "task", **{"which": "all", **asked}))


def test_values_that_are_equal_are_one_task_and_numbers_come_first(
    threads: Threads, run_sets: TaskComparer
) -> None:
    for n, task in enumerate(["b", 10, 1.0, 1, True, "a", None]):
        _run(threads, f"t{n}", task=task)
    compared = _compared(run_sets)
    assert [(run_set.value, run_set.runs) for run_set in compared.items] == [
        (1, 2),
        (10, 1),
        ("a", 1),
        ("b", 1),
        (True, 1),
    ]
    assert compared.lacking == 1


def test_pages_are_all_tasks_as_of_the_first(threads: Threads, run_sets: TaskComparer) -> None:
    for n, task in enumerate([3, 1, 2, 1]):
        _run(threads, f"t{n}", reply("a"), task=task)
    whole = _compared(run_sets)
    asked = SetsAsked(ThreadFilter(), KERNEL, "task", which="all")
    first = run_sets.compare(asked, limit=2)
    _run(threads, "later", reply("b"), task=3)
    assert first.next is not None
    second = run_sets.compare(asked, after=first.next, limit=2)
    assert [*first.items, *second.items] == list(whole.items)
    assert (second.as_of, second.next, whole.next) == (whole.as_of, None, None)
    for cursor in ("x", f"{whole.as_of + 100}.0"):
        with pytest.raises(InvalidCursor):
            run_sets.compare(asked, after=cursor)


EXIT = {"type": "exit"}


@pytest.mark.parametrize(
    ("last", "end", "verdict"),
    [
        ({**EXIT, "reason": "complete"}, "complete", "succeeded"),
        ({**EXIT, "reason": "error"}, "error", "failed"),
        ({**EXIT, "reason": "step_limit"}, "step_limit", "failed"),
        ({**EXIT, "reason": "user_request"}, "user_request", "unknown"),
        (reply("still here"), "open", "unknown"),
    ],
)
def test_an_exit_says_how_a_run_ended(
    threads: Threads, run_sets: TaskComparer, last: JsonValue, end: str, verdict: Verdict
) -> None:
    _run(threads, "t", reply("one"), last, task=1)
    (run,) = _compared(run_sets).items[0].threads
    assert (run.end, run.verdict) == (end, verdict)


@pytest.mark.parametrize(
    ("metadata", "verdict"),
    [
        ({"reward": 0.0, "judge": "x"}, "failed"),
        ({"reward": 0, "judge": "x"}, "failed"),
        ({"reward": 1, "judge": "x"}, "succeeded"),
        ({"reward": False, "judge": "x"}, "succeeded"),
        ({"reward": 0}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_metadata_may_say_which_runs_failed(
    threads: Threads, run_sets: TaskComparer, metadata: dict[str, JsonValue], verdict: Verdict
) -> None:
    _run(threads, "t", {**EXIT, "reason": "error"}, task=1, **metadata)
    compared = _compared(
        run_sets, failed=parse_filter("metadata.reward:0.0 metadata.judge:x", "success")
    )
    (run,) = compared.items[0].threads
    assert (run.end, run.verdict) == ("error", verdict)


def test_a_run_may_end_where_others_go_on(threads: Threads, run_sets: TaskComparer) -> None:
    _run(threads, "short", reply("one"), task=1)
    _run(threads, "long", reply("one"), reply("two"), task=1)
    ((parting,),) = (run_set.partings for run_set in _compared(run_sets).items)
    assert parting.equal == 1
    assert {(way.threads[0], way.did and way.did.hint) for way in parting.branches} == {
        ("short", None),
        ("long", "two"),
    }


def test_long_runs_are_read_in_pages(
    threads: Threads, run_sets: TaskComparer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_CHUNK", 3)
    said = [reply(f"word {n}") for n in range(20)]
    _run(threads, "a", *said, task=1)
    _run(threads, "b", *said[:17], reply("other"), *said[18:], task=1)
    (parting,) = _compared(run_sets).items[0].partings
    assert parting.equal == 17
    assert {way.did.hint for way in parting.branches if way.did} == {"word 17", "other"}


def test_older_threads_are_left_out_and_that_is_said(
    threads: Threads, run_sets: TaskComparer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(4):
        _run(threads, f"t{n}", reply("one"), task=1)
    assert not _compared(run_sets).cut
    monkeypatch.setattr(module, "MOST_THREADS", 3)
    compared = _compared(run_sets)
    assert compared.cut
    assert [run.thread_id for run in compared.items[0].threads] == ["t1", "t2", "t3"]
    monkeypatch.setattr(runs, "MOST_EVENTS", 5)
    assert [run.thread_id for run in _compared(run_sets).items[0].threads] == ["t2", "t3"]


def test_only_the_earliest_partings_are_shown_and_all_are_counted(
    threads: Threads, run_sets: TaskComparer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_PARTINGS", 2)
    for n in range(5):
        _run(threads, f"t{n}", *[reply("one")] * n, task=1)
    (task,) = _compared(run_sets).items
    assert [parting.equal for parting in task.partings] == [0, 1]
    assert task.parting_count == 4


def test_what_threads_do_meanwhile_is_not_compared(
    threads: Threads, reader: LogReader, run_sets: TaskComparer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(threads, "a", reply("one"), task=1)
    _run(threads, "b", reply("one"), task=1)
    as_of = reader.position()
    threads.append("a", [reply("two")])
    _run(threads, "c", reply("three"), task=1)
    monkeypatch.setattr(reader, "position", lambda: as_of)
    (task,) = _compared(run_sets).items
    assert {(run.thread_id, run.version) for run in task.threads} == {("a", 2), ("b", 2)}
    assert task.partings == []
