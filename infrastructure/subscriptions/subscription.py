"""A subscription, what it delivers, and its errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from agentlog.domain.errors import InvalidInput, NotThere, Refused
from agentlog.domain.events import Event
from agentlog.domain.json.answers import Time, answer
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.projections.filters.columns import ANY_NUMBER, columns_of
from agentlog.projections.filters.expression import (
    And,
    Expression,
    Or,
    Term,
    compare,
    print_filter,
)


class InvalidSubscription(InvalidInput):
    """A subscription cannot be made like that, or a request of one."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)


class UnknownSubscription(NotThere):
    """The tenant has no subscription of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"there is no subscription {name!r}: `agentlog subscriptions list` lists them"
        )


class SubscriptionExists(Refused):
    """The tenant has a subscription of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a subscription {name!r}: choose another name, or delete it")


class SubscriptionPaused(Refused):
    """The subscription gives nothing out until it is resumed."""

    def __init__(self, name: str, reason: str | None) -> None:
        why = "" if reason is None else f" ({reason})"
        super().__init__(
            f"subscription {name!r} is paused{why}: resume it by `agentlog subscriptions resume`"
        )


class NotPulled(Refused):
    """The subscription has a webhook, and cannot be pulled."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"subscription {name!r} is posted to its webhook: make another one to pull from"
        )


class LeaseEnded(Refused):
    """Nothing is held by that lease."""

    def __init__(self, lease: str) -> None:
        super().__init__(
            f"lease {lease!r} holds nothing of that: it was acknowledged before, or the lease "
            "ended and it is given out again"
        )


@dataclass(frozen=True, slots=True)
class Filter:
    """Which events are delivered; None or empty is any.

    `types` may name conditions too. `threads` is how the ids of threads begin. `metadata` has
    top-level keys of the thread's metadata and their values.
    """

    types: tuple[str, ...] | None = None
    threads: str | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)

    @classmethod
    def of(cls, where: Expression) -> "Filter":
        """Return what a filter of the log asks for; raises `InvalidSubscription`."""
        wanted = columns_of(where, {"type": ANY_NUMBER, "thread*": 1})
        for part in wanted.rest:
            raise InvalidSubscription(
                "filter",
                f"{print_filter(part)[:100]}: a subscription has types, as (type:a or type:b), how "
                "ids of threads begin, as thread:run-*, and values of their metadata, as "
                "metadata.team:red, which must all hold, each once",
            )
        return cls(tuple(wanted.values("type")) or None, wanted.value("thread*"), wanted.metadata)

    def takes(self, metadata: JsonObject) -> bool:
        """Return whether a thread's metadata has the values."""
        return all(compare(term, metadata.get(str(term.key))) for term in self._values)

    @property
    def _values(self) -> Sequence[Term]:
        return [Term("metadata", ":", value, key) for key, value in self.metadata.items()]

    @property
    def text(self) -> str:
        """The filter as it is written."""
        types = tuple(Term("type", ":", name) for name in self.types or ())
        return print_filter(
            And(
                (
                    *((Or(types),) if len(types) > 1 else types),
                    *([Term("thread", ":", self.threads, is_prefix=True)] if self.threads else ()),
                    *self._values,
                )
            )
        )


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where deliveries are posted to; `content`: with the message itself, not its place alone."""

    url: str
    content: bool = False


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription's state.

    Every event up to `position` was taken in; of those that matched, `pending` are not acknowledged
    and `parked` wait for a decision. `lag` is how many positions the log is ahead.
    `failing_since`: of the webhook, the first failure after its last success.
    """

    name: str
    filter: Filter
    max_attempts: int
    webhook: Webhook | None
    position: int
    pending: int
    parked: int
    lag: int
    paused_at: datetime | None
    paused_why: str | None
    failing_since: datetime | None
    created_at: datetime
    created_by: str | None

    @property
    def state(self) -> Literal["active", "paused"]:
        """Whether it gives anything out."""
        return "active" if self.paused_at is None else "paused"


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event to deliver; `type` is its own, or the condition that it meets.

    `id` is in the order of the log; `attempt` counts from 1. What is no event of the log has a
    `notice` in place of one, and the position that the log was at.
    """

    id: int
    position: int
    type: str
    thread_id: str | None
    attempt: int
    event: Event | None
    notice: JsonObject | None


@dataclass(frozen=True, slots=True)
class Lease:
    """Deliveries given to one consumer until a time."""

    id: str
    until: datetime
    deliveries: list[Delivery]


@dataclass(frozen=True, slots=True)
class Posting:
    """Deliveries to post, and how; `is_failing`: the last that was posted was not taken."""

    lease: Lease
    webhook: Webhook
    secret: bytes = field(repr=False)
    is_failing: bool


@answer
@dataclass(frozen=True, slots=True)
class Parked:
    """A delivery that failed as often as it may, and what it failed of last."""

    id: int
    position: int
    type: str
    thread_id: str | None
    attempts: int
    error: str | None
    parked_at: Time
