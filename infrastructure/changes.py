"""What passes between deciding and writing: what is known of the log, and what changes in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from domain.chain import digest, link
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
    chain = link(
        previous,
        tenant=tenant,
        thread_id=thread_id,
        version=version,
        position=position,
        type_name=type_name,
        message_id=message_id,
        recorded_at=recorded_at,
        body_digest=body_digest,
        metadata_digest=_OF_NOTHING if metadata is None else digest(metadata),
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
        chain,
        metadata,
    )


_OF_NOTHING = digest(b"")
