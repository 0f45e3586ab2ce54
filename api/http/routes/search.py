"""Routes of search: messages by their words and by JSONPath, and within a thread by a filter."""

from dataclasses import replace
from functools import partial
from typing import Annotated

from fastapi import Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from agentlog.api.filters import time_filter
from agentlog.api.http.codec.caller import tenant_of
from agentlog.api.http.codec.filters import METADATA_PARAMETER, TheSummaryFilter, metadata_in
from agentlog.api.http.codec.parameters import (
    After,
    At,
    FilterText,
    Hidden,
    ThreadId,
    Types,
    number_cursor,
    without_nul,
)
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.codec.wait_for_position import read_models_waited
from agentlog.api.http.openapi.answers import answers
from agentlog.api.http.routing import Router
from agentlog.api.shapes.search import Hits, ThreadMatches
from agentlog.domain.threads import Status
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.reports.summaries import SummaryQuery, models_of
from agentlog.infrastructure.search import query
from agentlog.infrastructure.search.index import MODEL
from agentlog.infrastructure.search.json_path import MOST_CHARACTERS
from agentlog.projections.filters.grammar import MOST_CHARACTERS as MOST_FILTER
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.search.message_texts import ROLES

router = Router(prefix="/v1", tags=["search"])

_TEXT = (
    "Text to look for in contents, whatever its case: each part of it, between spaces, must stand "
    "in the message as whole words. A part in double quotes may hold spaces; `word*` finds words "
    "that begin so."
)
_WHERE = (
    "A JSONPath (RFC 9535, without match and search) over the message, which must select "
    "something; several must all do so."
)
_FROM = "From then on, by the store's clock: an RFC 3339 time with its zone, or a date in UTC."


@router.add(
    "GET /search",
    "read",
    responses=answers(200, Hits, 404),
    openapi_extra={"parameters": [METADATA_PARAMETER]},
)
async def search_messages(  # noqa: PLR0913, PLR0917 - one parameter a filter
    request: Request,
    types: Types,
    which: TheSummaryFilter,
    filter_text: FilterText = "",
    status: Annotated[Status | None, Query(description="Only of threads like that.")] = None,
    q: Annotated[str, Query(description=_TEXT, max_length=query.MOST_TEXT)] = "",
    tool: Annotated[list[str] | None, Query(description="Only messages that name it.")] = None,
    role: Annotated[
        list[str] | None,
        Query(description=f"Only of this role: {', '.join(ROLES)}."),
    ] = None,
    thread: Annotated[list[str] | None, Query(description="Only of this thread.")] = None,
    begin: Annotated[str | None, Query(alias="from", description=_FROM)] = None,
    end: Annotated[str | None, Query(alias="to", description="Before then, as `from`.")] = None,
    where: Annotated[
        list[Annotated[str, Query(max_length=MOST_CHARACTERS)]] | None,
        Query(
            description=_WHERE,
            max_length=query.MOST_PREDICATES,
            examples=[['$.calls[?@.args.user_id == "mia_li_3668"]']],
        ),
    ] = None,
    after: After = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Response:
    """Find messages by text, by filters and by JSONPath; filters match them all.

    Those that hold the text as one phrase come first, and else the newest.

    Those of `/v1/summaries` are of the thread, as it is now.
    """
    asked = query.Query(
        text=q,
        types=types or (),
        tools=tool or (),
        roles=role or (),
        threads=[without_nul(thread_id) for thread_id in thread or ()],
        begin=time_filter("from", begin),
        end=time_filter("to", end),
        metadata=metadata_in(request),
        where=where or (),
    )
    search = tenant_of(request).search
    listed = parse_filter(without_nul(filter_text), "list")
    threads = replace(which, which=ThreadFilter(status=status), where=listed)
    is_any = threads == SummaryQuery()
    await read_models_waited(request, [MODEL.name, *(() if is_any else models_of(threads))])
    kept = partial(tenant_of(request).summaries.matching, threads)
    matches = await run_in_threadpool(
        search.find,
        asked,
        after=after,
        limit=limit,
        kept=None if is_any else kept,
    )
    return json_answer(Hits.of(matches))


@router.add("GET /threads/{thread_id}/matches", "read", responses=answers(200, ThreadMatches, 404))
def read_matches(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
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
    matches = tenant_of(request).matches.find(
        thread_id,
        parse_filter(filter_text, "thread"),
        at=at,
        after=number_cursor(after) or 0,
        limit=limit,
        hidden=hidden,
    )
    return json_answer(ThreadMatches.of(matches))
