"""The commands of `agentlog subscriptions`."""

import re
from secrets import token_bytes
from typing import Annotated

import typer

from agentlog.api.cli.session import (
    AsJson,
    DataDir,
    print_listing,
    service_in,
    settings_with,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.shapes.service import subscriptions as shapes
from agentlog.api.shapes.shape import shape_of
from agentlog.domain.json.answers import time_text
from agentlog.domain.json.values import JsonObject
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.subscriptions.subscription import (
    Parked,
    Subscription,
    UnknownSubscription,
)
from agentlog.infrastructure.subscriptions.terms import NAME_PATTERN, USUAL_ATTEMPTS, terms_of
from agentlog.infrastructure.webhooks.addresses import Addresses
from agentlog.infrastructure.webhooks.registration import register

app = typer.Typer()
subscriptions_ = typer.Typer(
    help="Subscriptions: readers of the log whose places the server keeps.", no_args_is_help=True
)
app.add_typer(subscriptions_, name="subscriptions")


def _known(name: str) -> str:
    if not re.match(NAME_PATTERN, name):
        raise UnknownSubscription(name)
    return name


Name = Annotated[str, typer.Argument(help="Name of the subscription.", callback=_known)]
Ids = Annotated[
    list[int] | None,
    typer.Argument(metavar="[ID]…", help="As listed; all without any.", min=0, max=BIGGEST),
]

_MOST = 1000


@subscriptions_.command()
def create(  # noqa: PLR0913 - one parameter a choice
    name: Annotated[str, typer.Argument(help="1 to 64 letters, digits, _ or -.")],
    *,
    where: Annotated[
        str,
        typer.Option(
            "--filter",
            metavar="FILTER",
            help="Terms of events, as '(type:exit or type:approval_waiting) thread:run-* "
            "metadata.team:red'.",
        ),
    ] = "",
    start: Annotated[
        str, typer.Option("--from", help="now, start, or a position as @345.")
    ] = "now",
    max_attempts: Annotated[
        int, typer.Option(help="Attempts, after which a delivery is parked.")
    ] = USUAL_ATTEMPTS,
    webhook: Annotated[
        str | None, typer.Option(metavar="URL", help="Where to post to; else it is pulled.")
    ] = None,
    content: Annotated[
        bool, typer.Option("--content", help="Post the message itself, not its place alone.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Make a subscription, and print the secret of its webhook, this once.

    Without a webhook its consumers pull over HTTP.
    """
    fields: JsonObject = {
        "name": name,
        "filter": where,
        "from": start,
        "maxAttempts": max_attempts,
    }
    fields |= {} if webhook is None else {"webhook": {"url": webhook, "content": content}}
    settings = settings_with(data_dir=data_dir)
    terms = terms_of(fields)
    with service_in(data_dir, new=True) as service:
        made, secret = register(
            service.own.subscriptions,
            terms,
            addresses=Addresses.of(settings.webhook_networks),
            random_bytes=token_bytes,
        )
    typer.echo(printable(f"subscription {made.name!r} begins after @{made.position}"), err=True)
    if secret is not None:
        typer.echo(secret.reveal())


@subscriptions_.command("list")
def list_(*, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List subscriptions, and how far each is."""
    listed: list[Subscription] = []
    with service_in(data_dir) as service:
        subscriptions = service.own.subscriptions
        while page := subscriptions.page(after=listed[-1].name if listed else "", limit=_MOST):
            listed += page
    columns = {"name": 6, "state": 6, "filter": 6, "position": 8, "lag": 3}
    print_listing(
        {**columns, "pending": 7, "parked": 6, "webhook": 0, "failing": 10, "reason": 10},
        [
            (
                subscription.name,
                subscription.state,
                subscription.filter.text or "all",
                f"@{subscription.position}",
                str(subscription.lag),
                str(subscription.pending),
                str(subscription.parked),
                None if subscription.webhook is None else subscription.webhook.url,
                time_text(subscription.failing_since),
                subscription.paused_why,
            )
            for subscription in listed
        ],
        answers=map(shapes.Subscription.of, listed) if as_json else None,
    )


@subscriptions_.command()
def pause(name: Name, data_dir: DataDir = None) -> None:
    """Have a subscription give nothing out."""
    with service_in(data_dir) as service:
        service.own.subscriptions.pause(name)


@subscriptions_.command()
def resume(name: Name, data_dir: DataDir = None) -> None:
    """Have a subscription go on where it was."""
    with service_in(data_dir) as service:
        service.own.subscriptions.resume(name)


@subscriptions_.command()
def delete(name: Name, data_dir: DataDir = None) -> None:
    """Delete a subscription, with its place and what is parked."""
    with service_in(data_dir) as service:
        service.own.subscriptions.delete(name)


@subscriptions_.command()
def parked(name: Name, *, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the deliveries that failed as often as they may."""
    with service_in(data_dir) as service:
        queue = service.own.queue
        listed: list[Parked] = []
        while page := queue.parked(name, after=listed[-1].id if listed else 0, limit=_MOST):
            listed += page
    print_listing(
        {"id": 2, "position": 8, "type": 4, "thread": 6, "attempts": 8, "since": 10, "error": 0},
        [
            (
                str(delivery.id),
                f"@{delivery.position}",
                delivery.type,
                delivery.thread_id,
                str(delivery.attempts),
                time_text(delivery.parked_at),
                delivery.error,
            )
            for delivery in listed
        ],
        answers=map(shape_of, listed) if as_json else None,
    )


@subscriptions_.command()
def retry(name: Name, ids: Ids = None, data_dir: DataDir = None) -> None:
    """Give parked deliveries out again."""
    with service_in(data_dir) as service:
        count = service.own.queue.retry(name, ids or None)
    typer.echo(f"{count} to be delivered again", err=True)


@subscriptions_.command()
def discard(name: Name, ids: Ids = None, data_dir: DataDir = None) -> None:
    """Drop parked deliveries for good; the log keeps the events."""
    with service_in(data_dir) as service:
        count = service.own.queue.discard(name, ids or None)
    typer.echo(f"{count} dropped", err=True)
