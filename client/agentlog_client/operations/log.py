"""The log of all threads: read it, follow it."""

from agentlog_client.models import Event
from agentlog_client.operation import Frame, Listing, Stream, as_page, request


def log(
    *,
    after: int | None = None,
    filter: str | None = None,  # noqa: A002 - its name everywhere
    limit: int | None = None,
    wait: int | None = None,
) -> Listing[Event]:
    """List events of all threads beyond a position, in the order of commits.

    `filter` is of types, as `type:exit or type:shutdown`.
    """
    asked = request(
        "GET", "/v1/log", query={"after": after, "filter": filter, "limit": limit, "wait": wait}
    )
    return Listing(asked, as_page(Event))


def follow_log(
    *,
    after: int | str | None = None,
    filter: str | None = None,  # noqa: A002 - its name everywhere
    follow: bool = True,
    speed: float | None = None,
) -> Stream[Event]:
    """Follow the log after a position, or `latest`.

    `filter` is as `(type:exit or type:shutdown) thread:run-* metadata.actor:agent-7`.
    """
    asked = request(
        "GET",
        "/v1/log/events",
        query={
            "after": after,
            "filter": filter,
            "follow": None if follow else False,
            "speed": speed,
        },
    )
    return Stream(asked, _event, finite=not follow)


def _event(frame: Frame) -> Event | None:
    return Event.model_validate(frame.json()) if frame.data else None
