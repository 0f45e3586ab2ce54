"""Comparisons: threads item by item, runs as a matrix, and all runs of each task."""

from typing import Literal

from agentlog_client.models import Comparisons, RunMatrix, RunSets
from agentlog_client.operation import Operation, as_model, request

Steps = Literal["all", "calls"]


def compare(  # noqa: PLR0913 - one parameter a choice
    a: str,
    *b: str,
    view: str | None = None,
    steps: Steps | None = None,
    context: int | None = None,
    after: str | None = None,
    limit: int | None = None,
    wait: int | None = None,
    **options: str | bool,
) -> Operation[Comparisons]:
    """Compare threads with `a`, each a thread or `THREAD@MOMENT`, aligned by what was said."""
    asked = request(
        "GET",
        "/v1/compare",
        query={
            "a": a,
            "b": b,
            "view": view,
            "steps": steps,
            "context": context,
            "after": after,
            "limit": limit,
            "wait": wait,
            **options,
        },
    )
    return Operation(asked, as_model(Comparisons))


def compare_runs(
    *threads: str,
    failed: str | None = None,
    steps: Steps | None = None,
    filter: str | None = None,  # noqa: A002 - its name everywhere
    wait: int | None = None,
) -> Operation[RunMatrix]:
    """Compare up to 200 runs, these threads or those of the filter, as a matrix.

    `failed` is a filter of the runs that failed, as `metadata.reward:0 or exit:error`.
    """
    asked = request(
        "GET",
        "/v1/compare/matrix",
        query={
            "thread": threads,
            "failed": failed,
            "steps": steps,
            "filter": filter,
            "wait": wait,
        },
    )
    return Operation(asked, as_model(RunMatrix))


def compare_sets(  # noqa: PLR0913 - one parameter a choice
    by: str,
    *,
    failed: str | None = None,
    view: str | None = None,
    steps: Steps | None = None,
    filter: str | None = None,  # noqa: A002 - its name everywhere
    after: str | None = None,
    limit: int | None = None,
    wait: int | None = None,
) -> Operation[RunSets]:
    """Compare the runs of each task, which `by` names, as `metadata.task`; or `limit` tasks.

    `failed` is a filter of the runs that failed, as `metadata.reward:0 or exit:error`.
    """
    asked = request(
        "GET",
        "/v1/compare/sets",
        query={
            "by": by,
            "failed": failed,
            "view": view,
            "steps": steps,
            "filter": filter,
            "after": after,
            "limit": limit,
            "wait": wait,
        },
    )
    return Operation(asked, as_model(RunSets))
