"""Comparisons of many runs as JSON: those of each task, and as a matrix."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import TypedDict

from agentlog.api.shapes.comparisons.comparison import Glimpse
from agentlog.api.shapes.shape import Shape, shaped
from agentlog.infrastructure.comparison import run_matrix, run_sets, runs
from agentlog.projections.outcomes.outcome import Verdict
from agentlog.projections.outcomes.words import Word


class Run(Shape):
    """A thread; `end` is the reason of its exit, or closed or open."""

    thread_id: str
    version: int
    end: str
    verdict: Verdict


class Tally(TypedDict):
    """How many runs there are, and how many of each verdict."""

    runs: int
    failed: int
    succeeded: int
    unknown: int


class RunBranch(Tally):
    """Runs that did the same at a parting; `did` is null where they had ended."""

    threads: list[str]
    did: Glimpse | None


class RunParting(TypedDict):
    """Runs with `equal` equal items first, and the branches that they then take."""

    equal: int
    branches: list[RunBranch]


class RunSet(Tally):
    """The runs of one task; `partings` has the earliest of `partingCount`."""

    value: Any
    threads: list[Run]
    partings: list[RunParting]
    partingCount: int


class RunSets(TypedDict):
    """Tasks by value; `lacking` counts threads without the key, `cut`: older ones are left out."""

    view: str
    asOf: int
    by: str
    lacking: int
    cut: bool
    items: list[RunSet]
    next: str | None


def run_sets_json(compared: run_sets.ComparedSets) -> RunSets:
    """Return where the runs of each task part."""
    return {
        "view": compared.asked.view.name,
        "asOf": compared.as_of,
        "by": f"metadata.{compared.asked.by}",
        "lacking": compared.lacking,
        "cut": compared.is_cut,
        "items": [_set_json(run_set) for run_set in compared.sets],
        "next": compared.next,
    }


def _set_json(run_set: run_sets.RunSet) -> RunSet:
    return {
        "value": run_set.value,
        **tally(run_set.runs),
        "threads": [Run.of(run) for run in run_set.runs],
        "partings": [
            {"equal": fork.equal, "branches": [_branch_json(way) for way in fork.ways]}
            for fork in run_set.forks
        ],
        "partingCount": run_set.fork_count,
    }


def _branch_json(way: run_sets.Way) -> RunBranch:
    return {
        **tally(way.runs),
        "threads": [run.thread_id for run in way.runs],
        "did": None if way.did is None else Glimpse.of(way.did),
    }


def tally(members: Sequence[runs.Run]) -> Tally:
    """Count runs by their verdicts."""
    verdicts = [run.verdict for run in members]
    return {
        "runs": len(members),
        "failed": verdicts.count("failed"),
        "succeeded": verdicts.count("succeeded"),
        "unknown": verdicts.count("unknown"),
    }


class MatrixCell(Shape):
    """A step of a run: its column, its version, and by number which of the column's ways it is.

    `word` says what is known of a failure there: failed, told or suspected; null for none.
    """

    column: int
    version: int
    variant: int
    word: Word | None


class MatrixRow(Run):
    """A run; `steps` is how many it has, of which the first 300 are aligned in `cells`."""

    steps: int
    cells: list[MatrixCell]


class MatrixVariant(Tally):
    """Runs that say the same in a column, and what."""

    did: Glimpse


class MatrixColumn(TypedDict):
    """Steps of one kind: the ways of most runs, of `variantCount`, and how many have none here.

    `separation` says how far the failed and the succeeded part here, from 0 to 1: the greatest
    difference of their shares in one way. It is null where there are not both.
    """

    type: str
    tools: list[str]
    variants: list[MatrixVariant]
    variantCount: int
    absent: Tally
    separation: float | None


class RunMatrix(TypedDict):
    """Runs, the failed first, and the columns of their alignment, the first of `columnCount`."""

    asOf: int
    rows: list[MatrixRow]
    columns: list[MatrixColumn]
    columnCount: int
    cut: bool


def run_matrix_json(matrix: run_matrix.RunMatrix) -> RunMatrix:
    """Return a matrix of runs."""
    return {
        "asOf": matrix.as_of,
        "rows": [_row_json(row) for row in matrix.rows],
        "columns": [_column_json(column) for column in matrix.columns],
        "columnCount": matrix.column_count,
        "cut": matrix.is_cut,
    }


def _row_json(row: run_matrix.MatrixRun) -> Any:  # noqa: ANN401 - the JSON of a `MatrixRow`
    return {
        **Run.of(row.run),
        "steps": row.steps,
        "cells": [MatrixCell.of(cell) for cell in row.cells],
    }


def _column_json(column: run_matrix.MatrixColumn) -> MatrixColumn:
    variants = [
        {**tally(variant.runs), "did": Glimpse.of(variant.did)} for variant in column.variants
    ]
    return shaped(MatrixColumn, column, variants=variants, absent=tally(column.absent))
