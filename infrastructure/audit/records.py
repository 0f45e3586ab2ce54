"""A thread's events as they are stored, in pages that fit in memory however large the contents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from struct import error as NotInPairs  # noqa: N812 - what it means here

import psycopg
from psycopg.rows import TupleRow

from domain.audit import Record
from domain.chain import digest
from domain.redaction import skeleton, skeleton_metadata
from infrastructure.blobs import read_contents
from infrastructure.cuts import Digest, digests_in, whole
from infrastructure.sql import statement

_PAGE_EVENTS = 1000
_PAGE_BYTES = 8 * 2**20
"""Of the bodies of a page as they are stored, but for its last; and of what was cut out of them."""
_BEFORE_ALL = -(2**63)
"""What stands before version 1 does not belong there, and is found."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event with its contents; `body` is None where some of it is gone.

    Of one that was redacted by a version of its thread, `metadata_digest` is of the metadata that
    was, and `left` says that nothing stands in their place but a skeleton.
    """

    version: int
    position: int
    type: str
    message_id: str
    recorded_at: datetime | None
    body: bytes | None
    body_digest: bytes
    chain: bytes
    metadata: bytes | None
    metadata_digest: bytes
    redacted: int | None = None
    left: bool = True

    def record(self, tenant: str, thread_id: str) -> Record:
        """Return it with digests in place of its contents."""
        return Record(
            tenant=tenant,
            thread_id=thread_id,
            version=self.version,
            position=self.position,
            type=self.type,
            message_id=self.message_id,
            recorded_at=self.recorded_at,
            body_digest=self.body_digest,
            found_digest=None if self.body is None else digest(self.body),
            metadata_digest=self.metadata_digest,
            chain=self.chain,
            redacted=self.redacted,
            left=self.left,
        )


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
            body, cuts = row[5], row[9]
            if row[10] is not None:
                yield _redacted(row)
                continue
            if cuts is not None:
                found = contents
                if found is None:  # too large to hold all of the page's
                    found = read_contents(cursor, tenant, [cuts]) if _readable(cuts) else {}
                body = _restored(body, cuts, found)
            yield _event(row, body, row[8], digest(row[8] or b""))
        after = rows[-1][0]


def _redacted(row: TupleRow) -> StoredEvent:
    """Return an event without what is left of it: that is not what its hash is of."""
    type_name, message_id, body, metadata = row[2], row[3], row[5], row[8]
    as_left = skeleton(type_name, message_id, body), skeleton_metadata(metadata)
    left = (body, metadata) == as_left and row[9] is None
    was = row[11] if row[11] is not None else digest(b"")
    return _event(row, None, None, was, left=left)


def _event(
    row: TupleRow,
    body: bytes | None,
    metadata: bytes | None,
    metadata_digest: bytes,
    *,
    left: bool = True,
) -> StoredEvent:
    return StoredEvent(
        version=row[0],
        position=row[1],
        type=row[2],
        message_id=row[3],
        recorded_at=row[4],
        body=body,
        body_digest=row[6],
        chain=row[7],
        metadata=metadata,
        metadata_digest=metadata_digest,
        redacted=row[10],
        left=left,
    )


def _contents(
    cursor: psycopg.Cursor[TupleRow], tenant: str, cuts: Sequence[bytes]
) -> Mapping[Digest, bytes] | None:
    """Return what was cut out of the bodies of a page, or None where that is too much at once."""
    readable = [each for each in cuts if _readable(each)]
    if not readable:
        return {}
    asked = {"tenant": tenant, "digests": list(digests_in(readable))}
    sizes = cursor.execute(statement("select_blob_sizes"), asked).fetchall()
    if sum(size for _, size in sizes) > _PAGE_BYTES:
        return None
    return read_contents(cursor, tenant, readable)


def _readable(cuts: bytes) -> bool:
    try:
        digests_in([cuts])
    except NotInPairs:
        return False
    return True


def _restored(body: bytes, cuts: bytes, contents: Mapping[Digest, bytes]) -> bytes | None:
    if not _readable(cuts):
        return body  # somebody wrote there: its hash will say so
    return None if digests_in([cuts]) - contents.keys() else whole(body, cuts, contents)
