"""Changes of a view between two versions of its thread."""

from collections.abc import Callable, Sequence
from typing import Any

from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.views.view_fold import CHUNK, Fold
from agentlog.projections.difference import ItemsDifference, items_difference, state_difference
from agentlog.projections.registry import AnyView
from agentlog.projections.view import StateView

FoldTo = Callable[[int], Fold[Any, Any]]
"""Returns the view's fold at a version."""


def difference(
    fold_to: FoldTo, view: AnyView, first: int, last: int
) -> tuple[ItemsDifference | None, Sequence[JsonValue] | None]:
    """Return the changes from one version to another, which may be earlier.

    They are those of the items, or for a state a JSON Patch.
    """
    if isinstance(view, StateView):
        return None, _patch(fold_to, view, first, last)
    # items settled at the earlier version are the same at both
    fold = fold_to(min(first, last))
    earlier = fold.rest()
    later = [*fold.read_all(max(first, last)), *fold.rest()]
    old, new = (earlier, later) if first <= last else (later, earlier)
    return items_difference(old, new), None


def _patch(
    fold_to: FoldTo, view: StateView[Any, Any], first: int, last: int
) -> Sequence[JsonValue]:
    begin, end = sorted((first, last))
    fold = fold_to(begin)
    earlier = fold.carry
    if end - begin > CHUNK:  # a snapshot is nearer
        fold = fold_to(end)
    fold.advance(end)
    if first <= last:
        return view.patch(earlier, fold.carry)
    return state_difference(view.state(fold.carry), view.state(earlier))
