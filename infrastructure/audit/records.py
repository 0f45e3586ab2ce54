"""A thread's events as they are stored, in pages of bounded size."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.integrity.chain_audit import ChainRecord
from agentlog.domain.integrity.hash_chain import digest
from agentlog.domain.points_in_time import BIGGEST
from agentlog.domain.redaction import (
    is_left_by_files,
    is_without_file,
    left_digest,
    redacted_body,
    redacted_metadata,
)
from agentlog.infrastructure.eventlog.blob_store import read_contents
from agentlog.infrastructure.eventlog.body_deduplication import Digest, digests_in, whole
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement

PAGE_EVENTS = 1000
PAGE_BYTES = 8 * 2**20
"""Most bytes of a page's stored bodies, except its last; and of the contents cut out of them."""
LOWEST = -(2**63)
"""The lowest version or position that the database can hold: no event stands below it."""
EVERYWHERE = range(LOWEST, BIGGEST + 1)
"""All positions that the database can hold."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event with its contents as readers get them, and the digests by which it was chained.

    `missing` is that of `whole`. If a redaction at a version of its thread erased it, `body` and
    `metadata` are what it left, and `metadata_digest` is of the original metadata. `origin_version`
    is that of a fork's event in its origin.
    """

    version: int
    position: int
    type: str
    message_id: str
    recorded_at: datetime | None
    body: bytes
    missing: tuple[str, ...]
    body_digest: bytes
    left: bytes | None
    chain: bytes
    metadata: bytes | None
    metadata_digest: bytes
    is_cut: bool
    redacted: int | None
    origin_version: int | None

    @property
    def chained_body(self) -> bytes | None:
        """The body that its hash covers; None if it was erased, or some of it is missing."""
        return None if self.missing or self.redacted is not None else self.body

    @property
    def chained_metadata(self) -> bytes | None:
        """The metadata that its link covers; None if there was none, or if it was erased."""
        return None if self.redacted is not None else self.metadata

    def record(self, tenant: str, thread_id: str) -> ChainRecord:
        """Return it with digests in place of its contents."""
        body = self.chained_body
        return ChainRecord(
            tenant=tenant,
            thread_id=thread_id,
            version=self.version,
            position=self.position,
            type=self.type,
            message_id=self.message_id,
            recorded_at=self.recorded_at,
            body_digest=self.body_digest,
            found_digest=None if body is None else digest(body),
            # an append stores no empty metadata; its digest would be that of none
            metadata_digest=None if self.metadata == b"" else self.metadata_digest,
            chain=self.chain,
            left=self.left,
            is_cut=self.is_cut,
            redacted=self.redacted,
            left_digest=None if self.redacted is None else left_digest(self.body, self.metadata),
            is_redacted_form=self.redacted is None or self._is_redacted_form(),
            is_without_file=self.redacted is None or self._is_without_file(),
            lacks=self.redacted is not None and bool(self.missing),
        )

    def _is_redacted_form(self) -> bool:
        if self.left is not None:
            return left_digest(self.body, self.metadata) == self.left[:32]
        as_left = (
            redacted_body(self.type, self.message_id, self.body),
            redacted_metadata(self.metadata),
        )
        return (self.body, self.metadata) == as_left

    def _is_without_file(self) -> bool:
        return (
            self.metadata_digest == digest(self.metadata or b"")
            and is_without_file(self.type, self.message_id, self.body)
            and (self.left is None or is_left_by_files(self.body, self.left))
        )


@contextmanager
def log_snapshot(database: Connections) -> Iterator[psycopg.Cursor[TupleRow]]:
    """Yield a binary cursor on one snapshot of the log."""
    with database.connection() as connection, connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        with connection.cursor(binary=True) as cursor:
            yield cursor


def stored_events(
    cursor: psycopg.Cursor[TupleRow],
    tenant: str,
    thread_id: str,
    *,
    first: int = LOWEST,
    limit: int | None = None,
) -> Iterator[StoredEvent]:
    """Yield a thread's events from a version on, by version; a binary cursor is needed.

    They are read in pages, of `limit` events where the caller takes no more.
    """
    limit = PAGE_EVENTS if limit is None else limit
    while True:
        parameters = {
            "tenant": tenant,
            "thread_id": thread_id,
            "first": first,
            "limit": limit,
            "most_bytes": PAGE_BYTES,
        }
        rows = cursor.execute(statement("select_audit_page"), parameters).fetchall()
        contents = _contents(cursor, tenant, [row[10] for row in rows if row[10] is not None])
        for row in rows:
            cuts = row[10]
            whole_contents = contents
            if cuts is not None and whole_contents is None:  # too large to hold together
                whole_contents = read_contents(cursor, tenant, [cuts])
            yield _event(row, whole_contents or {})
        # a page is full by number or by bytes
        if len(rows) < limit and sum(len(row[5]) for row in rows) < PAGE_BYTES:
            return
        first = rows[-1][0] + 1


def _event(row: TupleRow, contents: Mapping[Digest, bytes]) -> StoredEvent:
    (
        version,
        position,
        type_name,
        message_id,
        recorded_at,
        stored,
        body_digest,
        left,
        chain,
        metadata,
        cuts,
        redacted,
        metadata_digest,
        origin_version,
    ) = row
    body, missing = (stored, ()) if cuts is None else whole(stored, cuts, contents)
    if redacted is None or metadata_digest is None:
        metadata_digest = digest(metadata or b"")
    return StoredEvent(
        version,
        position,
        type_name,
        message_id,
        recorded_at,
        body,
        missing,
        body_digest,
        left,
        chain,
        metadata,
        metadata_digest,
        cuts is not None,
        redacted,
        origin_version,
    )


def _contents(
    cursor: psycopg.Cursor[TupleRow], tenant: str, cuts: Sequence[bytes]
) -> Mapping[Digest, bytes] | None:
    """Return the contents cut out of a page's bodies, or None if they are too large together."""
    if not cuts:
        return {}
    parameters = {"tenant": tenant, "digests": list(digests_in(cuts))}
    sizes = cursor.execute(statement("select_blob_sizes"), parameters).fetchall()
    if sum(size for _, size in sizes) > PAGE_BYTES:
        return None
    return read_contents(cursor, tenant, cuts)
