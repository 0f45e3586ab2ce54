"""Data passed between deciding and writing: the known state of the log, and its changes."""

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
    """Version and position of a message id that its thread already has."""

    version: int
    position: int
    body_digest: bytes


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a transaction has to read: heads, ledger entries, places of ids."""

    threads: Sequence[ThreadKey]
    keys: Sequence[tuple[ThreadKey, Key]] = ()
    ids: Sequence[tuple[str, str, str]] = ()


class Assumed(NamedTuple):
    """Ledger entries and ids of callers assumed absent; the statement verifies.

    Generated ids are unique and need no check.
    """

    entries: frozenset[tuple[ThreadKey, Key]] = frozenset()
    ids: Sequence[tuple[str, str, str]] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """Known state of the log at `position`, from which appends are decided.

    `heads` has every thread that was wanted (a new one at version 0), `ledger` and `places` those
    of the wanted keys and ids that exist.
    """

    position: int
    heads: Mapping[ThreadKey, Head]
    ledger: Mapping[ThreadKey, Mapping[Key, Entry]] = field(default_factory=dict)
    places: Mapping[tuple[str, str, str], Place] = field(default_factory=dict)


class NewEvent(NamedTuple):
    """An event as it will be stored.

    `chain` is its link; before that is computed, the previous link, empty for the first event.
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
        """Return what its link covers before the time (after the previous link), and after it."""
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
        """Return it with its link at a time, which is of `time_in_link`."""
        before, after = self.around_time()
        # positional: `_replace` takes twice as long
        return NewEvent(*self[:8], link_at(self.chain, before, time, after), self.metadata)


class Moved(NamedTuple):
    """The result of a commit: how many events it wrote, and the heads after it."""

    events: int
    position: int
    heads: Sequence[Head]
    ledger: Mapping[ThreadKey, Mapping[Key, Entry]] = {}


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of one commit: new events, heads after it, ledger entries.

    Without `recorded_at` PostgreSQL sets the time and computes the links: `follows` says for each
    event which of these, from 1, precedes it in its thread, None where that one is already stored.
    """

    recorded_at: datetime | None
    events: Sequence[NewEvent]
    heads: Sequence[Head]
    ledger: Mapping[ThreadKey, Mapping[Key, Entry]] = field(default_factory=dict)
    follows: Sequence[int | None] = ()

    @property
    def position(self) -> int:
        """The log's position after the commit."""
        return self.events[-1].position

    @property
    def size(self) -> int:
        """Bytes of the bodies, with the contents cut out of them, and metadata."""
        return sum(
            [len(each.stored.body) + len(each.metadata or b"") for each in self.events]
        ) + sum([len(content) for each in self.events for _, content in each.stored.blobs])

    @property
    def lasts(self) -> list[int]:
        """Return the number, from 1, of the last event of each head's thread."""
        found = {(each.tenant, each.thread_id): n for n, each in enumerate(self.events, 1)}
        return [found[head.tenant, head.thread_id] for head in self.heads]

    def moved(self, chains: Sequence[bytes] | None = None) -> Moved:
        """Return the result, with the events' links where PostgreSQL has computed them."""
        heads = self.heads
        if chains is not None:
            last = zip(heads, self.lasts, strict=True)
            heads = [head.linked(chains[number - 1]) for head, number in last]
        return Moved(len(self.events), self.position, heads, self.ledger)


class Lone(NamedTuple):
    """The only message of a commit, without its time, and its thread's head.

    PostgreSQL sets the time. Event and head have the previous link; the new one covers `before`,
    the time, and `after`.
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
        """Return the append of an event whose thread has a link."""
        before, after = event.around_time()
        return cls(event, head, beginning(head.chain) + before, after, notes)

    def moved(self, chain: bytes) -> Moved:
        """Return the result, with the event's link."""
        ledger = {thread: {key: entry} for thread, key, entry in self.notes}
        return Moved(1, self.event.position, [self.head.linked(chain)], ledger)


_OF_NOTHING = digest(b"")
