"""What passes between deciding and writing: what is known of the log, and what changes in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from domain.chain import around_time, digest, link_at
from domain.threads import Entry, Key
from infrastructure.cuts import Stored
from infrastructure.heads import Head
from infrastructure.requests import ThreadKey


class Place(NamedTuple):
    """Where a message id stands in its thread already."""

    version: int
    position: int
    body_digest: bytes


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a transaction has to know: heads of threads, their ledger's entries, ids' places."""

    threads: Sequence[ThreadKey]
    keys: Sequence[tuple[ThreadKey, Key]] = ()
    ids: Sequence[tuple[str, str, str]] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known of the log at `position`, for deciding what may be appended.

    `heads` has every thread that was wanted (a new one at version 0), `ledger` and `places` what
    there is of the keys and ids.
    """

    position: int
    heads: Mapping[ThreadKey, Head]
    ledger: Mapping[ThreadKey, Mapping[Key, Entry]] = field(default_factory=dict)
    places: Mapping[tuple[str, str, str], Place] = field(default_factory=dict)


class NewEvent(NamedTuple):
    """An event as it will be stored, its link of the chain included."""

    tenant: str
    thread_id: str
    version: int
    position: int
    type: str
    message_id: str
    stored: Stored
    body_digest: bytes
    chain: bytes
    metadata: bytes | None


@dataclass(frozen=True, slots=True)
class Changes:
    """What one commit does to the log: new events, heads where they then stand, ledger entries."""

    recorded_at: datetime
    events: Sequence[NewEvent]
    heads: Sequence[Head]
    ledger: Mapping[ThreadKey, Mapping[Key, Entry]] = field(default_factory=dict)

    @property
    def position(self) -> int:
        """The log's position after it."""
        return self.events[-1].position

    @property
    def size(self) -> int:
        """Bytes of the bodies, with what was cut out of them, and metadata."""
        return sum(
            [len(each.stored.body) + len(each.metadata or b"") for each in self.events]
        ) + sum([len(content) for each in self.events for _, content in each.stored.blobs])


class Lone(NamedTuple):
    """The only message of a commit, for PostgreSQL to put a time to, and its thread's head.

    Both have the link before its own, which covers `before`, the time, and `after`.
    """

    event: NewEvent
    head: Head
    before: bytes
    after: bytes
    notes: Sequence[tuple[ThreadKey, Key, Entry]]

    def linked(self, recorded_at: datetime, chain: bytes) -> Changes:
        """Return what has changed, as it was written at that time."""
        return Changes(
            recorded_at,
            [self.event._replace(chain=chain)],
            [self.head._replace(chain=chain)],
            {thread: {key: entry} for thread, key, entry in self.notes},
        )


def chained(  # noqa: PLR0913 - the facts of an event
    previous: bytes,
    recorded_at: datetime,
    *,
    tenant: str,
    thread_id: str,
    version: int,
    position: int,
    type_name: str,
    message_id: str,
    stored: Stored,
    body_digest: bytes,
    metadata: bytes | None,
) -> NewEvent:
    """Return the event with its link, which continues the chain at `previous`."""
    before, after = around_time(
        previous,
        tenant=tenant,
        thread_id=thread_id,
        version=version,
        position=position,
        type_name=type_name,
        message_id=message_id,
        body_digest=body_digest,
        metadata_digest=_digest_of(metadata),
    )
    return NewEvent(  # by place: by name it takes twice as long
        tenant,
        thread_id,
        version,
        position,
        type_name,
        message_id,
        stored,
        body_digest,
        link_at(before, recorded_at, after),
        metadata,
    )


def unlinked(  # noqa: PLR0913 - the facts of an event
    head: Head,
    notes: Sequence[tuple[ThreadKey, Key, Entry]],
    *,
    tenant: str,
    thread_id: str,
    version: int,
    position: int,
    type_name: str,
    message_id: str,
    stored: Stored,
    body_digest: bytes,
    metadata: bytes | None,
) -> Lone:
    """Return the event for a link of PostgreSQL's; `head` is after it, but for its chain."""
    before, after = around_time(
        head.chain,
        tenant=tenant,
        thread_id=thread_id,
        version=version,
        position=position,
        type_name=type_name,
        message_id=message_id,
        body_digest=body_digest,
        metadata_digest=_digest_of(metadata),
    )
    event = NewEvent(
        tenant,
        thread_id,
        version,
        position,
        type_name,
        message_id,
        stored,
        body_digest,
        head.chain,
        metadata,
    )
    return Lone(event, head, before, after, notes)


def _digest_of(metadata: bytes | None) -> bytes:
    return _OF_NOTHING if metadata is None else digest(metadata)


_OF_NOTHING = digest(b"")
