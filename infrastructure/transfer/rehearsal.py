"""A store for a dry run: appends are decided as the writer decides them, and none is committed."""

from collections.abc import Sequence
from itertools import islice

from typing_extensions import override

from domain.errors import AgentlogError, UnknownThread
from domain.events import Event
from domain.points_in_time import Moment
from infrastructure.appending.append_request import (
    AppendRequest,
    Deliver,
    Outcome,
    Preparer,
    Ready,
)
from infrastructure.appending.append_statements import ground_of, stored_body
from infrastructure.appending.commit_plan import Ground, NewEvent
from infrastructure.appending.decision import Batch, wanted_by
from infrastructure.appending.writer import Writer
from infrastructure.eventlog.blob_store import Blobs
from infrastructure.eventlog.reader import LogReader
from infrastructure.eventlog.thread_heads import Head
from infrastructure.postgres.database import Connections
from infrastructure.views.store import Store


class Rehearsal(Store):
    """A tenant's threads as they would be after the appends, which are kept in memory."""

    def __init__(  # noqa: PLR0913 - what it consists of
        self,
        connections: Connections,
        preparer: Preparer,
        *,
        reader: LogReader,
        writer: Writer,
        blobs: Blobs,
        tenant: str,
    ) -> None:
        super().__init__(reader=reader, writer=writer, blobs=blobs, tenant=tenant)
        self._connections = connections
        self._preparer = preparer
        self._own_tenant = tenant
        self._batch = Batch(Ground(0, {}), self._stored_body)
        self._events: dict[str, list[NewEvent]] = {}

    @override
    def append_many(self, requests: Sequence[AppendRequest]) -> Sequence[Outcome]:
        tried = [self._preparer.prepare(request) for request in requests]
        ready = [each for each in tried if isinstance(each, Ready)]
        if ready:
            with self._connections.connection() as connection, connection.transaction():
                self._batch.widen(ground_of(connection, wanted_by(ready, again=False)))
        outcomes = [
            each if isinstance(each, AgentlogError) else self._batch.decide(each) for each in tried
        ]
        for event in self._batch.taken():
            self._events.setdefault(event.thread_id, []).append(event)
        return outcomes

    @override
    def submit(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        deliver(self.append_many(requests))

    @override
    def thread(self, thread_id: str) -> Head:
        head = self._batch.head((self._own_tenant, thread_id))
        return head if head is not None and head.version else super().thread(thread_id)

    @override
    def messages(
        self,
        thread_id: str,
        *,
        after: int = 0,
        at: Moment | None = None,
        types: Sequence[str] | None = None,
        limit: int | None = None,
        most_bytes: int | None = None,
    ) -> list[Event]:
        """Return events without moments and types; those that were appended without contents."""
        del at, types
        try:
            head = super().thread(thread_id)
        except UnknownThread:
            committed: list[Event] = []
        else:
            committed = self._reader.events(
                head.thread_id, after=after, limit=limit, most_bytes=most_bytes
            )
        rehearsed = (
            Event(thread_id, event.version, event.type, event.stored.body, event.message_id)
            for event in self._events.get(thread_id, ())
            if event.version > after
        )
        rest = None if limit is None else limit - len(committed)
        return [*committed, *islice(rehearsed, rest)]

    def _stored_body(self, tenant: str, thread_id: str, version: int) -> bytes:
        with self._connections.connection() as connection:
            return stored_body(connection, tenant, thread_id, version)
