"""Subscriptions of a tenant: made, pulled, acknowledged; what is parked."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from secrets import token_bytes
from typing import Annotated

from fastapi import Path, Request, Response
from fastapi.concurrency import run_in_threadpool

from agentlog.api.http.codec.bodies import Body, read_body
from agentlog.api.http.codec.caller import TheLimits, TheTenant, principal_of, tenant_of
from agentlog.api.http.codec.parameters import After, Limit, number_cursor
from agentlog.api.http.codec.responses import json_answer, page_answer
from agentlog.api.http.openapi.answers import answers, body
from agentlog.api.http.routing import Router
from agentlog.api.shapes.service.subscriptions import (
    Acknowledged,
    Counted,
    Lease,
    NewSubscription,
    Refused,
    Subscription,
    lease_json,
)
from agentlog.api.shapes.shape import Page, shape_of
from agentlog.infrastructure.postgres.listening.notifications import APPENDED, Listener
from agentlog.infrastructure.readmodels.projection_status import ProjectionStatus
from agentlog.infrastructure.subscriptions.subscription import InvalidSubscription, Parked
from agentlog.infrastructure.subscriptions.subscription import Lease as Leased
from agentlog.infrastructure.subscriptions.terms import (
    NAME_PATTERN,
    AckBody,
    NackBody,
    ParkedBody,
    PullBody,
    SubscriptionBody,
)
from agentlog.infrastructure.webhooks.registration import register

router = Router(prefix="/v1", tags=["subscriptions"])

_PACE_SECONDS = 0.05
"""Between attempts of a consumer that waits, however often the log grows."""

Name = Annotated[str, Path(pattern=NAME_PATTERN, examples=["approvals"])]


@router.add(
    "POST /subscriptions",
    "admin",
    status_code=201,
    responses=answers(201, NewSubscription, 400, 409, 413),
    openapi_extra=body(SubscriptionBody, description="Which events, and from where on."),
)
def create_subscription(request: Request, body: Body, limits: TheLimits) -> Response:
    """Make a subscription of the tenant: the server keeps its place in the log.

    What it delivers is pulled, or posted to its webhook, signed by the `secret` that only this
    answer has.
    """
    subscription, secret = register(
        tenant_of(request).subscriptions,
        read_body(body, limits, SubscriptionBody, InvalidSubscription),
        addresses=request.app.state.addresses,
        random_bytes=token_bytes,
        created_by=principal_of(request).author,
    )
    return json_answer(
        {**Subscription.of(subscription), "secret": None if secret is None else secret.reveal()},
        status=201,
        headers={
            "Location": f"/v1/subscriptions/{subscription.name}",
            "Cache-Control": "no-store",
        },
    )


@router.add("GET /subscriptions", "admin", responses=answers(200, Page[Subscription]))
def list_subscriptions(
    tenant: TheTenant,
    after: After = None,
    limit: Limit = 100,
) -> Response:
    """List the tenant's subscriptions by name, and how far each is."""
    page = tenant.subscriptions.page(after=after or "", limit=limit + 1)
    return page_answer(
        page, limit, shown=Subscription.of, place=lambda subscription: subscription.name
    )


@router.add("GET /subscriptions/{name}", "admin", responses=answers(200, Subscription, 404))
def read_subscription(tenant: TheTenant, name: Name) -> Response:
    """Read a subscription: how far it is, what waits, or why it stands still."""
    return json_answer(Subscription.of(tenant.subscriptions.get(name)))


@router.add("DELETE /subscriptions/{name}", "admin", responses=answers(200, Subscription, 404))
def delete_subscription(tenant: TheTenant, name: Name) -> Response:
    """Delete a subscription, with its place and what is parked."""
    return json_answer(Subscription.of(tenant.subscriptions.delete(name)))


@router.add("POST /subscriptions/{name}/pause", "admin", responses=answers(200, Subscription, 404))
def pause_subscription(tenant: TheTenant, name: Name) -> Response:
    """Have it give nothing out until it is resumed."""
    return json_answer(Subscription.of(tenant.subscriptions.pause(name)))


@router.add("POST /subscriptions/{name}/resume", "admin", responses=answers(200, Subscription, 404))
def resume_subscription(tenant: TheTenant, name: Name) -> Response:
    """Have it go on where it was."""
    return json_answer(Subscription.of(tenant.subscriptions.resume(name)))


@router.add(
    "POST /subscriptions/{name}/pull",
    "read",
    responses=answers(200, Lease, 400, 404, 409, 413),
    openapi_extra=body(PullBody, description="How many, and for how long."),
)
async def pull_deliveries(request: Request, name: Name, body: Body, limits: TheLimits) -> Response:
    """Take deliveries, which are yours until the lease ends; several consumers may pull.

    No later event of their threads goes to another meanwhile. What is not acknowledged by then is
    given out again. With `wait` an answer without deliveries comes only after that.
    """
    wanted = read_body(body, limits, PullBody, InvalidSubscription)
    queue = tenant_of(request).queue
    pull = partial(queue.pull, name, limit=wanted.limit, seconds=wanted.seconds)
    lease = await run_in_threadpool(pull)
    if lease is None and wanted.wait:
        projection_status: ProjectionStatus = request.app.state.projection_status
        lease = await _first(pull, projection_status.listener, seconds=wanted.wait)
    return json_answer(await run_in_threadpool(lease_json, lease))


@router.add(
    "POST /subscriptions/{name}/ack",
    "read",
    responses=answers(200, Acknowledged, 400, 404, 409, 413),
    openapi_extra=body(AckBody, description="The lease, and which of its deliveries."),
)
def acknowledge_deliveries(
    tenant: TheTenant, name: Name, body: Body, limits: TheLimits
) -> Response:
    """Say that deliveries of a lease are done, by default all of it: they come no more."""
    which = read_body(body, limits, AckBody, InvalidSubscription)
    done = tenant.queue.acknowledge(name, which.lease, which.ids)
    return json_answer({"acknowledged": done})


@router.add(
    "POST /subscriptions/{name}/nack",
    "read",
    responses=answers(200, Refused, 400, 404, 409, 413),
    openapi_extra=body(NackBody, description="The lease, what failed of it, and why."),
)
def refuse_deliveries(tenant: TheTenant, name: Name, body: Body, limits: TheLimits) -> Response:
    """Say that deliveries failed: they come again after a pause, or are parked.

    What follows them in their threads, in the same lease, is given back too.
    """
    which = read_body(body, limits, NackBody, InvalidSubscription)
    refused = tenant.queue.refuse(
        name,
        which.lease,
        which.ids,
        error=which.error,
        seconds=which.seconds,
        park=which.park,
    )
    return json_answer(
        {
            "due": [number for number, is_parked in refused.items() if not is_parked],
            "parked": [number for number, is_parked in refused.items() if is_parked],
        }
    )


@router.add("GET /subscriptions/{name}/parked", "admin", responses=answers(200, Page[Parked], 404))
def list_parked(tenant: TheTenant, name: Name, after: After = None, limit: Limit = 100) -> Response:
    """List the deliveries that failed as often as they may, in the order of the log."""
    page = tenant.queue.parked(name, after=number_cursor(after) or 0, limit=limit + 1)
    return page_answer(page, limit, shown=shape_of, place=lambda parked: parked.id)


@router.add(
    "POST /subscriptions/{name}/parked/retry",
    "admin",
    responses=answers(200, Counted, 400, 404, 413),
    openapi_extra=body(ParkedBody, description="Which; all without `ids`."),
)
def retry_parked(tenant: TheTenant, name: Name, body: Body, limits: TheLimits) -> Response:
    """Give parked deliveries out again; later events of their threads may have gone before."""
    ids = read_body(body, limits, ParkedBody, InvalidSubscription).ids
    return json_answer({"deliveries": tenant.queue.retry(name, ids)})


@router.add(
    "POST /subscriptions/{name}/parked/discard",
    "admin",
    responses=answers(200, Counted, 400, 404, 413),
    openapi_extra=body(ParkedBody, description="Which; all without `ids`."),
)
def discard_parked(tenant: TheTenant, name: Name, body: Body, limits: TheLimits) -> Response:
    """Drop parked deliveries for good; the log keeps the events."""
    ids = read_body(body, limits, ParkedBody, InvalidSubscription).ids
    return json_answer({"deliveries": tenant.queue.discard(name, ids)})


async def _first(
    pull: Callable[[], Leased | None], listener: Listener, *, seconds: float
) -> Leased | None:
    """Return what is there to be pulled before long, as the log grows."""
    loop = asyncio.get_running_loop()
    woken = asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed: no request waits
            loop.call_soon_threadsafe(woken.set)

    off = listener.on(APPENDED, wake)
    until = loop.time() + seconds
    woken.set()  # events before this were not notified
    try:
        while (left := until - loop.time()) > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(woken.wait(), left)
            woken.clear()
            if (lease := await run_in_threadpool(pull)) is not None:
                return lease
            await asyncio.sleep(_PACE_SECONDS)
    finally:
        off()
    return None
