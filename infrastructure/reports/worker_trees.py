"""Trees of workers: a thread that works for none, and all that work for it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.eventlog.thread_trees import tree_of
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.readmodels.projection_status import NotYetBuilt
from agentlog.infrastructure.reports.summaries import MOST_ROWS, Summaries, Summary, SummaryQuery
from agentlog.projections.work import NONE, Work, with_workers


@dataclass(frozen=True, slots=True)
class TreeThread:
    """A thread of a tree, and how many are above it.

    `summary` is None where the read models have not got it yet: `own` is of 0 threads then. `whole`
    is the work of it and of all below it.
    """

    depth: int
    head: Head
    summary: Summary | None
    own: Work
    whole: Work


class WorkerTrees:
    """Trees of one tenant's workers."""

    def __init__(self, database: Connections, summaries: Summaries, *, tenant: str) -> None:
        self._database = database
        self._summaries = summaries
        self._tenant = tenant

    def tree(self, thread_id: str, *, hidden: bool = False) -> tuple[Sequence[TreeThread], bool]:
        """Return the tree that a thread stands in, and whether there is more of it.

        Each thread comes before its workers. Hidden threads are in it if `hidden`.

        Raises:
            UnknownThread: there is no such thread.
        """
        heads, is_cut = tree_of(
            self._database, self._tenant, thread_id, "parent", most=MOST_ROWS, hidden=hidden
        )
        among = [head.thread_id for _, head in heads]
        known: dict[str, Summary] = {}
        with suppress(NotYetBuilt):  # the tree is of the log: it shows without their figures
            page = self._summaries.page(SummaryQuery(among=among, hidden=hidden, limit=MOST_ROWS))
            known = {summary.thread_id: summary for summary in page.items}
        works = [_work(known.get(head.thread_id)) for _, head in heads]
        wholes = with_workers([(depth, own) for (depth, _), own in zip(heads, works, strict=True)])
        threads = [
            TreeThread(depth, head, known.get(head.thread_id), own, whole)
            for (depth, head), own, whole in zip(heads, works, wholes, strict=True)
        ]
        return threads, is_cut


def _work(summary: Summary | None) -> Work:
    if summary is None:
        return NONE
    return Work(
        threads=1,
        failed=int(summary.verdict == "failed"),
        tool_calls=summary.tool_calls,
        failures=summary.failures,
        told=summary.told,
        suspected=summary.suspected,
        total_tokens=summary.total_tokens,
        cost_usd=summary.cost_usd,
        computed_calls=summary.computed_calls,
        unpriced_calls=summary.unpriced_calls,
    )
