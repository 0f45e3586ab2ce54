"""Posts the deliveries of all subscriptions that have a webhook, in a thread of its own.

Several processes may do so at once: a delivery is leased by the one that posts it, and one whose
process was killed is posted again when its lease ends. Each address has requests of its own, so one
that hangs delays no other.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from typing_extensions import override

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import APPENDED, Listener
from agentlog.infrastructure.postgres.listening.watcher import warn
from agentlog.infrastructure.runtime.backoff import pause_seconds
from agentlog.infrastructure.runtime.closeable import Closing
from agentlog.infrastructure.subscriptions.subscription import (
    Delivery,
    LeaseEnded,
    Posting,
    SubscriptionPaused,
    UnknownSubscription,
)
from agentlog.infrastructure.subscriptions.subscriptions import due_webhooks
from agentlog.infrastructure.tenants import Tenant, Tenants
from agentlog.infrastructure.webhooks.payload import Secret, payload_of
from agentlog.infrastructure.webhooks.poster import Answer, Poster

logger = logging.getLogger("agentlog")

ValueT = TypeVar("ValueT")

RETRY_SECONDS = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Pauses before the second attempt and those after it, as Standard Webhooks recommends."""
PATIENCE_DAYS = 3.0
"""Without a success for longer, a subscription is paused: less than its attempts last, so that
nothing is parked because an address was away."""

_AT_ONCE = 8
"""Requests to one address."""
_PACE_SECONDS = 0.05
_FIRST_PAUSE_SECONDS, _MOST_PAUSE_SECONDS = 1.0, 60.0
"""Between requests to an address that is down, beside the pauses of each delivery."""


@dataclass(slots=True)
class _Endpoint:
    """What is known of an address in this process."""

    failures: int = 0
    free_at: float = 0.0


class Courier(Closing):
    """Posts what is due until it is closed; what is under way is posted again by the next."""

    def __init__(
        self, database: Database, listener: Listener, tenants: Tenants, poster: Poster
    ) -> None:
        self._database, self._tenants, self._poster = database, tenants, poster
        self._loop = asyncio.new_event_loop()
        self._woken = asyncio.Event()
        self._closing = False
        self._endpoints: dict[tuple[str, str], _Endpoint] = {}
        # of its own: names that hang take all threads of the others
        self._statements = ThreadPoolExecutor(2, thread_name_prefix="webhooks")
        self._end = listener.on(APPENDED, self._wake)
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)
        self._thread.start()

    @override
    def close(self) -> None:
        """Stop posting."""
        self._closing = True
        self._end()
        self._wake()
        self._thread.join()
        self._statements.shutdown()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._woken.set)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._work())

    async def _work(self) -> None:
        tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        failing = False
        while not self._closing:
            self._woken.clear()
            try:
                for key in await self._in_thread(partial(due_webhooks, self._database)):
                    endpoint = self._endpoints.setdefault(key, _Endpoint())
                    if key not in tasks and endpoint.free_at <= time.monotonic():
                        task = tasks[key] = asyncio.create_task(self._serve(*key))
                        task.add_done_callback(partial(self._ended, tasks, key))
                failing = False
            except Exception as error:  # noqa: BLE001 - any error is tried again
                if not failing:
                    warn("webhooks cannot be posted, trying on", error)
                failing = True
            await asyncio.sleep(_PACE_SECONDS)
            await self._woken.wait()  # the listener's poll wakes it too, for what is due again
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)

    def _ended(
        self,
        tasks: dict[tuple[str, str], asyncio.Task[None]],
        key: tuple[str, str],
        task: asyncio.Task[None],
    ) -> None:
        del tasks[key]
        self._woken.set()
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            warn(f"subscription {key[1]!r} of tenant {key[0]!r} is not posted, trying on", error)
            self._pause(self._endpoints[key], 0)

    async def _serve(self, tenant_name: str, name: str) -> None:
        """Post what is due of a subscription, until there is nothing or its address is down."""
        tenant, endpoint = self._tenants[tenant_name], self._endpoints[tenant_name, name]
        seconds = 2 * self._poster.seconds + 1  # until the outcome is noted
        while endpoint.free_at <= time.monotonic() and not self._closing:
            try:
                take = partial(tenant.queue.take, name, limit=_AT_ONCE, seconds=seconds)
                posting = await self._in_thread(take)
            except (SubscriptionPaused, UnknownSubscription):
                return
            if posting is None:
                return
            await asyncio.gather(
                *(
                    self._deliver(tenant, name, posting, delivery)
                    for delivery in posting.lease.deliveries
                )
            )

    async def _deliver(
        self, tenant: Tenant, name: str, posting: Posting, delivery: Delivery
    ) -> None:
        """Post a delivery, and note the outcome."""
        webhook, secret = posting.webhook, Secret(posting.secret)
        try:
            payload = payload_of(delivery, name, tenant=tenant.name, content=webhook.content)
            answer = await self._poster.post(webhook.url, payload, secret)
        except Exception as error:  # it is tried again, and parked: others go on
            logger.exception("a delivery of subscription %r cannot be posted", name)
            answer = Answer(f"it cannot be posted: {type(error).__name__}")
        try:
            await self._in_thread(partial(_note, tenant, name, posting, delivery, answer))
        except (LeaseEnded, UnknownSubscription):
            return  # another posts it, or nobody any more
        endpoint = self._endpoints[tenant.name, name]
        if answer.error is None:
            endpoint.failures = 0
        elif answer.is_down:
            self._pause(endpoint, answer.wait_seconds)

    def _pause(self, endpoint: _Endpoint, seconds: float) -> None:
        pause = pause_seconds(
            endpoint.failures, first=_FIRST_PAUSE_SECONDS, most=_MOST_PAUSE_SECONDS
        )
        endpoint.failures += 1
        endpoint.free_at = time.monotonic() + max(pause, seconds)

    async def _in_thread(self, run: Callable[[], ValueT]) -> ValueT:
        return await self._loop.run_in_executor(self._statements, run)


def _note(tenant: Tenant, name: str, posting: Posting, delivery: Delivery, answer: Answer) -> None:
    """Put the outcome of an attempt on record; pause a subscription whose address is gone."""
    lease, ids = posting.lease.id, [delivery.id]
    if answer.error is None:
        tenant.queue.acknowledge(name, lease, ids)
        if posting.is_failing:
            tenant.subscriptions.note_success(name)
        return
    pause = RETRY_SECONDS[min(delivery.attempt, len(RETRY_SECONDS)) - 1]
    seconds = pause_seconds(0, first=max(pause, answer.wait_seconds), most=2 * RETRY_SECONDS[-1])
    tenant.queue.refuse(name, lease, ids, error=answer.error, seconds=seconds)
    over = tenant.subscriptions.note_failure(name, patience_days=PATIENCE_DAYS)
    if answer.is_gone or over:
        why = f"{answer.error}; nothing is posted until it is resumed"
        tenant.subscriptions.pause(name, why=why)
        logger.warning("subscription %r of tenant %r is paused: %s", name, tenant.name, why)
