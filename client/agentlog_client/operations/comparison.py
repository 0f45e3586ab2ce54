"""Comparisons: threads item by item, runs as a matrix, and all runs of each task."""

from collections.abc import Mapping, Sequence
from typing import Literal

from agentlog_client.models import Comparisons, RunMatrix, RunSets
from agentlog_client.operation import Json, Operation, as_model, metadata_filter, request
from agentlog_client.operations.threads import Status

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


def compare_runs(  # noqa: PLR0913 - one parameter a choice
    *threads: str,
    failed: Sequence[str] | None = None,
    steps: Steps | None = None,
    q: str | None = None,
    status: Status | None = None,
    parent: str | None = None,
    metadata: Mapping[str, Json] | None = None,
    wait: int | None = None,
) -> Operation[RunMatrix]:
    """Compare up to 200 runs, these threads or those of the filters, as a matrix."""
    asked = request(
        "GET",
        "/v1/compare/matrix",
        query={
            "thread": threads,
            "failed": failed,
            "steps": steps,
            "q": q,
            "status": status,
            "parent": parent,
            "wait": wait,
            **metadata_filter(metadata),
        },
    )
    return Operation(asked, as_model(RunMatrix))


def compare_sets(  # noqa: PLR0913 - one parameter a choice
    by: str,
    *,
    failed: Sequence[str] | None = None,
    view: str | None = None,
    steps: Steps | None = None,
    q: str | None = None,
    status: Status | None = None,
    parent: str | None = None,
    metadata: Mapping[str, Json] | None = None,
    after: str | None = None,
    limit: int | None = None,
    wait: int | None = None,
) -> Operation[RunSets]:
    """Compare the runs of each task, which `by` names, as `metadata.task`; or `limit` tasks."""
    asked = request(
        "GET",
        "/v1/compare/sets",
        query={
            "by": by,
            "failed": failed,
            "view": view,
            "steps": steps,
            "q": q,
            "status": status,
            "parent": parent,
            "after": after,
            "limit": limit,
            "wait": wait,
            **metadata_filter(metadata),
        },
    )
    return Operation(asked, as_model(RunSets))
