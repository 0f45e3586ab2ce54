"""What passes between deciding and writing: what is known of the log, and what changes in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from domain.integrity.hash_chain import around_time, beginning, digest, link_at
from domain.threads import Entry, Key
from infrastructure.appending.append_request import ThreadKey
from infrastructure.eventlog.body_deduplication import Stored
from infrastructure.eventlog.thread_heads import Head


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


class Assumed(NamedTuple):
    """What is taken for new without a look: entries of ledgers, and ids that callers gave.

    Nobody else can have an id that we made.
    """

    entries: frozenset[tuple[ThreadKey, Key]] = frozenset()
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
    """An event as it will be stored.

    `chain` is its link; while it has none, the one before, which is empty if that has none either.
    """

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

    def around_time(self) -> tuple[bytes, bytes]:
        """Return what its link will cover between the one before and its time, and after that."""
        return around_time(
            tenant=self.tenant,
            thread_id=self.thread_id,
            version=self.version,
            position=self.position,
            type_name=self.type,
            message_id=self.message_id,
            body_digest=self.body_digest,
            metadata_digest=_OF_NOTHING if self.metadata is None else digest(self.metadata),
        )

    def linked_at(self, time: bytes) -> "NewEvent":
        """Return it with the link that it has at a time, which is of `time_in_link`."""
        before, after = self.around_time()
        # by place: `_replace` takes twice as long
        return NewEvent(*self[:8], link_at(self.chain, before, time, after), self.metadata)


class Moved(NamedTuple):
    """What a commit did to the log: how many events it wrote, and where heads then stand."""

    events: int
    position: int
    heads: Sequence[Head]
    ledger: Mapping[ThreadKey, Mapping[Key, Entry]] = {}


@dataclass(frozen=True, slots=True)
class Changes:
    """What one commit does to the log: new events, heads where they then stand, ledger entries.

    Without `recorded_at` PostgreSQL is to find the time, and to make the links: `follows` says for
    each event which of these, from 1, is the one before it in its thread, None where that is there.
    """

    recorded_at: datetime | None
    events: Sequence[NewEvent]
    heads: Sequence[Head]
    ledger: Mapping[ThreadKey, Mapping[Key, Entry]] = field(default_factory=dict)
    follows: Sequence[int | None] = ()

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

    @property
    def lasts(self) -> list[int]:
        """Which event, from 1, is the last of each head's thread."""
        found = {(each.tenant, each.thread_id): n for n, each in enumerate(self.events, 1)}
        return [found[head.tenant, head.thread_id] for head in self.heads]

    def moved(self, chains: Sequence[bytes] | None = None) -> Moved:
        """Return what has moved, with the links of the events where PostgreSQL has made them."""
        heads = self.heads
        if chains is not None:
            last = zip(heads, self.lasts, strict=True)
            heads = [head.linked(chains[number - 1]) for head, number in last]
        return Moved(len(self.events), self.position, heads, self.ledger)


class Lone(NamedTuple):
    """The only message of a commit, for PostgreSQL to put a time to, and its thread's head.

    Both have the link before its own, which covers `before`, the time, and `after`.
    """

    event: NewEvent
    head: Head
    before: bytes
    after: bytes
    notes: Sequence[tuple[ThreadKey, Key, Entry]]

    @classmethod
    def of(
        cls, event: NewEvent, head: Head, notes: Sequence[tuple[ThreadKey, Key, Entry]]
    ) -> "Lone":
        """Return an event whose thread has a link."""
        before, after = event.around_time()
        return cls(event, head, beginning(head.chain) + before, after, notes)

    def moved(self, chain: bytes) -> Moved:
        """Return what has moved, with the link of the event."""
        ledger = {thread: {key: entry} for thread, key, entry in self.notes}
        return Moved(1, self.event.position, [self.head.linked(chain)], ledger)


_OF_NOTHING = digest(b"")
