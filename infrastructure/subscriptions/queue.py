"""What subscriptions have yet to deliver: given out, acknowledged, refused, parked.

A consumer is given deliveries for a time, by a lease; what it acknowledges is deleted. Until then
no later event of the same thread is given to another.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import object_of
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.queries import fetch, run
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.subscriptions.intake import Intake
from agentlog.infrastructure.subscriptions.subscription import (
    Delivery,
    Lease,
    LeaseEnded,
    NotPulled,
    Parked,
    Posting,
    SubscriptionPaused,
    UnknownSubscription,
    Webhook,
)
from agentlog.infrastructure.subscriptions.subscriptions import Subscriptions


class _Locked(NamedTuple):
    max_attempts: int
    webhook: Webhook | None
    secret: bytes | None
    is_failing: bool


class Queue:
    """Deliveries of one tenant's subscriptions."""

    def __init__(
        self, database: Database, subscriptions: Subscriptions, reader: LogReader, *, tenant: str
    ) -> None:
        self._database, self._subscriptions, self._reader = database, subscriptions, reader
        self._tenant = tenant
        self._intake = Intake(database, subscriptions, reader, tenant=tenant)

    def pull(self, name: str, *, limit: int, seconds: float) -> Lease | None:
        """Give up to `limit` deliveries to a consumer for some seconds; None where there are none.

        Raises:
            UnknownSubscription: there is none of that name.
            SubscriptionPaused: it gives nothing out.
            NotPulled: it has a webhook.
        """
        self._intake.take_in(name)
        with self._lock(name) as (connection, locked):
            if locked.webhook is not None:
                raise NotPulled(name)
            terms = {"limit": limit, "per_thread": limit, "seconds": seconds}
            rows = self._give_out(connection, name, locked.max_attempts, **terms)
        return self._lease(rows)

    def take(self, name: str, *, limit: int, seconds: float) -> Posting | None:
        """Give deliveries out to be posted, one a thread; None where there are none.

        Raises:
            UnknownSubscription: there is none of that name.
            SubscriptionPaused: it gives nothing out.
        """
        self._intake.take_in(name)
        with self._lock(name) as (connection, locked):
            webhook, secret = locked.webhook, locked.secret
            if webhook is None or secret is None:  # another has its name now
                return None
            terms = {"limit": limit, "per_thread": 1, "seconds": seconds}
            rows = self._give_out(connection, name, locked.max_attempts, **terms)
        lease = self._lease(rows)
        return None if lease is None else Posting(lease, webhook, secret, locked.is_failing)

    def acknowledge(self, name: str, lease: str, ids: Sequence[int] | None = None) -> list[int]:
        """Take deliveries of a lease off the queue, by default all; return their ids.

        Raises:
            LeaseEnded: it holds none of them.
        """
        rows = self._run("acknowledge_deliveries", name, lease=lease, numbers=_list(ids))
        if not rows:
            self._subscriptions.get(name)
            raise LeaseEnded(lease)
        return sorted(number for (number,) in rows)

    def refuse(  # noqa: PLR0913 - one parameter a choice
        self,
        name: str,
        lease: str,
        ids: Sequence[int] | None = None,
        *,
        error: str | None,
        seconds: float,
        park: bool = False,
    ) -> dict[int, bool]:
        """Note that deliveries failed; they are due again after some seconds, or parked.

        Returns:
            Whether each is parked, by id.

        Raises:
            LeaseEnded: it holds none of them.
        """
        parameters = {"lease": lease, "numbers": _list(ids), "error": error, "park": park}
        most = self._subscriptions.get(name).max_attempts
        rows = self._run(
            "refuse_deliveries", name, **parameters, seconds=seconds, max_attempts=most
        )
        if not rows:
            raise LeaseEnded(lease)
        return dict(sorted(rows))

    def parked(self, name: str, *, after: int = 0, limit: int = 1000) -> list[Parked]:
        """Return parked deliveries by id, after `after`; raises `UnknownSubscription`."""
        self._subscriptions.get(name)
        return [Parked(*row) for row in self._run("select_parked", name, after=after, limit=limit)]

    def retry(self, name: str, ids: Sequence[int] | None = None) -> int:
        """Have parked deliveries given out again, by default all; return how many."""
        return self._change("retry_parked", name, ids)

    def discard(self, name: str, ids: Sequence[int] | None = None) -> int:
        """Drop parked deliveries, by default all; return how many."""
        return self._change("discard_parked", name, ids)

    @contextmanager
    def _lock(self, name: str) -> Iterator[tuple[psycopg.Connection, _Locked]]:
        """Lock a subscription that is not paused."""
        with self._database.connection() as connection, connection.transaction():
            row = connection.execute(statement("lock_subscription"), self._key(name)).fetchone()
            if row is None:
                raise UnknownSubscription(name)
            max_attempts, paused_at, why, url, content, secret, is_failing = row
            if paused_at is not None:
                raise SubscriptionPaused(name, why)
            webhook = None if url is None else Webhook(url, content=content)
            yield connection, _Locked(max_attempts, webhook, secret, is_failing)

    def _give_out(
        self, connection: psycopg.Connection, name: str, max_attempts: int, **terms: float
    ) -> list[TupleRow]:
        parameters = self._key(name)
        connection.execute(
            statement("park_exhausted"), {**parameters, "max_attempts": max_attempts}
        )
        parameters |= {"lease": secrets.token_hex(8), **terms}
        return connection.execute(statement("lease_deliveries"), parameters).fetchall()

    def _lease(self, rows: Sequence[TupleRow]) -> Lease | None:
        """Return what was given out, with the events as they are now."""
        if not rows:
            return None
        events = {
            event.position: event for event in self._reader.events_at([row[1] for row in rows])
        }
        *_, lease, until = rows[0]
        in_order = sorted(rows, key=lambda row: int(row[0]))
        return Lease(lease, until, [_delivery(row[:-2], events) for row in in_order])

    def _change(self, name_of_statement: str, name: str, ids: Sequence[int] | None) -> int:
        self._subscriptions.get(name)
        return run(self._database, name_of_statement, **self._key(name), numbers=_list(ids))

    def _run(self, name_of_statement: str, name: str, /, **parameters: object) -> list[Any]:
        return fetch(self._database, name_of_statement, **self._key(name), **parameters)

    def _key(self, name: str) -> dict[str, object]:
        return {"tenant": self._tenant, "name": name}


def _delivery(row: Sequence[Any], events: Mapping[int | None, Event]) -> Delivery:
    number, position, type_name, thread_id, attempt, notice = row
    return Delivery(
        number,
        position,
        type_name,
        thread_id or None,
        attempt,
        events.get(position) if notice is None else None,
        None if notice is None else object_of(parse_stored(notice)),
    )


def _list(ids: Sequence[int] | None) -> list[int] | None:
    return None if ids is None else list(ids)
