"""Evidence bundles: a thread with all its proofs as one file.

The chain leads from the thread's first event to its last, whose link covers them all; the proof
that this link is in the checkpoint covers them too. So one proof of inclusion is enough.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from domain.json.text import JsonValue, print_text
from infrastructure.audit.checkpoints import Checkpoints, Inclusion, SignedCheckpoint
from infrastructure.audit.notes import VerifierKey, origin_of, to_base64
from infrastructure.audit.records import StoredEvent, stored_events
from infrastructure.eventlog.reader import LogReader
from infrastructure.eventlog.thread_heads import Head
from infrastructure.postgres.database import Connections

FORMAT = "agentlog-evidence-1"
"""Format name in a bundle; see docs/reference/proof.md."""


class Evidence:
    """Writes bundles of one tenant's threads."""

    def __init__(self, database: Connections, checkpoints: Checkpoints, *, tenant: str) -> None:
        self._database = database
        self._checkpoints = checkpoints
        self._tenant = tenant
        self._reader = LogReader(database, tenant=tenant)

    def of_thread(self, thread_id: str) -> Iterator[str]:
        """Yield the bundle of a thread as it is now, in pieces of text.

        A checkpoint is made if none covers the thread's last event yet.

        Raises:
            UnknownThread: there is none.
            NoSigningKey: a checkpoint is needed, and there is no key.
            LogContradicted: there is no proof, because the log was changed.
        """
        head = self._reader.head(thread_id)
        checkpoint = self._covering(head.position)
        inclusion = self._checkpoints.inclusion_of(head.position, head.chain, checkpoint)
        yield _opening(self._tenant, head, inclusion)
        comma = ""
        with (
            self._database.connection() as connection,
            connection.cursor(binary=True) as cursor,
        ):
            for event in stored_events(cursor, self._tenant, thread_id):
                if event.version > head.version:
                    break  # appended since
                yield f"{comma}\n{print_text(_event_json(event))}"
                comma = ","
        yield "\n]}\n"

    def _covering(self, position: int) -> SignedCheckpoint:
        latest = self._checkpoints.largest()
        if latest is not None and latest.position >= position:
            return latest
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
            "path": [to_base64(each) for each in inclusion.path],
        },
        "checkpoint": checkpoint.note,
        "publicKey": VerifierKey(origin_of(tenant), checkpoint.public_key).text,
    }
    return f'{print_text(facts)[:-1]},"events":['


def _event_json(event: StoredEvent) -> JsonValue:
    body, metadata = event.chained_body, event.chained_metadata
    return {
        "version": event.version,
        "position": event.position,
        "type": event.type,
        "messageId": event.message_id,
        "recordedAt": bundle_time(event.recorded_at),
        "body": None if body is None else to_base64(body),
        "bodySha256": event.body_digest.hex(),
        "metadata": None if metadata is None else to_base64(metadata),
        "chain": event.chain.hex(),
        **(
            {}
            if event.redacted is None
            else {"redacted": event.redacted, "metadataSha256": event.metadata_digest.hex()}
        ),
    }


def bundle_time(time: datetime | None) -> str | None:
    """Return a time as bundles have it, to the microsecond."""
    return None if time is None else time.astimezone(UTC).isoformat(timespec="microseconds")
