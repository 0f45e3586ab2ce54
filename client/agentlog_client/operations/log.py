"""The log of all threads: read it, follow it."""

from collections.abc import Mapping

from agentlog_client.models import Event
from agentlog_client.operation import (
    Frame,
    Json,
    Listing,
    Stream,
    as_page,
    metadata_filter,
    request,
)


def log(
    *,
    after: int | None = None,
    type: str | list[str] | None = None,  # noqa: A002 - its name everywhere
    limit: int | None = None,
    wait: int | None = None,
) -> Listing[Event]:
    """List events of all threads beyond a position, in the order of commits."""
    asked = request(
        "GET", "/v1/log", query={"after": after, "type": type, "limit": limit, "wait": wait}
    )
    return Listing(asked, as_page(Event))


def follow_log(  # noqa: PLR0913 - one parameter a filter
    *,
    after: int | str | None = None,
    type: str | list[str] | None = None,  # noqa: A002 - its name everywhere
    thread: str | None = None,
    metadata: Mapping[str, Json] | None = None,
    follow: bool = True,
    speed: float | None = None,
) -> Stream[Event]:
    """Follow the log after a position, or `latest`; `thread` is how ids of threads begin."""
    asked = request(
        "GET",
        "/v1/log/events",
        query={
            "after": after,
            "type": type,
            "thread": thread,
            "follow": None if follow else False,
            "speed": speed,
            **metadata_filter(metadata),
        },
    )
    return Stream(asked, _event, finite=not follow)


def _event(frame: Frame) -> Event | None:
    return Event.model_validate(frame.json()) if frame.data else None
