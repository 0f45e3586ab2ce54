"""Trees of workers as JSON."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from agentlog.api.shapes.shape import Shape, Time
from agentlog.domain.threads import Status
from agentlog.infrastructure.reports.summaries import Tone
from agentlog.infrastructure.reports.worker_trees import TreeThread
from agentlog.projections.outcomes.outcome import ThreadVerdict


class ThreadWork(Shape):
    """What a thread did, or it and all that work for it. A sum is null where none reports it."""

    threads: int
    failed: Annotated[int, Field(description="Threads whose verdict is failed.")]
    tool_calls: int
    failures: Annotated[int, Field(description="Calls of tools that failed, and runtime errors.")]
    total_tokens: int | None
    cost_usd: float | None
    computed_calls: int
    unpriced_calls: int


class WorkerNode(Shape):
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


class WorkerTree(Shape):
    """A tree of workers: each thread before its workers. `truncated`: there are more."""

    items: list[WorkerNode]
    truncated: bool


def worker_tree_json(threads: Sequence[TreeThread], *, truncated: bool) -> Any:  # noqa: ANN401 - JSON
    """Return a tree of workers."""
    return WorkerTree.of({"items": [_node(thread) for thread in threads], "truncated": truncated})


def _node(thread: TreeThread) -> dict[str, object]:
    head, summary = thread.head, thread.summary
    return {
        "thread_id": head.thread_id,
        "depth": thread.depth,
        "parent": head.parent,
        "version": head.version,
        "status": head.status,
        "goal": head.goal,
        "verdict": None if summary is None else summary.verdict,
        "tone": "neutral" if summary is None else summary.tone,
        "first_sent_at": None if summary is None else summary.first_sent_at,
        "last_sent_at": None if summary is None else summary.last_sent_at,
        "own": thread.own,
        "whole": thread.whole,
    }
