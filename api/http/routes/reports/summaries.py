"""Routes of summaries: a row a thread, with its counts and sums; and trees of workers."""

from typing import Annotated

from fastapi import Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic.alias_generators import to_camel

from agentlog.api.filters import InvalidFilter, metadata_key
from agentlog.api.http.codec.caller import tenant_of
from agentlog.api.http.codec.parameters import Hidden, TheFilter, ThreadId
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.codec.wait_for_position import read_models_waited
from agentlog.api.http.openapi.answers import answers
from agentlog.api.http.routing import Router
from agentlog.api.shapes.shape import shape_of
from agentlog.infrastructure.reports.summaries import (
    METADATA,
    MODELS,
    MOST_ROWS,
    SORTS,
    SummaryQuery,
    models_of,
)
from agentlog.infrastructure.reports.summary import ThreadSummaries
from agentlog.infrastructure.reports.worker_trees import WorkerTree

router = Router(prefix="/v1", tags=["threads"])

_SORTS = {to_camel(name): name for name in SORTS}
_SORT = (
    f"A column, with a minus for the largest first: {', '.join(_SORTS)}, or metadata.KEY. Null "
    "comes last either way; the thread's id breaks ties."
)


@router.add("GET /summaries", "read", responses=answers(200, ThreadSummaries, 404))
async def list_summaries(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    where: TheFilter,
    sort: Annotated[str, Query(description=_SORT, examples=["-costUsd"])] = "-position",
    offset: Annotated[int, Query(ge=0, lt=2**63, description="How many to pass over.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 50,
    hidden: Annotated[  # noqa: FBT002 - a query parameter has a name
        bool, Query(description="Hidden threads too.")
    ] = False,
) -> Response:
    """List threads with their counts and sums, from any row on."""
    query = SummaryQuery(
        where=where,
        sort=_column(sort),
        descending=sort.startswith("-"),
        offset=offset,
        limit=limit,
        hidden=hidden,
    )
    await read_models_waited(request, models_of(query))
    page = await run_in_threadpool(tenant_of(request).summaries.page, query)
    return json_answer(shape_of(page))


@router.add("GET /threads/{thread_id}/workers", "read", responses=answers(200, WorkerTree, 404))
async def read_workers(
    request: Request,
    thread_id: ThreadId,
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """The tree of workers that a thread stands in, each thread before its workers, with sums."""
    await read_models_waited(request, MODELS)
    workers = tenant_of(request).workers
    tree = await run_in_threadpool(workers.tree, thread_id, hidden=hidden)
    return json_answer(shape_of(tree))


def _column(sort: str) -> str:
    name = sort.removeprefix("-")
    if name.startswith(METADATA):
        return METADATA + metadata_key(name)
    if name not in _SORTS:
        raise InvalidFilter(
            f"sort: no column {name[:64]!r}; there are {', '.join(_SORTS)}, metadata.KEY"
        )
    return _SORTS[name]
