"""Threads for a dry run: appends are decided as the writer decides them, and none is committed."""

from collections.abc import Iterator, Sequence

from typing_extensions import override

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.appending.append_request import (
    AppendRequest,
    Deliver,
    Outcome,
    Preparer,
    Ready,
)
from agentlog.infrastructure.appending.append_statements import read_log_state, stored_body
from agentlog.infrastructure.appending.commit_plan import LogState
from agentlog.infrastructure.appending.decision import Batch, wanted_by
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.threads import Threads


class Rehearsal(Threads):
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
        self._batch = Batch(LogState(0, {}), self._stored_body)
        self._rehearsed: dict[str, list[str]] = {}

    @override
    def append_many(self, requests: Sequence[AppendRequest]) -> Sequence[Outcome]:
        prepared = [self._preparer.prepare(request) for request in requests]
        ready = [request for request in prepared if isinstance(request, Ready)]
        if ready:
            with self._connections.connection() as connection, connection.transaction():
                self._batch.widen(read_log_state(connection, wanted_by(ready, again=False)))
        outcomes = [
            request if isinstance(request, AgentlogError) else self._batch.decide(request)
            for request in prepared
        ]
        for event in self._batch.taken():
            if event.type not in FACT_TYPES:
                self._rehearsed.setdefault(event.thread_id, []).append(event.message_id)
        return outcomes

    @override
    def submit(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        deliver(self.append_many(requests))

    @override
    def head(self, thread_id: str, *, hidden: bool = False) -> Head:
        head = self._batch.head((self._tenant, thread_id))
        return head if head is not None and head.version else super().head(thread_id, hidden=hidden)

    @override
    def message_ids(self, thread_id: str, *, hidden: bool = False) -> Iterator[str]:
        yield from super().message_ids(thread_id, hidden=hidden)
        yield from self._rehearsed.get(thread_id, ())

    def _stored_body(self, tenant: str, thread_id: str, version: int) -> bytes:
        with self._connections.connection() as connection:
            return stored_body(connection, tenant, thread_id, version)
