"""Comparisons of threads as lines for a terminal."""

from collections.abc import Iterator

from agentlog.domain.json.text import print_text
from agentlog.infrastructure.comparison.comparer import Compared, Side
from agentlog.infrastructure.comparison.run_sets import RunBranch, RunParting, RunSet, RunSets
from agentlog.infrastructure.comparison.runs import Tally
from agentlog.projections.comparison.comparison import Comparison
from agentlog.projections.comparison.rows import ComparedItem, Detail, Glimpse, detail, visible


def compared_lines(compared: Compared, *, context: int = 1) -> Iterator[str]:
    """Yield each comparison: the first divergence, then the rows."""
    for number, comparison in enumerate(compared.comparisons, 1):
        if number > 1:
            yield ""
        yield from map(visible, _comparison_lines(compared, number, comparison, context))


def run_sets_lines(compared: RunSets) -> Iterator[str]:
    """Yield the tasks, each with where its runs part and which way those went that failed."""
    for task in compared.items:
        yield from map(visible, _set_lines(compared.by.removeprefix("metadata."), task))
    if compared.lacking:
        yield visible(f"threads without {compared.by}: {compared.lacking}")
    if compared.cut:
        yield "older threads are left out: filter them, or compare fewer"


def _comparison_lines(
    compared: Compared, number: int, comparison: Comparison, context: int
) -> Iterator[str]:
    yield f"a  {_side(compared.sides[0])}"
    yield f"b  {_side(compared.sides[number])}"
    divergence = comparison.divergence
    if divergence is None:
        yield f"no difference in {_count(len(comparison.a.items), 'item')}"
        return
    a, b = (
        "has ended" if index is None else f"goes on at {history.items[index].key}"
        for history, index in ((comparison.a, divergence.a), (comparison.b, divergence.b))
    )
    yield f"first difference after {_count(divergence.equal, 'equal item')}: a {a}, b {b}"
    counts = comparison.counts
    yield (
        f"{counts['equal']} equal, {counts['changed']} changed, "
        f"{counts['only_a']} only in a, {counts['only_b']} only in b"
    )
    yield ""
    for row in comparison.rows(context=context):
        yield from _row_lines(detail(compared.view, comparison, row))


def _row_lines(row: Detail) -> Iterator[str]:
    if row.row.folded:
        yield f"  … {len(row.row.a)} equal …"
    elif row.row.op == "equal":
        yield from _item_lines(" ", row.a)
    else:
        yield from _item_lines("-", row.a)
        yield from _item_lines("+", row.b)


def _item_lines(sign: str, shown: ComparedItem | None) -> Iterator[str]:
    if shown is not None:
        yield f"{sign} {shown.place}  {_did(shown)}"


def _side(side: Side) -> str:
    return f"{side.thread_id} at version {side.version}, {_count(side.count, 'item')}"


def _did(glimpse: Glimpse) -> str:
    return " ".join([glimpse.type, *glimpse.tools, glimpse.hint])


def _set_lines(by: str, run_set: RunSet) -> Iterator[str]:
    yield f"{by} {print_text(run_set.value)}: {_tally(run_set)}"
    for parting in run_set.partings:
        yield from _parting_lines(parting)
    if run_set.parting_count > len(run_set.partings):
        yield f"  … {run_set.parting_count - len(run_set.partings)} later partings"


def _parting_lines(parting: RunParting) -> Iterator[str]:
    yield f"  after {_count(parting.equal, 'equal item')}"
    for branch in parting.branches:
        yield f"    {_tally(branch)}: {_branch(branch)}"
        yield f"      {', '.join(branch.threads)}"


def _branch(branch: RunBranch) -> str:
    return "had ended" if branch.did is None else _did(branch.did)


def _tally(tally: Tally) -> str:
    counts = {"failed": tally.failed, "succeeded": tally.succeeded, "unknown": tally.unknown}
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return f"{_count(tally.runs, 'run')} ({verdicts})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
