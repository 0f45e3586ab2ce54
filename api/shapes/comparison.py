"""Comparisons of threads as JSON, for HTTP and the command line."""

from collections.abc import Sequence

from domain.json.text import JsonValue
from infrastructure.comparison.comparer import Compared, Side
from infrastructure.comparison.run_sets import ComparedSets, Fork, Run, RunSet
from projections.comparison.changes import Change, shortened
from projections.comparison.comparison import Comparison, History
from projections.comparison.details import Detail, Glimpse, Shown, details, glimpse


def compared_json(found: Compared, *, context: int, after: int, limit: int) -> JsonValue:
    """Return a page of each comparison; `next` is the log's position and a row."""
    comparisons: list[JsonValue] = []
    for number, each in enumerate(found.comparisons, 1):
        page, following = details(found.view, each, context=context, after=after, limit=limit)
        counts = each.counts
        comparisons.append(
            {
                "a": 0,
                "b": number,
                "divergence": _divergence_json(each),
                "counts": {
                    "equal": counts["equal"],
                    "changed": counts["changed"],
                    "onlyA": counts["only_a"],
                    "onlyB": counts["only_b"],
                },
                "items": [_detail_json(row, each) for row in page],
                "next": None if following is None else f"{found.as_of}.{following}",
            }
        )
    return {
        "view": found.view.name,
        "asOf": found.as_of,
        "sides": [_side_json(side) for side in found.sides],
        "divergence": _parting_json(found),
        "comparisons": comparisons,
    }


def compared_sets_json(found: ComparedSets) -> JsonValue:
    """Return where the runs of each task part."""
    return {
        "view": found.asked.view.name,
        "asOf": found.as_of,
        "by": f"metadata.{found.asked.by}",
        "lacking": found.lacking,
        "cut": found.is_cut,
        "items": [_set_json(each) for each in found.sets],
        "next": None,
    }


def tally(runs: Sequence[Run]) -> dict[str, int]:
    """Return how many runs there are, and how many of each verdict."""
    verdicts = [run.verdict for run in runs]
    return {
        "runs": len(runs),
        "failed": verdicts.count("failed"),
        "succeeded": verdicts.count("succeeded"),
        "unknown": verdicts.count("unknown"),
    }


def _side_json(side: Side) -> JsonValue:
    return {
        "threadId": side.thread_id,
        "version": side.version,
        "position": side.position,
        "count": len(side.history.items),
    }


def _parting_json(found: Compared) -> JsonValue:
    """Return where all sides first part; `sides` are numbers in the list of sides."""
    if found.parting is None:
        return None
    equal = found.parting.equal
    return {
        "equal": equal,
        "branches": [
            {
                "sides": list(branch.members),
                "did": None
                if branch.ended
                else _glimpse_json(
                    glimpse(found.view, found.sides[branch.members[0]].history, equal)
                ),
            }
            for branch in found.parting.branches
        ],
    }


def _divergence_json(comparison: Comparison) -> JsonValue:
    found = comparison.divergence
    if found is None:
        return None
    return {
        "equal": found.equal,
        "a": None if found.a is None else comparison.a.items[found.a].key,
        "b": None if found.b is None else comparison.b.items[found.b].key,
    }


def _detail_json(found: Detail, comparison: Comparison) -> JsonValue:
    row = found.row
    if row.folded:
        return {
            "op": row.op,
            "count": len(row.a),
            "a": _span_json(comparison.a, row.a),
            "b": _span_json(comparison.b, row.b),
        }
    sides = {"a": found.a, "b": found.b}
    shown = {side: _shown_json(each) for side, each in sides.items() if each is not None}
    if row.op != "changed":
        return {"op": row.op, "count": 1, **shown}
    changed = None if found.changes is None else [_change_json(each) for each in found.changes]
    return {"op": row.op, "count": 1, **shown, "changes": changed}


def _span_json(history: History, span: range) -> JsonValue:
    return {"from": history.items[span[0]].key, "to": history.items[span[-1]].key}


def _shown_json(found: Shown) -> JsonValue:
    return {**_glimpse_json(found.glimpse), "item": found.item, "cut": found.is_cut}


def _glimpse_json(found: Glimpse) -> dict[str, JsonValue]:
    return {
        "place": found.place,
        "type": found.type,
        "tools": list(found.tools),
        "hint": found.hint,
    }


def _change_json(change: Change) -> JsonValue:
    operation = {key: shortened(value)[0] for key, value in change.operation.items()}
    if change.edits is None:
        return operation
    edits = [
        {
            "a": edit.a,
            "b": edit.b,
            "removed": shortened(edit.removed)[0],
            "added": shortened(edit.added)[0],
        }
        for edit in change.edits
    ]
    return {**operation, "edits": edits}


def _set_json(found: RunSet) -> JsonValue:
    return {
        "value": found.value,
        **tally(found.runs),
        "threads": [
            {
                "threadId": run.thread_id,
                "version": run.version,
                "end": run.end,
                "verdict": run.verdict,
            }
            for run in found.runs
        ],
        "partings": [_fork_json(fork) for fork in found.forks],
        "partingCount": found.fork_count,
    }


def _fork_json(fork: Fork) -> JsonValue:
    return {
        "equal": fork.equal,
        "branches": [
            {
                **tally(way.runs),
                "threads": [run.thread_id for run in way.runs],
                "did": None if way.did is None else _glimpse_json(way.did),
            }
            for way in fork.ways
        ],
    }
