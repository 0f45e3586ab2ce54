"""Runs of tasks: grouped, bounded, judged."""

from typing import Any

import pytest

from agentlog.domain.errors import InvalidCursor
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.comparison import run_sets as module
from agentlog.infrastructure.comparison import runs
from agentlog.infrastructure.comparison.run_sets import ComparedSets, RunSets, SetsAsked
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
def run_sets(views: Views) -> RunSets:
    """The comparison under test."""
    return RunSets(views)


def _run(threads: Threads, thread_id: str, *drafts: Any, **metadata: JsonValue) -> None:
    threads.start(thread_id, {"metadata": metadata})
    if drafts:
        threads.append(thread_id, list(drafts))


def _compared(run_sets: RunSets, **asked: Any) -> ComparedSets:
    return run_sets.compare(SetsAsked(ThreadFilter(), KERNEL, "task", **{"which": "all", **asked}))


def test_values_that_are_equal_are_one_task_and_numbers_come_first(
    threads: Threads, run_sets: RunSets
) -> None:
    for n, task in enumerate(["b", 10, 1.0, 1, True, "a", None]):
        _run(threads, f"t{n}", task=task)
    compared = _compared(run_sets)
    assert [(run_set.value, len(run_set.runs)) for run_set in compared.sets] == [
        (1, 2),
        (10, 1),
        ("a", 1),
        ("b", 1),
        (True, 1),
    ]
    assert compared.lacking == 1


def test_pages_are_all_tasks_as_of_the_first(threads: Threads, run_sets: RunSets) -> None:
    for n, task in enumerate([3, 1, 2, 1]):
        _run(threads, f"t{n}", reply("a"), task=task)
    whole = _compared(run_sets)
    asked = SetsAsked(ThreadFilter(), KERNEL, "task", which="all")
    first = run_sets.compare(asked, limit=2)
    _run(threads, "later", reply("b"), task=3)
    assert first.next is not None
    second = run_sets.compare(asked, after=first.next, limit=2)
    assert [*first.sets, *second.sets] == list(whole.sets)
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
    threads: Threads, run_sets: RunSets, last: JsonValue, end: str, verdict: Verdict
) -> None:
    _run(threads, "t", reply("one"), last, task=1)
    (run,) = _compared(run_sets).sets[0].runs
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
    threads: Threads, run_sets: RunSets, metadata: dict[str, JsonValue], verdict: Verdict
) -> None:
    _run(threads, "t", {**EXIT, "reason": "error"}, task=1, **metadata)
    compared = _compared(
        run_sets, failed=parse_filter("metadata.reward:0.0 metadata.judge:x", "success")
    )
    (run,) = compared.sets[0].runs
    assert (run.end, run.verdict) == ("error", verdict)


def test_a_run_may_end_where_others_go_on(threads: Threads, run_sets: RunSets) -> None:
    _run(threads, "short", reply("one"), task=1)
    _run(threads, "long", reply("one"), reply("two"), task=1)
    ((fork,),) = (run_set.forks for run_set in _compared(run_sets).sets)
    assert fork.equal == 1
    assert {(way.runs[0].thread_id, way.did and way.did.hint) for way in fork.ways} == {
        ("short", None),
        ("long", "two"),
    }


def test_long_runs_are_read_in_pages(
    threads: Threads, run_sets: RunSets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_CHUNK", 3)
    said = [reply(f"word {n}") for n in range(20)]
    _run(threads, "a", *said, task=1)
    _run(threads, "b", *said[:17], reply("other"), *said[18:], task=1)
    (fork,) = _compared(run_sets).sets[0].forks
    assert fork.equal == 17
    assert {way.did.hint for way in fork.ways if way.did} == {"word 17", "other"}


def test_older_threads_are_left_out_and_that_is_said(
    threads: Threads, run_sets: RunSets, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(4):
        _run(threads, f"t{n}", reply("one"), task=1)
    assert not _compared(run_sets).is_cut
    monkeypatch.setattr(module, "MOST_THREADS", 3)
    compared = _compared(run_sets)
    assert compared.is_cut
    assert [run.thread_id for run in compared.sets[0].runs] == ["t1", "t2", "t3"]
    monkeypatch.setattr(runs, "MOST_EVENTS", 5)
    assert [run.thread_id for run in _compared(run_sets).sets[0].runs] == ["t2", "t3"]


def test_only_the_earliest_forks_are_shown_and_all_are_counted(
    threads: Threads, run_sets: RunSets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_PARTINGS", 2)
    for n in range(5):
        _run(threads, f"t{n}", *[reply("one")] * n, task=1)
    (task,) = _compared(run_sets).sets
    assert [fork.equal for fork in task.forks] == [0, 1]
    assert task.fork_count == 4


def test_what_threads_do_meanwhile_is_not_compared(
    threads: Threads, reader: LogReader, run_sets: RunSets, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(threads, "a", reply("one"), task=1)
    _run(threads, "b", reply("one"), task=1)
    as_of = reader.position()
    threads.append("a", [reply("two")])
    _run(threads, "c", reply("three"), task=1)
    monkeypatch.setattr(reader, "position", lambda: as_of)
    (task,) = _compared(run_sets).sets
    assert {(run.thread_id, run.version) for run in task.runs} == {("a", 2), ("b", 2)}
    assert task.forks == []
