"""Trees of workers: a thread that works for none, and all that work for it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from agentlog.domain.json.answers import Time, answer
from agentlog.domain.threads import Status
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.eventlog.thread_trees import tree_of
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.readmodels.projection_status import NotYetBuilt
from agentlog.infrastructure.reports.summaries import MOST_ROWS, Summaries, SummaryQuery
from agentlog.infrastructure.reports.summary import ThreadSummary, Tone
from agentlog.projections.outcomes.outcome import ThreadVerdict
from agentlog.projections.work import NONE, ThreadWork, with_workers


@answer
@dataclass(frozen=True, slots=True)
class WorkerNode:
    """A thread of a tree of workers; `depth` counts those above it.

    Times are the producer's. `own` is its work, `whole` that of it and of all below it.
    """

    thread_id: str
    depth: int
    parent: str | None
    version: int
    status: Status
    goal: str | None
    verdict: ThreadVerdict | None
    tone: Tone
    first_sent_at: Time | None
    last_sent_at: Time | None
    own: ThreadWork
    whole: ThreadWork


@answer
@dataclass(frozen=True, slots=True)
class WorkerTree:
    """A tree of workers: each thread before its workers. `truncated`: there are more."""

    items: Sequence[WorkerNode]
    truncated: bool


class WorkerTrees:
    """Trees of one tenant's workers."""

    def __init__(self, database: Connections, summaries: Summaries, *, tenant: str) -> None:
        self._database = database
        self._summaries = summaries
        self._tenant = tenant

    def tree(self, thread_id: str, *, hidden: bool = False) -> WorkerTree:
        """Return the tree that a thread stands in; hidden threads are in it if `hidden`.

        What the read models have not got yet is there without figures: `own` is of 0 threads then.

        Raises:
            UnknownThread: there is no such thread.
        """
        heads, is_cut = tree_of(
            self._database, self._tenant, thread_id, "parent", most=MOST_ROWS, hidden=hidden
        )
        among = [head.thread_id for _, head in heads]
        known: dict[str, ThreadSummary] = {}
        with suppress(NotYetBuilt):  # the tree is of the log: it shows without their figures
            page = self._summaries.page(SummaryQuery(among=among, hidden=hidden, limit=MOST_ROWS))
            known = {summary.thread_id: summary for summary in page.items}
        works = [_work(known.get(head.thread_id)) for _, head in heads]
        wholes = with_workers([(depth, own) for (depth, _), own in zip(heads, works, strict=True)])
        nodes = [
            _node(depth, head, known.get(head.thread_id), own, whole)
            for (depth, head), own, whole in zip(heads, works, wholes, strict=True)
        ]
        return WorkerTree(nodes, is_cut)


def _node(
    depth: int, head: Head, summary: ThreadSummary | None, own: ThreadWork, whole: ThreadWork
) -> WorkerNode:
    return WorkerNode(
        thread_id=head.thread_id,
        depth=depth,
        parent=head.parent,
        version=head.version,
        status=head.status,
        goal=head.goal,
        verdict=None if summary is None else summary.verdict,
        tone="neutral" if summary is None else summary.tone,
        first_sent_at=None if summary is None else summary.first_sent_at,
        last_sent_at=None if summary is None else summary.last_sent_at,
        own=own,
        whole=whole,
    )


def _work(summary: ThreadSummary | None) -> ThreadWork:
    if summary is None:
        return NONE
    return ThreadWork(
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
