"""Search: messages by their contents."""

from collections.abc import Mapping

from agentlog_client.models import Hit, ThreadMatch
from agentlog_client.operation import (
    Json,
    Listing,
    Moment,
    as_page,
    metadata_filter,
    request,
)
from agentlog_client.operations.threads import Status

Some = str | list[str]


def search(  # noqa: PLR0913 - one parameter a filter
    q: str | None = None,
    *,
    type: Some | None = None,  # noqa: A002 - its name everywhere
    tool: Some | None = None,
    role: Some | None = None,
    thread: Some | None = None,
    begin: Moment | None = None,
    end: Moment | None = None,
    where: Some | None = None,
    status: Status | None = None,
    outcome: str | None = None,
    failed: bool | None = None,
    pending: bool | None = None,
    anomalies: bool | None = None,
    metadata: Mapping[str, Json] | None = None,
    wait: int | None = None,
    limit: int | None = None,
) -> Listing[Hit]:
    """Find messages by text, JSONPath (`where`) and more; `wait` is an append's position."""
    asked = request(
        "GET",
        "/v1/search",
        query={
            "q": q,
            "type": type,
            "tool": tool,
            "role": role,
            "thread": thread,
            "from": begin,
            "to": end,
            "where": where,
            "status": status,
            "outcome": outcome,
            "failed": failed,
            "pending": pending,
            "anomalies": anomalies,
            "wait": wait,
            "limit": limit,
            **metadata_filter(metadata),
        },
    )
    return Listing(asked, as_page(Hit))


def matches(  # noqa: PLR0913 - one parameter a choice
    thread_id: str,
    filter: str,  # noqa: A002 - its name everywhere
    *,
    at: Moment | None = None,
    after: str | None = None,
    limit: int | None = None,
    hidden: bool = False,
) -> Listing[ThreadMatch]:
    """List the messages of a thread that a filter matches, as `tool:pay $.args.amount>1000`."""
    asked = request(
        "GET",
        "/v1/threads/{}/matches",
        thread_id,
        query={
            "filter": filter,
            "at": at,
            "after": after,
            "limit": limit,
            "hidden": hidden or None,
        },
    )
    return Listing(asked, as_page(ThreadMatch))
