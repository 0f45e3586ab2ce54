"""Subscriptions and what they deliver, for HTTP and the command line."""

from typing import Annotated, Any, Literal

from pydantic import AliasPath, Field
from typing_extensions import TypedDict

from agentlog.api.shapes.shape import Shape, shaped
from agentlog.api.shapes.threads import Event, event_json
from agentlog.domain.json.answers import Time, TimeText, time_text
from agentlog.infrastructure.subscriptions import subscription as subscriptions


class Webhook(Shape):
    """Where deliveries are posted to; `content`: with the message itself."""

    url: str
    content: bool


class Subscription(Shape):
    """A subscription and how far it is; `pending` and `parked` count deliveries.

    Every event up to `position` was taken in, and the log is `lag` positions further. `reason` is
    why it is paused, if not at a request. `failingSince`: the webhook's first failure since its
    last success.
    """

    name: str
    state: Literal["active", "paused"]
    reason: Annotated[str | None, Field(validation_alias="paused_why")]
    filter: Annotated[str, Field(validation_alias=AliasPath("filter", "text"))]
    max_attempts: int
    webhook: Webhook | None
    position: int
    pending: int
    parked: int
    lag: int
    failing_since: Time | None
    created_at: Time
    created_by: str | None


class NewSubscription(Subscription):
    """`secret` signs what is posted to the webhook, null without one: it is shown this once."""

    secret: str | None


class Delivery(TypedDict):
    """An event to deliver; `type` is its own, or the condition that it meets.

    `attempt` counts from 1. What is no event of the log has a `notice` in place of one.
    """

    id: int
    position: int
    type: str
    threadId: str | None
    attempt: int
    event: Event | None
    notice: dict[str, Any] | None


class Lease(TypedDict):
    """Deliveries that are yours until a time; there is no `lease` where there are none."""

    lease: str | None
    until: TimeText | None
    items: list[Delivery]


class Acknowledged(TypedDict):
    """Ids of deliveries that are done."""

    acknowledged: list[int]


class Refused(TypedDict):
    """Ids of deliveries that are due again, and of those that are parked now."""

    due: list[int]
    parked: list[int]


class Counted(TypedDict):
    """How many deliveries it concerned."""

    deliveries: int


def lease_json(lease: subscriptions.Lease | None) -> Lease:
    """Return what was pulled as JSON."""
    if lease is None:
        return {"lease": None, "until": None, "items": []}
    items = [_delivery_json(delivery) for delivery in lease.deliveries]
    return {"lease": lease.id, "until": time_text(lease.until), "items": items}


def _delivery_json(delivery: subscriptions.Delivery) -> Delivery:
    event = delivery.event
    shown = None if event is None else event_json(event, with_thread=True)
    return shaped(Delivery, delivery, event=shown)
