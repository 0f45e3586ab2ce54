"""Search: messages by their contents."""

from agentlog_client.models import Hit, ThreadMatch
from agentlog_client.operation import Listing, Moment, as_page, request


def search(  # noqa: PLR0913 - one parameter a choice
    q: str | None = None,
    *,
    where: str | None = None,
    filter: str | None = None,  # noqa: A002 - its name everywhere
    begin: Moment | None = None,
    end: Moment | None = None,
    wait: int | None = None,
    limit: int | None = None,
) -> Listing[Hit]:
    """Find messages by text; `wait` is an append's position.

    `where` is a filter of the messages, as `role:user or tool:book* $.args.amount>50`, `filter` of
    their threads, as `failed metadata.team:red` or `thread:support-42`.
    """
    asked = request(
        "GET",
        "/v1/search",
        query={
            "q": q,
            "where": where,
            "filter": filter,
            "from": begin,
            "to": end,
            "wait": wait,
            "limit": limit,
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
