"""Matrices of runs: in the order of their verdicts, with what failed, and bounded."""

from typing import Any

import pytest

from agentlog.domain.errors import NotThere
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.comparison import run_matrix as module
from agentlog.infrastructure.comparison.run_matrix import (
    MatrixAsked,
    MatrixCell,
    RunMatrix,
    run_matrix,
)
from agentlog.infrastructure.comparison.runs import Tally
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from agentlog.projections.filters.expression import Term


def _call(number: int, name: str, **args: JsonValue) -> list[dict[str, Any]]:
    call_id = f"c{number}"
    error = {"error": {"name": "Odd", "message": "no"}} if name == "fails" else {}
    return [
        {"type": "tool_calls", "calls": [{"id": call_id, "name": name, "args": args}]},
        {"type": "tool_results", "results": [{"callId": call_id, "output": "fine", **error}]},
    ]


@pytest.fixture
def runs(threads: Threads) -> None:
    """Two runs that failed, the second by a call more; two that did not, one without steps."""
    search, book = _call(1, "search", to="BER"), _call(3, "book")
    for thread_id, reward, drafts in (
        ("good", 1, [*search, *book]),
        ("bad-1", 0, [*_call(1, "search", to="MUC"), *book]),
        ("bad-2", 0, [*search, *_call(2, "fails"), *book]),
        ("empty", 1, [{"type": "reply", "text": "no"}]),
    ):
        threads.start(thread_id, {"metadata": {"reward": reward}})
        threads.append(thread_id, drafts)


def _rows(matrix: RunMatrix) -> dict[str, list[MatrixCell]]:
    return {row.thread_id: list(row.cells) for row in matrix.rows}


@pytest.mark.usefixtures("runs")
def test_rows_stand_by_verdict_and_cells_say_version_way_and_failure(views: Views) -> None:
    matrix = run_matrix(views, MatrixAsked(ThreadFilter()))
    rows = _rows(matrix)
    assert [column.tools for column in matrix.columns] == [("search",), ("fails",), ("book",)]
    assert list(rows) == ["bad-2", "bad-1", "good", "empty"]
    assert rows["bad-2"] == [
        MatrixCell(0, 2, 0, None),
        MatrixCell(1, 4, 0, "failed"),
        MatrixCell(2, 6, 0, None),
    ]
    assert rows["bad-1"] == [MatrixCell(0, 2, 1, None), MatrixCell(2, 4, 0, None)]
    assert rows["empty"] == []
    assert not matrix.cut


@pytest.mark.usefixtures("runs")
def test_a_column_says_what_was_done_by_whom_and_how_far_groups_part(views: Views) -> None:
    search, fails, _ = run_matrix(views, MatrixAsked(ThreadFilter())).columns
    assert [(way.did.hint, way.runs, way.failed, way.succeeded) for way in search.variants] == [
        ('{"to":"BER"}', 2, 1, 1),
        ('{"to":"MUC"}', 1, 1, 0),
    ]
    assert search.absent == Tally(runs=1, failed=0, succeeded=1, unknown=0)
    assert fails.separation == 0.5
    named = run_matrix(
        views, MatrixAsked(["good", "bad-1", "good"], failed=Term("metadata", ":", 1, key="reward"))
    )
    assert [(row.thread_id, row.verdict) for row in named.rows] == [
        ("good", "failed"),
        ("bad-1", "succeeded"),
    ]


@pytest.mark.usefixtures("runs")
def test_all_that_is_said_may_be_compared_with_failed_results(views: Views) -> None:
    rows = _rows(run_matrix(views, MatrixAsked(["bad-2"], which="all")))
    failed = [cell.version for cell in rows["bad-2"] if cell.word == "failed"]
    assert failed == [4, 5]


@pytest.mark.usefixtures("runs")
def test_what_is_left_out_is_said(views: Views, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_RUNS", 2)
    monkeypatch.setattr(module, "MOST_STEPS", 2)
    monkeypatch.setattr(module, "MOST_COLUMNS", 1)
    matrix = run_matrix(views, MatrixAsked(ThreadFilter()))
    assert matrix.cut
    assert [(row.thread_id, row.steps, len(row.cells)) for row in matrix.rows] == [
        ("bad-2", 3, 1),
        ("empty", 0, 0),
    ]
    assert (len(matrix.columns), matrix.column_count) == (1, 2)


def test_a_thread_that_is_not_there_is_refused(views: Views) -> None:
    with pytest.raises(NotThere):
        run_matrix(views, MatrixAsked(["missing"]))
    assert run_matrix(views, MatrixAsked(ThreadFilter())).rows == []
