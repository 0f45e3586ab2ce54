"""A courier over a database of a test's own, and receivers on loopback."""

import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.subscriptions.subscription import Subscription
from agentlog.infrastructure.subscriptions.terms import terms_of
from agentlog.infrastructure.tenants import Tenant, Tenants
from agentlog.infrastructure.webhooks.addresses import PUBLIC, Addresses
from agentlog.infrastructure.webhooks.courier import Courier
from agentlog.infrastructure.webhooks.payload import SECRET_BYTES, Secret
from agentlog.infrastructure.webhooks.poster import Poster
from tests.api.conftest import app_over, end_following, threads_over
from tests.infrastructure.appends import TENANT, fetch
from tests.infrastructure.webhooks.receiver import Receiver

LOOPBACK = Addresses.of("127.0.0.0/8")
TLS = cache(ssl.create_default_context)
SECRET = Secret(bytes(range(SECRET_BYTES)))


class Posting:
    """The tests' tenant, and couriers of its subscriptions."""

    def __init__(self, database: Database, tenants: Tenants) -> None:
        self.database, self.tenants = database, tenants

    @property
    def tenant(self) -> Tenant:
        """The tests' tenant."""
        return self.tenants[TENANT]

    def subscribe(self, receiver: Receiver | str, name: str = "s", **fields: Any) -> None:
        """Make a subscription that is posted to a receiver."""
        url = receiver if isinstance(receiver, str) else receiver.url
        webhook = {"url": url, "content": fields.pop("content", False)}
        terms = terms_of({"name": name, "from": "start", "webhook": webhook, **fields})
        self.tenant.subscriptions.create(terms, secret=SECRET.key)

    def state(self, name: str = "s") -> Subscription:
        """Return how far a subscription is."""
        return self.tenant.subscriptions.get(name)

    @property
    def attempts(self) -> dict[int, int]:
        """How often what waits was tried, by position; nothing of what is under way."""
        rows = fetch(
            self.database,
            "SELECT position, attempts FROM agentlog.deliveries WHERE lease IS NULL",
        )
        return dict(rows)

    def make_due(self) -> None:
        """Let the time pass until every next attempt."""
        with self.database.connection() as connection:
            connection.execute("UPDATE agentlog.deliveries SET due_at = now()")

    @contextmanager
    def courier(self, *, seconds: float = 5, addresses: Addresses = LOOPBACK) -> Iterator[Courier]:
        """Post while the block runs."""
        with ThreadPoolExecutor(4) as resolvers, Listener(self.database) as listener:
            poster = Poster(addresses, TLS, resolvers, seconds)
            with Courier(self.database, listener, self.tenants, poster) as courier:
                yield courier


@pytest.fixture
def posting(own_database: Database) -> Iterator[Posting]:
    """Subscriptions of a database of its own."""
    app = app_over(own_database, threads_over(own_database))
    yield Posting(own_database, app.state.tenants)
    end_following(app)


__all__ = ["PUBLIC", "SECRET", "Posting"]
