"""Routes of comparisons: threads item by item, runs as a matrix, and all runs of each task."""

from typing import Annotated

from fastapi import Query, Request, Response

from agentlog.api.filters import failure_filter, metadata_key
from agentlog.api.http.codec.caller import TheViews, tenant_of
from agentlog.api.http.codec.parameters import (
    After,
    TheIndexedFilter,
    chosen_view,
    option_parameters,
)
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.openapi.answers import answers
from agentlog.api.http.routing import Router, naming
from agentlog.api.shapes.comparisons.comparison import Comparisons, compared_json
from agentlog.api.shapes.shape import shape_of
from agentlog.domain.identifiers import check_thread_id
from agentlog.infrastructure.comparison.comparer import parse_side
from agentlog.infrastructure.comparison.run_matrix import (
    MOST_RUNS,
    MatrixAsked,
    RunMatrix,
    run_matrix,
)
from agentlog.infrastructure.comparison.run_sets import RunSets, SetsAsked
from agentlog.infrastructure.views.view_fold import place_of
from agentlog.projections.comparison.steps import Which
from agentlog.projections.filters.grammar import MOST_CHARACTERS
from agentlog.projections.registry import VIEWS

router = Router(prefix="/v1", tags=["comparison"])

_SIDE = "A thread, or `THREAD@MOMENT` for how it was at a moment, as `at` elsewhere."
_VIEW = f"One of {', '.join(VIEWS)}, other than states."

ViewName = Annotated[str, Query(description=_VIEW)]
Steps = Annotated[
    Which, Query(description="What is compared: all items, or those that call tools.")
]
Failed = Annotated[
    str,
    Query(
        description="Terms of failed runs, `metadata.KEY:` and `exit:`; without any, the tenant's "
        "rule of success says which have failed, else scores, else exits.",
        max_length=MOST_CHARACTERS,
        examples=["metadata.reward:0 or exit:error"],
    ),
]


@router.add(
    "GET /compare",
    "read",
    threads=naming("a", "b"),
    responses=answers(200, Comparisons, 404),
    options=option_parameters,
)
def compare_threads(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    a: Annotated[str, Query(description=_SIDE, examples=["support-42"])],
    b: Annotated[
        list[str],
        Query(
            description=f"{_SIDE} Repeated, each is compared with `a`.",
            min_length=1,
            max_length=9,
            examples=[["support-43@12"]],
        ),
    ],
    view: ViewName = "kernel",
    steps: Steps = "all",
    context: Annotated[
        int, Query(ge=0, le=100, description="Equal items shown around each difference.")
    ] = 1,
    after: After = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """Compare threads, aligned by what was said and called."""
    as_of, row = (None, 0) if after is None else place_of(after)
    sides = [parse_side(side) for side in (a, *b)]
    compared = tenant_of(request).comparer.compare(
        sides, chosen_view(request, view), which=steps, as_of=as_of
    )
    return json_answer(compared_json(compared, context=context, after=row, limit=limit))


@router.add(
    "GET /compare/sets",
    "read",
    responses=answers(200, RunSets, 404),
    options=option_parameters,
)
def compare_sets(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    threads: TheIndexedFilter,
    by: Annotated[
        str, Query(description="The key that names the task.", examples=["metadata.task"])
    ],
    failed: Failed = "",
    view: ViewName = "kernel",
    steps: Steps = "calls",
    after: After = None,
    limit: Annotated[int | None, Query(ge=1, le=1000, description="Tasks; default all.")] = None,
) -> Response:
    """Compare the runs of each task: where they part, and which way those went that failed."""
    asked = SetsAsked(
        threads,
        chosen_view(request, view),
        by=metadata_key(by),
        failed=failure_filter(failed),
        which=steps,
    )
    return json_answer(
        shape_of(tenant_of(request).run_sets.compare(asked, after=after, limit=limit))
    )


@router.add("GET /compare/matrix", "read", responses=answers(200, RunMatrix, 404))
def compare_runs(
    views: TheViews,
    threads: TheIndexedFilter,
    thread: Annotated[
        list[str] | None,
        Query(description="These threads, in place of those of the filter.", max_length=MOST_RUNS),
    ] = None,
    failed: Failed = "",
    steps: Steps = "calls",
) -> Response:
    """Compare up to 200 runs: a row a run, a column a step of their alignment."""
    asked = MatrixAsked(
        [check_thread_id(thread_id) for thread_id in thread] if thread else threads,
        failed=failure_filter(failed),
        which=steps,
    )
    return json_answer(shape_of(run_matrix(views, asked)))
