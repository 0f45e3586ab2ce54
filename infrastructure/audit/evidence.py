"""A thread's events as they were chained: pages of them, and evidence bundles.

A bundle is a thread with all its proofs as one file. The chain leads from the thread's first event
to its last, whose link covers them all; the proof that this link is in the checkpoint covers them
too. So one proof of inclusion is enough.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NotRequired

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from agentlog.domain.integrity.hash_chain import GENESIS
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.audit.checkpoints import (
    Checkpoints,
    Inclusion,
    NotCovered,
    SignedCheckpoint,
    UnknownCheckpoint,
)
from agentlog.infrastructure.audit.notes import VerifierKey, origin_of, to_base64
from agentlog.infrastructure.audit.records import (
    LOWEST,
    PAGE_BYTES,
    PAGE_EVENTS,
    StoredEvent,
    log_snapshot,
    stored_events,
)
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.postgres.database import Connections

FORMAT = "agentlog-evidence-1"
"""Format name in a bundle; see docs/reference/proof.md."""


@with_config(ConfigDict(extra="forbid", strict=True))
class ChainedEvent(TypedDict):
    """An event with all that its link covers, except tenant, thread and the link before.

    `body` and `metadata` are base64 of the exact bytes, null if erased or absent; `bodySha256` and
    `chain`, the link, are hexadecimal. `redacted` is the version of the redaction that erased it;
    only then `metadataSha256` is there. `leftSha256` has digests of what a redaction may leave, in
    hexadecimal; events of versions before 0.20.0 have none.
    """

    version: int
    position: int
    type: str
    messageId: str
    recordedAt: str | None
    body: str | None
    bodySha256: str
    metadata: str | None
    chain: str
    redacted: NotRequired[int]
    metadataSha256: NotRequired[str]
    leftSha256: NotRequired[str]


@dataclass(frozen=True, slots=True)
class ChainPage:
    """Some of a thread's events by version, and its head.

    `after` is the version before them, `previous` the link there; None where the log has none.
    """

    head: Head
    after: int
    previous: bytes | None
    events: Sequence[ChainedEvent]


class Evidence:
    """Shows one tenant's threads as they were chained."""

    def __init__(self, database: Connections, checkpoints: Checkpoints, *, tenant: str) -> None:
        self._database = database
        self._checkpoints = checkpoints
        self._tenant = tenant
        self._reader = LogReader(database, tenant=tenant)

    def page(self, thread_id: str, *, after: int, limit: int) -> ChainPage:
        """Return at most `limit` events beyond a version, fewer if they are large.

        Raises:
            UnknownThread: there is none.
        """
        head = self._reader.head(thread_id, hidden=True)
        previous = self._reader.chain_of(head, after) if after else GENESIS
        first = after + 1 if after else LOWEST
        return ChainPage(head, after, previous, self._events(head, first, limit))

    def of_thread(self, thread_id: str, *, signing: bool) -> Iterator[str]:
        """Yield the bundle of a thread as it is now, in pieces of text.

        If no checkpoint covers the thread's last event yet, one is made where `signing`, and the
        database takes writes.

        Raises:
            UnknownThread: there is none.
            UnknownCheckpoint, NotCovered: none is made, and no checkpoint covers it.
            NoSigningKey: a checkpoint is needed, and there is no key.
            LogContradicted: there is no proof, because the log was changed.
        """
        head = self._reader.head(thread_id, hidden=True)
        checkpoint = self._covering(head.position, signing=signing)
        inclusion = self._checkpoints.inclusion_of(head.position, head.chain, checkpoint)
        yield _opening(self._tenant, head, inclusion)
        comma, first = "\n", LOWEST
        # a connection for each page, so that a slow reader holds none
        while events := self._events(head, first, PAGE_EVENTS):
            yield comma + ",\n".join(map(print_text, events))
            comma, first = ",\n", events[-1]["version"] + 1
        yield "\n]}\n"

    def _events(self, head: Head, first: int, limit: int) -> Sequence[ChainedEvent]:
        """Return events from a version up to the head; at least one if there is one."""
        events: list[ChainedEvent] = []
        size = 0
        with log_snapshot(self._database) as cursor:
            for event in stored_events(
                cursor, self._tenant, head.thread_id, first=first, limit=limit
            ):
                if event.version > head.version:
                    break  # appended since
                events.append(_chained_event(event))
                size += len(event.body)
                if len(events) == limit or size >= PAGE_BYTES:
                    break
        return events

    def _covering(self, position: int, *, signing: bool) -> SignedCheckpoint:
        try:
            return self._checkpoints.covering(position)
        except (UnknownCheckpoint, NotCovered):
            if not signing or not self._checkpoints.can_grow:
                raise
            return self._checkpoints.make()


def _opening(tenant: str, head: Head, inclusion: Inclusion) -> str:
    """Return the beginning of the bundle, up to its events."""
    checkpoint = inclusion.checkpoint
    facts: dict[str, JsonValue] = {
        "format": FORMAT,
        "tenant": tenant,
        "threadId": head.thread_id,
        "version": head.version,
        "inclusion": {
            "leafIndex": inclusion.index,
            "treeSize": checkpoint.size,
            "path": [to_base64(digest) for digest in inclusion.path],
        },
        "checkpoint": checkpoint.note,
        "publicKey": VerifierKey(origin_of(tenant), checkpoint.public_key).text,
    }
    return f'{print_text(facts)[:-1]},"events":['


def _chained_event(event: StoredEvent) -> ChainedEvent:
    body, metadata = event.chained_body, event.chained_metadata
    chained: ChainedEvent = {
        "version": event.version,
        "position": event.position,
        "type": event.type,
        "messageId": event.message_id,
        "recordedAt": bundle_time(event.recorded_at),
        "body": None if body is None else to_base64(body),
        "bodySha256": event.body_digest.hex(),
        "metadata": None if metadata is None else to_base64(metadata),
        "chain": event.chain.hex(),
    }
    if event.redacted is not None:
        chained["redacted"] = event.redacted
        chained["metadataSha256"] = event.metadata_digest.hex()
    if event.left is not None:
        chained["leftSha256"] = event.left.hex()
    return chained


def bundle_time(time: datetime | None) -> str | None:
    """Return a time as bundles have it, to the microsecond."""
    return None if time is None else time.astimezone(UTC).isoformat(timespec="microseconds")
