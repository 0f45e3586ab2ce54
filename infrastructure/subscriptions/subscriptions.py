"""The subscriptions of a tenant: make, list, pause, resume, delete."""

from typing import NamedTuple

from psycopg.rows import TupleRow

from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.domain.json.values import object_of
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.queries import fetch, run
from agentlog.infrastructure.subscriptions.subscription import (
    Filter,
    Subscription,
    SubscriptionExists,
    UnknownSubscription,
    Webhook,
)
from agentlog.infrastructure.subscriptions.terms import SubscriptionBody


class Subscriptions:
    """One tenant's subscriptions, in the service's role."""

    def __init__(self, database: Database, *, tenant: str) -> None:
        self._database = database
        self._tenant = tenant

    def create(
        self, terms: SubscriptionBody, *, secret: bytes | None = None, created_by: str | None = None
    ) -> Subscription:
        """Make a subscription; `secret` signs what is posted to its webhook.

        Raises:
            SubscriptionExists: the name is taken.
        """
        wanted = terms.wanted
        parameters = {
            "types": None if wanted.types is None else [*wanted.types],
            "threads": wanted.threads,
            "metadata": print_bytes(wanted.metadata) if wanted.metadata else None,
            "from_end": terms.begin == "now",
            "position": int(terms.begin[1:]) if terms.begin.startswith("@") else 0,
            "max_attempts": terms.max_attempts,
            "url": None if terms.webhook is None else terms.webhook.url,
            "content": terms.webhook is not None and terms.webhook.content,
            "secret": secret,
            "created_by": created_by,
        }
        if not self._run("insert_subscription", terms.name, **parameters):
            raise SubscriptionExists(terms.name)
        return self.get(terms.name)

    def get(self, name: str) -> Subscription:
        """Return a subscription; raises `UnknownSubscription`."""
        rows = self._select(name=name, after="", limit=1)
        if not rows:
            raise UnknownSubscription(name)
        return rows[0]

    def page(self, *, after: str = "", limit: int = 1000) -> list[Subscription]:
        """Return subscriptions by name, after `after`."""
        return self._select(name=None, after=after, limit=limit)

    def pause(self, name: str, *, why: str | None = None) -> Subscription:
        """Have a subscription give nothing out; raises `UnknownSubscription`."""
        self._run("pause_subscription", name, why=why)
        return self.get(name)

    def resume(self, name: str) -> Subscription:
        """Have a subscription go on where it was; raises `UnknownSubscription`."""
        self._run("resume_subscription", name)
        return self.get(name)

    def note_success(self, name: str) -> None:
        """Note that a delivery was taken by the webhook."""
        self._run("note_success", name)

    def note_failure(self, name: str, *, patience_days: float) -> bool:
        """Note that one was not; return whether none was for longer than these days."""
        key = {"tenant": self._tenant, "name": name}
        rows = fetch(self._database, "note_failure", **key, days=patience_days)
        return bool(rows and rows[0][0])

    def delete(self, name: str) -> Subscription:
        """Delete a subscription with its place and what is parked; return it as it was.

        Raises:
            UnknownSubscription: there is none.
        """
        subscription = self.get(name)
        self._run("delete_subscription", name)
        return subscription

    def _run(self, name_of_statement: str, name: str, /, **parameters: object) -> int:
        """Run a statement on a subscription; return how many rows it changed."""
        return run(self._database, name_of_statement, tenant=self._tenant, name=name, **parameters)

    def _select(self, **parameters: object) -> list[Subscription]:
        rows = fetch(self._database, "select_subscriptions", tenant=self._tenant, **parameters)
        return [_subscription(row) for row in rows]


def _subscription(row: TupleRow) -> Subscription:
    name, types, threads, metadata, max_attempts, url, content, *standing = row
    wanted = {} if metadata is None else object_of(parse_stored(metadata))
    return Subscription(
        name,
        Filter(None if types is None else tuple(types), threads, wanted),
        max_attempts,
        None if url is None else Webhook(url, content=content),
        *standing,
    )


def due_webhooks(database: Database) -> list[tuple[str, str]]:
    """Return the subscriptions that have something to post, by tenant and name."""
    return fetch(database, "select_due_webhooks")


class SubscriptionFigures(NamedTuple):
    """Subscriptions of all tenants: webhooks that fail, and that are paused for it; deliveries."""

    failing: int
    paused: int
    pending: int
    parked: int


def subscription_figures(database: Database) -> SubscriptionFigures:
    """Return how the subscriptions of all tenants are."""
    (figures,) = fetch(database, "select_figures")
    return SubscriptionFigures(*figures)
