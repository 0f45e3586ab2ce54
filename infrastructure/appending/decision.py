"""Tentative decision of one request, applied only if every message passes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from domain.drafts import Prepared
from domain.facts import Fact
from domain.messages import Message
from domain.threads import PLAIN, Breach, Entry, Key, Thread, decide, mentions
from infrastructure.appending.append_request import Receipt, ThreadKey
from infrastructure.appending.commit_plan import NewEvent, Place
from infrastructure.eventlog.body_deduplication import Stored


class Accepted(NamedTuple):
    """A message that will be an event: its thread, version and position."""

    thread: ThreadKey
    version: int
    position: int
    prepared: Prepared
    stored: Stored

    def event(self, previous: bytes) -> NewEvent:
        """Return the event, with the previous link if that is known."""
        prepared = self.prepared
        return NewEvent(  # positional: keywords take twice as long
            *self.thread,
            self.version,
            self.position,
            prepared.message.type,
            prepared.message.id,
            self.stored,
            prepared.body_digest,
            previous,
            prepared.metadata,
        )


class Standing(NamedTuple):
    """A thread after the requests so far: its head without the chain."""

    thread: Thread
    position: int
    anomalies: int
    facts: bytes | None


@dataclass(slots=True)
class Trial:
    """One request being decided, message by message.

    `before` is the thread's standing before it, `places` those of the thread's ids, `ledger` the
    known entries of its calls, `noted` the entries that this request adds.
    """

    before: Standing
    places: Mapping[str, Place]
    ledger: Mapping[Key, Entry]
    position: int
    thread: Thread
    facts: bytes | None
    accepted: list[Accepted] = field(default_factory=list)
    own_places: dict[str, Place] = field(default_factory=dict)
    receipts: list[Receipt] = field(default_factory=list)
    breaches: list[tuple[str, Breach]] = field(default_factory=list)
    noted: dict[Key, Entry] = field(default_factory=dict)

    def decide(self, message: Message | Fact) -> tuple[Thread, Sequence[Breach]]:
        """Return the thread after a message, and the rules it broke; raises `RuleBroken`.

        Passes on only the ledger entries that the message mentions, as a ledger may be long.
        """
        if type(message) in PLAIN:
            return decide(self.thread, message)
        known = {
            key: entry
            for key in mentions(message)
            if (entry := self.noted.get(key) or self.ledger.get(key)) is not None
        }
        thread_id, version, policy, status, _ = self.thread
        after, breaches = decide(Thread(thread_id, version, policy, status, known), message)
        for key, entry in after.ledger.items():
            if known.get(key) is not entry:
                self.noted[key] = entry
        thread_id, version, policy, status, _ = after
        return Thread(thread_id, version, policy, status), breaches
