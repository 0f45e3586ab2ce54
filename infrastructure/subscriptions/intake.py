"""Turns events of the log into deliveries of a subscription."""

from collections.abc import Sequence
from typing import NamedTuple

from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.queries import fetch
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.subscriptions.conditions import (
    CONDITIONS,
    Conditions,
    event_types,
)
from agentlog.infrastructure.subscriptions.subscription import Filter, Subscription
from agentlog.infrastructure.subscriptions.subscriptions import Subscriptions

MOST_READY, MOST_PENDING = 1000, 20_000
"""Deliveries of a subscription that could be given out at once, and all that wait, at most: the log
keeps what follows."""
_PAGE = 500
_MOST_PAGES = 20
"""Pages of the log that one request reads; the next goes on after them."""


class _Candidate(NamedTuple):
    thread_id: str
    position: int
    type: str


class Intake:
    """Takes in events for one tenant's subscriptions.

    Deliveries are written in the transaction that moves the subscription's place in the log.
    """

    def __init__(
        self, database: Database, subscriptions: Subscriptions, reader: LogReader, *, tenant: str
    ) -> None:
        self._database, self._subscriptions, self._reader = database, subscriptions, reader
        self._tenant = tenant
        self._conditions = Conditions(database, reader, tenant=tenant)

    def take_in(self, name: str) -> None:
        """Turn events of the log into deliveries, up to its end or to as many as may wait."""
        for _ in range(_MOST_PAGES):
            subscription = self._subscriptions.get(name)
            if subscription.lag == 0:
                return
            room = self._room(name)
            if room <= 0 or not self._take_page(subscription, room):
                return

    def _room(self, name: str) -> int:
        most = {"most_ready": MOST_READY, "most_pending": MOST_PENDING}
        ((room,),) = fetch(self._database, "select_room", tenant=self._tenant, name=name, **most)
        return int(room)

    def _take_page(self, subscription: Subscription, room: int) -> bool:
        """Take in a page of events; return whether there may be more."""
        end = self._reader.position()
        limit = min(_PAGE, room)
        wanted = subscription.filter
        rows = fetch(
            self._database,
            "select_candidates",
            tenant=self._tenant,
            after=subscription.position,
            upto=end,
            types=event_types(wanted.types),
            threads=wanted.threads,
            limit=limit,
        )
        page = [_Candidate(*row) for row in rows]
        full = len(page) == limit
        upto = page[-1].position if full else end
        matching = self._matching(page, wanted)
        named = {"tenant": self._tenant, "name": subscription.name}
        place = {**named, "before": subscription.position, "upto": upto}
        deliveries = {
            **named,
            "positions": [candidate.position for candidate in matching],
            "types": [candidate.type for candidate in matching],
            "thread_ids": [candidate.thread_id for candidate in matching],
        }
        with self._database.connection() as connection, connection.transaction():
            moved = connection.execute(statement("advance_subscription"), place)
            if moved.rowcount and matching:
                connection.execute(statement("insert_deliveries"), deliveries)
        return full or not moved.rowcount

    def _matching(self, page: Sequence[_Candidate], wanted: Filter) -> list[_Candidate]:
        """Return those that match, each with the name that it matches by."""
        if wanted.metadata:
            heads = self._reader.heads_of(sorted({candidate.thread_id for candidate in page}))
            of_these = {head.thread_id for head in heads if wanted.takes(head.metadata)}
            page = [candidate for candidate in page if candidate.thread_id in of_these]
        if wanted.types is None:
            return list(page)
        meant = {CONDITIONS[name] for name in CONDITIONS.keys() & set(wanted.types)}
        met = self._conditions.met(
            [candidate.position for candidate in page if candidate.type in meant]
        )
        named = [
            candidate._replace(type=met[candidate.position])
            if met.get(candidate.position) in wanted.types
            else candidate
            for candidate in page
        ]
        return [candidate for candidate in named if candidate.type in wanted.types]
