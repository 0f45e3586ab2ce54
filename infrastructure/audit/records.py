"""A thread's events as they are stored, in pages that fit in memory however large the contents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg.rows import TupleRow

from domain.integrity.chain_audit import Record
from domain.integrity.hash_chain import digest
from domain.redaction import left_digest, skeleton, skeleton_metadata
from infrastructure.eventlog.blob_store import read_contents
from infrastructure.eventlog.body_deduplication import Digest, digests_in, whole
from infrastructure.postgres.statements import statement

_PAGE_EVENTS = 1000
_PAGE_BYTES = 8 * 2**20
"""Of the bodies of a page as they are stored, but for its last; and of what was cut out of them."""
_BEFORE_ALL = -(2**63)
"""What stands before version 1 does not belong there, and is found."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event with what readers get of its contents, and what it says of those it was chained by.

    `missing` as of `whole`. Of one that was redacted by a version of its thread, `body` and
    `metadata` are what stays, and `metadata_digest` is of the metadata that was.
    """

    version: int
    position: int
    type: str
    message_id: str
    recorded_at: datetime | None
    body: bytes
    missing: tuple[str, ...]
    body_digest: bytes
    chain: bytes
    metadata: bytes | None
    metadata_digest: bytes
    redacted: int | None

    @property
    def chained_body(self) -> bytes | None:
        """The body that its hash is of; None where that went, or some of it is missing."""
        return None if self.missing or self.redacted is not None else self.body

    @property
    def chained_metadata(self) -> bytes | None:
        """The metadata that its link covers; None where there was none, or where it went."""
        return None if self.redacted is not None else self.metadata

    def record(self, tenant: str, thread_id: str) -> Record:
        """Return it with digests in place of its contents."""
        body = self.chained_body
        return Record(
            tenant=tenant,
            thread_id=thread_id,
            version=self.version,
            position=self.position,
            type=self.type,
            message_id=self.message_id,
            recorded_at=self.recorded_at,
            body_digest=self.body_digest,
            found_digest=None if body is None else digest(body),
            metadata_digest=self.metadata_digest,
            chain=self.chain,
            redacted=self.redacted,
            left_digest=None if self.redacted is None else left_digest(self.body, self.metadata),
            is_skeleton=self.redacted is None or self._is_skeleton(),
            lacks=self.redacted is not None and bool(self.missing),
        )

    def _is_skeleton(self) -> bool:
        as_left = skeleton(self.type, self.message_id, self.body), skeleton_metadata(self.metadata)
        return (self.body, self.metadata) == as_left


def stored_events(
    cursor: psycopg.Cursor[TupleRow], tenant: str, thread_id: str
) -> Iterator[StoredEvent]:
    """Yield a thread's events by version; a binary cursor is needed."""
    after = _BEFORE_ALL
    while True:
        asked = {
            "tenant": tenant,
            "thread_id": thread_id,
            "after": after,
            "limit": _PAGE_EVENTS,
            "most_bytes": _PAGE_BYTES,
        }
        rows = cursor.execute(statement("select_audit_page"), asked).fetchall()
        if not rows:
            return
        contents = _contents(cursor, tenant, [row[9] for row in rows if row[9] is not None])
        for row in rows:
            cuts = row[9]
            found = contents
            if cuts is not None and found is None:  # too large to hold all of the page's
                found = read_contents(cursor, tenant, [cuts])
            yield _event(row, found or {})
        after = rows[-1][0]


def _event(row: TupleRow, contents: Mapping[Digest, bytes]) -> StoredEvent:
    (
        version,
        position,
        type_name,
        message_id,
        recorded_at,
        stored,
        body_digest,
        chain,
        metadata,
        cuts,
        redacted,
        metadata_digest,
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
        chain,
        metadata,
        metadata_digest,
        redacted,
    )


def _contents(
    cursor: psycopg.Cursor[TupleRow], tenant: str, cuts: Sequence[bytes]
) -> Mapping[Digest, bytes] | None:
    """Return what was cut out of the bodies of a page, or None where that is too much at once."""
    if not cuts:
        return {}
    asked = {"tenant": tenant, "digests": list(digests_in(cuts))}
    sizes = cursor.execute(statement("select_blob_sizes"), asked).fetchall()
    if sum(size for _, size in sizes) > _PAGE_BYTES:
        return None
    return read_contents(cursor, tenant, cuts)
