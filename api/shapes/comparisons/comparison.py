"""Comparisons of threads as JSON, for HTTP and the command line."""

from typing import Any, NotRequired, cast

from typing_extensions import TypedDict

from agentlog.api.shapes.shape import Shape, shape_of
from agentlog.domain.json.values import object_of
from agentlog.infrastructure.comparison.comparer import Compared
from agentlog.projections.comparison import changes, comparison, rows
from agentlog.projections.comparison.alignment import Op
from agentlog.projections.comparison.changes import Edit, shortened
from agentlog.projections.comparison.rows import ComparedItem, Glimpse


class Side(Shape):
    """A thread as it was compared; `count` is that of its items."""

    thread_id: str
    version: int
    position: int | None
    count: int


class Counts(Shape):
    """How many items are equal, changed, or only in one side; a pair counts once."""

    equal: int
    changed: int
    only_a: int
    only_b: int


class SideBranch(TypedDict):
    """Sides, by number, and what they did at a parting: null where they had ended."""

    sides: list[int]
    did: Glimpse | None


class SideParting(TypedDict):
    """Where all sides first part, after `equal` equal items."""

    equal: int
    branches: list[SideBranch]


class Divergence(TypedDict):
    """The places of the first items that differ, null for a side that had ended."""

    equal: int
    a: str | None
    b: str | None


Folded = TypedDict("Folded", {"from": str, "to": str})
"""The places of the first and the last of a run of equal items."""


Change = TypedDict(
    "Change",
    {
        "op": str,
        "path": str,
        "from": NotRequired[str],
        "value": NotRequired[Any],
        "edits": NotRequired[list[Edit]],
    },
)
"""An operation of a JSON Patch (RFC 6902), with the edits where it replaces a text by one."""


class ComparisonRow(TypedDict):
    """An item of a side or of both, or a folded run of `count` equal items.

    `changes` are of what the item says, null where that is too large.
    """

    op: Op
    count: int
    a: NotRequired[ComparedItem | Folded]
    b: NotRequired[ComparedItem | Folded]
    changes: NotRequired[list[Change] | None]


class Comparison(TypedDict):
    """Two sides, by number: where they first differ, and a page of rows."""

    a: int
    b: int
    divergence: Divergence | None
    counts: Counts
    items: list[ComparisonRow]
    next: str | None


class Comparisons(TypedDict):
    """The first side compared with each other one, as of a position of the log."""

    view: str
    asOf: int
    sides: list[Side]
    divergence: SideParting | None
    comparisons: list[Comparison]


def compared_json(
    compared: Compared, *, context: int, after: int = 0, limit: int | None = None
) -> Comparisons:
    """Return each comparison, or a page of it; `next` is the log's position and a row."""
    comparisons: list[Comparison] = []
    for number, pair in enumerate(compared.comparisons, 1):
        page, following = rows.details(
            compared.view, pair, context=context, after=after, limit=limit
        )
        comparisons.append(
            {
                "a": 0,
                "b": number,
                "divergence": _divergence_json(pair),
                "counts": Counts.of(pair.counts),
                "items": [_row_json(row, pair) for row in page],
                "next": None if following is None else f"{compared.as_of}.{following}",
            }
        )
    return {
        "view": compared.view.name,
        "asOf": compared.as_of,
        "sides": [Side.of(side) for side in compared.sides],
        "divergence": _parting_json(compared),
        "comparisons": comparisons,
    }


def _divergence_json(pair: comparison.Comparison) -> Divergence | None:
    divergence = pair.divergence
    if divergence is None:
        return None
    return {
        "equal": divergence.equal,
        "a": None if divergence.a is None else pair.a.items[divergence.a].key,
        "b": None if divergence.b is None else pair.b.items[divergence.b].key,
    }


def _parting_json(compared: Compared) -> SideParting | None:
    if compared.parting is None:
        return None
    branches: list[SideBranch] = []
    for branch in compared.parting.branches:
        did = None
        if not branch.ended:
            history = compared.sides[branch.members[0]].history
            did = shape_of(rows.glimpse(compared.view, history, compared.parting.equal))
        branches.append({"sides": list(branch.members), "did": did})
    return {"equal": compared.parting.equal, "branches": branches}


def _row_json(detail: rows.Detail, of: comparison.Comparison) -> ComparisonRow:
    row = detail.row
    if row.folded:
        a, b = _folded_json(of.a, row.a), _folded_json(of.b, row.b)
        return {"op": row.op, "count": len(row.a), "a": a, "b": b}
    shown: ComparisonRow = {"op": row.op, "count": 1}
    if detail.a is not None:
        shown["a"] = shape_of(detail.a)
    if detail.b is not None:
        shown["b"] = shape_of(detail.b)
    if row.op == "changed":
        made = detail.changes
        shown["changes"] = None if made is None else [_change_json(change) for change in made]
    return shown


def _folded_json(history: comparison.ComparedHistory, run: range) -> Folded:
    return {"from": history.items[run[0]].key, "to": history.items[run[-1]].key}


def _change_json(change: changes.Change) -> Change:
    operation = object_of(change.operation)
    # an operation of a JSON Patch has the members of `Change`
    shown = cast("Change", {key: shortened(value)[0] for key, value in operation.items()})
    if change.edits is not None:
        edits = [shape_of(edit) for edit in change.edits]
        shown["edits"] = [cast("Edit", shortened(edit)[0]) for edit in edits]
    return shown
