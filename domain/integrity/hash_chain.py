"""Hash chain of a thread: a link covers an event's bytes, its place and the previous link.

The link is SHA-256 over the previous link and a fixed sequence of facts, each preceded by its
length, so that no two different histories give the same bytes. Body and metadata are included as
their SHA-256, so that the chain stays valid when contents are erased; digests of what may be left
then come last, except in links of versions before 0.20.0.
"""

from datetime import datetime
from hashlib import sha256

GENESIS = bytes(32)
"""The link before a thread's first event."""

# format name, then the facts; hashes have 32 bytes
_BEGINNING = b"16:agentlog-chain-132:"
_BEFORE_TIME = b"%d:%b" * 6
_TIME = b"%d:%b"
_AFTER_TIME = b"32:%b32:%b"


def digest(content: bytes) -> bytes:
    """Return the SHA-256 of `content`, 32 bytes."""
    return sha256(content).digest()


def link(  # noqa: PLR0913 - the facts that the link covers
    previous: bytes,
    *,
    tenant: str,
    thread_id: str,
    version: int,
    position: int,
    type_name: str,
    message_id: str,
    recorded_at: datetime,
    body_digest: bytes,
    metadata_digest: bytes,
    left: bytes | None,
) -> bytes:
    """Return the 32-byte link of an event; `recorded_at` counts in microseconds since the epoch.

    `left` has its `left_digests`; None for an event without.
    """
    before, after = around_time(
        tenant=tenant,
        thread_id=thread_id,
        version=version,
        position=position,
        type_name=type_name,
        message_id=message_id,
        body_digest=body_digest,
        metadata_digest=metadata_digest,
        left=left,
    )
    return link_at(previous, before, time_in_link(recorded_at), after)


def link_at(previous: bytes, before: bytes, time: bytes, after: bytes) -> bytes:
    """Return the link of an event: `time` of `time_in_link`, the others of `around_time`."""
    return sha256(beginning(previous) + before + time + after).digest()


def beginning(previous: bytes) -> bytes:
    """Return the first bytes that a link covers: the format name and the previous link."""
    return _BEGINNING + previous


def time_in_link(recorded_at: datetime) -> bytes:
    """Return the bytes of a recording time, shared by the links of all events of that time."""
    microseconds = b"%d" % (int(recorded_at.timestamp()) * 1_000_000 + recorded_at.microsecond)
    return _TIME % (len(microseconds), microseconds)


def around_time(  # noqa: PLR0913 - the facts that the link covers
    *,
    tenant: str,
    thread_id: str,
    version: int,
    position: int,
    type_name: str,
    message_id: str,
    body_digest: bytes,
    metadata_digest: bytes,
    left: bytes | None,
) -> tuple[bytes, bytes]:
    """Return the bytes that a link covers before the time (from the previous link) and after it."""
    thread, kind = thread_id.encode(), type_name.encode()
    owner, message = tenant.encode(), message_id.encode()
    numbers = b"%d" % version, b"%d" % position
    before = _BEFORE_TIME % (
        len(owner),
        owner,
        len(thread),
        thread,
        len(numbers[0]),
        numbers[0],
        len(numbers[1]),
        numbers[1],
        len(kind),
        kind,
        len(message),
        message,
    )
    after = _AFTER_TIME % (body_digest, metadata_digest)
    return before, after if left is None else after + b"%d:%b" % (len(left), left)
