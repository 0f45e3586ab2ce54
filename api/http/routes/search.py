"""Routes of search: messages by their words and by JSONPath, and within a thread by a filter."""

from functools import partial
from typing import Annotated

from fastapi import Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from agentlog.api.filters import time_filter
from agentlog.api.http.codec.caller import TheTenant, tenant_of
from agentlog.api.http.codec.parameters import (
    After,
    At,
    Hidden,
    TheFilter,
    ThreadId,
    number_cursor,
)
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.codec.wait_for_position import read_models_waited
from agentlog.api.http.openapi.answers import answers
from agentlog.api.http.routing import Router
from agentlog.api.shapes.shape import shape_of
from agentlog.infrastructure.matches.thread_matches import ThreadMatches
from agentlog.infrastructure.reports.summaries import SummaryQuery, models_of
from agentlog.infrastructure.search import query
from agentlog.infrastructure.search.index import MODEL
from agentlog.infrastructure.search.search import Hits
from agentlog.projections.filters.expression import ALL
from agentlog.projections.filters.grammar import MOST_CHARACTERS as MOST_FILTER
from agentlog.projections.filters.grammar import parse_filter

router = Router(prefix="/v1", tags=["search"])

_TEXT = (
    "Text to look for in contents, whatever its case: each part of it, between spaces, must stand "
    "in the message as whole words. A part in double quotes may hold spaces; `word*` finds words "
    "that begin so."
)
_FROM = "From then on, by the store's clock: an RFC 3339 time with its zone, or a date in UTC."


@router.add("GET /search", "read", responses=answers(200, Hits, 404))
async def search_messages(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    listed: TheFilter,
    q: Annotated[str, Query(description=_TEXT, max_length=query.MOST_TEXT)] = "",
    where: Annotated[
        str,
        Query(
            description="Terms that must hold of the message: `type:`, `role:`, `tool:` and "
            "JSONPaths (RFC 9535, without match and search).",
            max_length=MOST_FILTER,
            examples=['role:user or tool:book* $.args.user_id:"mia_li_3668"'],
        ),
    ] = "",
    begin: Annotated[str | None, Query(alias="from", description=_FROM)] = None,
    end: Annotated[str | None, Query(alias="to", description="Before then, as `from`.")] = None,
    after: After = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Response:
    """Find messages by text and by filters: of them, and of their threads as these are now.

    Those that hold the text as one phrase come first, and else the newest.
    """
    begun, ended = time_filter("from", begin), time_filter("to", end)
    messages = parse_filter(where, "message", parameter="where")
    wanted, rest = query.Query(q, messages, begin=begun, end=ended).among(listed)
    tenant, threads = tenant_of(request), SummaryQuery(where=rest)
    is_any = rest == ALL
    await read_models_waited(request, [MODEL.name, *(() if is_any else models_of(threads))])
    kept = None if is_any else partial(tenant.summaries.matching, threads)
    matches = await run_in_threadpool(
        tenant.search.find, wanted, after=after, limit=limit, kept=kept
    )
    return json_answer(shape_of(matches))


@router.add("GET /threads/{thread_id}/matches", "read", responses=answers(200, ThreadMatches, 404))
def read_matches(  # noqa: PLR0913, PLR0917 - one parameter a choice
    tenant: TheTenant,
    thread_id: ThreadId,
    at: At,
    filter_text: Annotated[
        str,
        Query(
            alias="filter",
            max_length=MOST_FILTER,
            description="Terms that must hold of a message, as `tool:pay failed or took>5s`; "
            "`$.args.amount>1000` is a JSONPath into a call, a result or the message.",
            examples=["tool:pay* $.args.amount>1000"],
        ),
    ],
    after: After = None,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000,
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """Find the messages of a thread that a filter matches: it need not be indexed yet."""
    matches = tenant.matches.find(
        thread_id,
        parse_filter(filter_text, "thread"),
        at=at,
        after=number_cursor(after) or 0,
        limit=limit,
        hidden=hidden,
    )
    return json_answer(shape_of(matches))
