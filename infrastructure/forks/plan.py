"""The plan of a fork: the events that it begins with, and the thread as they leave it; pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agentlog.domain.catalogue import MESSAGE_TYPES
from agentlog.domain.drafts import Prepared
from agentlog.domain.errors import RuleBroken
from agentlog.domain.events import Event
from agentlog.domain.facts import Fact, ForkedFrom
from agentlog.domain.integrity.hash_chain import digest
from agentlog.domain.messages import LogMessage, Message, TickMessage
from agentlog.domain.threads import PLAIN, LedgerEntry, LedgerKey, Thread, decide, mentions

RULED = frozenset(name for name, model in MESSAGE_TYPES.items() if model not in PLAIN)
"""Types of messages that the thread's rules have to read; of the others they know the type."""

_ANY = TickMessage(id="0" * 26, timestamp=0)
_LOG = LogMessage(id="0" * 26, timestamp=0, text="")


class Original(NamedTuple):
    """A message of the origin, with digests in place of its contents.

    `redacted` is the version of the origin's redaction that erased its content.
    """

    version: int
    type: str
    message_id: str
    body_digest: bytes
    left: bytes | None
    metadata_digest: bytes
    redacted: int | None


class ForkEvent(NamedTuple):
    """An event that a fork begins with, copied or `added` by it.

    `origin_version` is the origin's version that it stands at, None for a fact of the fork's own;
    `redacted` the version of the fork's redaction that names it.
    """

    version: int
    type: str
    message_id: str
    body_digest: bytes
    left: bytes | None
    metadata_digest: bytes
    origin_version: int | None
    redacted: int | None = None
    added: Prepared | None = None


class ForkPlan:
    """The events of a fork, in order, and the thread's rules as they leave them."""

    def __init__(self, thread_id: str) -> None:
        self.thread = Thread(thread_id)
        self.events: list[ForkEvent] = []
        self.ledger: dict[LedgerKey, LedgerEntry] = {}
        self.anomalies = 0

    def add(self, prepared: Prepared, origin_version: int | None = None) -> None:
        """Add a fact of the fork, or a message that an edit puts at a version of the origin."""
        self._decide(prepared.message)
        self.events.append(
            ForkEvent(
                len(self.events) + 1,
                prepared.message.type,
                prepared.message.id,
                prepared.body_digest,
                prepared.left,
                digest(prepared.metadata or b""),
                origin_version,
                added=prepared,
            )
        )

    def copy(self, original: Original, event: Event | None) -> None:
        """Add a message of the origin; its `event` if it is of a type in `RULED`."""
        if event is not None and event.message is not None:
            self._decide(event.message)
        elif event is None and self.thread.status != "open":
            self._decide(_LOG if original.type == "log" else _ANY)
        version, type_name, message_id, body_digest, left, metadata_digest, redacted = original
        self.events.append(
            ForkEvent(  # positional: keywords take twice as long
                len(self.events) + 1,
                type_name,
                message_id,
                body_digest,
                left,
                metadata_digest,
                version,
                redacted,
            )
        )

    def lay_out(
        self,
        origin: ForkedFrom,
        originals: Mapping[int, Original],
        ruled: Mapping[int, Event],
        added: Sequence[Prepared | None],
    ) -> None:
        """Add the origin's messages, edited; `added` has what each edit puts in.

        Raises:
            RuleBroken: under policy strict, the edits leave what a message answers out.
        """
        for version, index in origin.layout(originals):
            prepared = None if index is None else added[index]
            try:
                if prepared is None:
                    self.copy(originals[version], ruled.get(version))
                else:
                    self.add(prepared, version)
            except RuleBroken as error:
                place = f"version {version} of the origin" if index is None else f"edits[{index}]"
                raise error.within(place) from error

    def mark(self, redactions: Mapping[int, int]) -> None:
        """Mark erased messages by the fork's redactions, given by their versions in the origin."""
        self.events = [
            event._replace(redacted=redactions[event.origin_version])
            if event.redacted is not None and event.origin_version is not None
            else event
            for event in self.events
        ]

    def _decide(self, message: Message | Fact) -> None:
        known = {key: self.ledger[key] for key in mentions(message) if key in self.ledger}
        before = self.thread._replace(version=len(self.events), ledger=known)
        after, breaches = decide(before, message)
        self.ledger.update(after.ledger)
        self.anomalies += len(breaches)
        self.thread = after
