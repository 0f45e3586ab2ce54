"""Matrices of runs as JSON, for HTTP."""

from typing import Any

from typing_extensions import TypedDict

from agentlog.api.shapes.comparisons.comparison import Glimpse
from agentlog.api.shapes.comparisons.run_sets import Run, Tally, tally
from agentlog.api.shapes.shape import Shape
from agentlog.infrastructure.comparison import run_matrix


class MatrixCell(Shape):
    """A step of a run: its column, its version, and by number which of the column's ways it is."""

    column: int
    version: int
    variant: int
    failed: bool


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
    return {
        "type": column.type,
        "tools": [*column.tools],
        "variants": [
            {**tally(variant.runs), "did": Glimpse.of(variant.did)} for variant in column.variants
        ],
        "variantCount": column.variant_count,
        "absent": tally(column.absent),
        "separation": column.separation,
    }
