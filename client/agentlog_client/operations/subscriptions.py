"""Subscriptions: readers of the log whose places the server keeps."""

from collections.abc import Mapping, Sequence

from agentlog_client.models import (
    Acknowledged,
    Counted,
    Lease,
    NewSubscription,
    Parked,
    Refused,
    Subscription,
)
from agentlog_client.operation import Listing, Operation, Request, as_model, as_page, request


def subscribe(  # noqa: PLR0913 - one parameter a choice
    name: str,
    *,
    filter: str | None = None,  # noqa: A002 - its name everywhere
    begin: str | None = None,
    max_attempts: int | None = None,
    webhook: str | None = None,
    with_content: bool = False,
) -> Operation[NewSubscription]:
    """Make a subscription; `begin` is `now`, `start`, or a position as `@345`.

    `filter` is as `(type:exit or type:approval_waiting) thread:run-* metadata.team:red`.
    What it delivers is pulled, or posted to `webhook`, `with_content` the message itself too; the
    answer alone has the secret that signs it.
    """
    body = {
        "name": name,
        "filter": filter,
        "from": begin,
        "maxAttempts": max_attempts,
        "webhook": None if webhook is None else {"url": webhook, "content": with_content},
    }
    asked = request("POST", "/v1/subscriptions", body=_given(body))
    return Operation(asked, as_model(NewSubscription), repeatable=False)


def subscriptions(*, limit: int | None = None) -> Listing[Subscription]:
    """List subscriptions, and how far each is."""
    return Listing(
        request("GET", "/v1/subscriptions", query={"limit": limit}), as_page(Subscription)
    )


def subscription(name: str) -> Operation[Subscription]:
    """Read a subscription."""
    return Operation(request("GET", "/v1/subscriptions/{}", name), as_model(Subscription))


def unsubscribe(name: str) -> Operation[Subscription]:
    """Delete a subscription, with its place and what is parked."""
    return Operation(request("DELETE", "/v1/subscriptions/{}", name), as_model(Subscription))


def pause_subscription(name: str) -> Operation[Subscription]:
    """Have a subscription give nothing out."""
    return Operation(request("POST", "/v1/subscriptions/{}/pause", name), as_model(Subscription))


def resume_subscription(name: str) -> Operation[Subscription]:
    """Have a subscription go on where it was."""
    return Operation(request("POST", "/v1/subscriptions/{}/resume", name), as_model(Subscription))


def pull(
    name: str,
    *,
    limit: int | None = None,
    seconds: float | None = None,
    wait: float | None = None,
) -> Operation[Lease]:
    """Take deliveries, which are yours for some seconds; `wait` so many for the first."""
    asked = _of(name, "pull", limit=limit, seconds=seconds, wait=wait)
    return Operation(asked, as_model(Lease), repeatable=False)


def acknowledge(
    name: str, lease: str, *, ids: Sequence[int] | None = None
) -> Operation[Acknowledged]:
    """Say that deliveries of a lease are done, by default all."""
    asked = _of(name, "ack", lease=lease, ids=ids)
    return Operation(asked, as_model(Acknowledged), repeatable=False)


def refuse(  # noqa: PLR0913 - one parameter a choice
    name: str,
    lease: str,
    *,
    ids: Sequence[int] | None = None,
    error: str | None = None,
    seconds: float | None = None,
    park: bool | None = None,
) -> Operation[Refused]:
    """Say that deliveries failed: they come again after some seconds, or are parked."""
    asked = _of(name, "nack", lease=lease, ids=ids, error=error, seconds=seconds, park=park)
    return Operation(asked, as_model(Refused), repeatable=False)


def parked(name: str, *, limit: int | None = None) -> Listing[Parked]:
    """List deliveries that failed as often as they may."""
    asked = request("GET", "/v1/subscriptions/{}/parked", name, query={"limit": limit})
    return Listing(asked, as_page(Parked))


def retry_parked(name: str, *, ids: Sequence[int] | None = None) -> Operation[Counted]:
    """Give parked deliveries out again, by default all."""
    return Operation(_of(name, "parked/retry", ids=ids), as_model(Counted), repeatable=False)


def discard_parked(name: str, *, ids: Sequence[int] | None = None) -> Operation[Counted]:
    """Drop parked deliveries for good, by default all."""
    return Operation(_of(name, "parked/discard", ids=ids), as_model(Counted), repeatable=False)


def _of(name: str, what: str, **fields: object) -> Request:
    return request("POST", f"/v1/subscriptions/{{}}/{what}", name, body=_given(fields))


def _given(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}
