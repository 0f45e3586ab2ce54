"""Makes subscriptions, with a secret where they have a webhook."""

from collections.abc import Callable

from agentlog.infrastructure.subscriptions.subscription import Subscription
from agentlog.infrastructure.subscriptions.subscriptions import Subscriptions
from agentlog.infrastructure.subscriptions.terms import SubscriptionBody
from agentlog.infrastructure.webhooks.addresses import Addresses
from agentlog.infrastructure.webhooks.payload import SECRET_BYTES, Secret


def register(
    subscriptions: Subscriptions,
    terms: SubscriptionBody,
    *,
    addresses: Addresses,
    random_bytes: Callable[[int], bytes],
    created_by: str | None = None,
) -> tuple[Subscription, Secret | None]:
    """Make a subscription; the secret of its webhook is returned this once.

    Raises:
        AddressRefused: the webhook may not go there.
        SubscriptionExists: the name is taken.
    """
    if terms.webhook is None:
        return subscriptions.create(terms, created_by=created_by), None
    addresses.resolve(terms.webhook.url)
    secret = Secret(random_bytes(SECRET_BYTES))
    return subscriptions.create(terms, secret=secret.key, created_by=created_by), secret
