"""Erases the contents of a redaction from its events, within the caller's transaction."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.catalogue import read_stored
from agentlog.domain.drafts import Prepared
from agentlog.domain.facts import ThreadRedacted
from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import JsonValue, texts_of
from agentlog.domain.messages import InputMessage
from agentlog.domain.redaction import (
    UNCHANGED,
    left_digest,
    redacted_body,
    redacted_metadata,
    without_files,
)
from agentlog.infrastructure.eventlog.blob_store import read_contents
from agentlog.infrastructure.eventlog.body_deduplication import (
    Digest,
    Stored,
    file_digests,
    stored,
    whole,
)
from agentlog.infrastructure.postgres.binary_arrays import byte_strings, integers
from agentlog.infrastructure.postgres.statements import statement

_PAGE_EVENTS = 200


@dataclass(frozen=True, slots=True)
class Erasure:
    """The scope of a redaction at `version` of a thread: `messages`, or all events (None).

    With `file`, only that file is erased from them.
    """

    tenant: str
    thread_id: str
    version: int
    messages: tuple[str, ...] | None
    file: Digest | None = None

    @classmethod
    def of(cls, tenant: str, thread_id: str, version: int, fact: ThreadRedacted) -> "Erasure":
        """Return the scope of a redaction at `version` of a thread."""
        file = None if fact.blob is None else bytes.fromhex(fact.blob)
        return cls(tenant, thread_id, version, None if fact.all else fact.messages, file)


@dataclass(frozen=True, slots=True)
class ErasedEvent:
    """An event after erasure: its whole body, and its metadata."""

    version: int
    message_id: str
    body: bytes
    metadata: bytes | None

    @property
    def digest(self) -> bytes:
        """The digest of what is left, as the redaction records it."""
        return left_digest(self.body, self.metadata)


def erase_events(connection: psycopg.Connection, erasure: Erasure) -> None:
    """Replace the bodies of redacted events, or remove only its file from them."""
    with connection.cursor(binary=True) as cursor:
        for events in erased_pages(cursor, erasure):
            _write(cursor, erasure, events)


def erased_pages(
    cursor: psycopg.Cursor[TupleRow], erasure: Erasure, *, after: int = 0
) -> Iterator[list[ErasedEvent]]:
    """Yield the events that an erasure still has to change, as erased, by version, in pages.

    Only those after `after`; a binary cursor is needed.
    """
    while rows := _page(cursor, erasure, after):
        events = []
        for version, type_name, message_id, rest, cuts, metadata in rows:
            if erasure.file is not None and (cuts is None or erasure.file not in cuts):
                continue
            body = rest
            if cuts is not None:  # a cut may be in what stays
                body = whole(rest, cuts, read_contents(cursor, erasure.tenant, [cuts])).body
            if erasure.file is None:
                left = redacted_body(type_name, message_id, body), redacted_metadata(metadata)
            else:
                left = _without(body, erasure.file), metadata
            events.append(ErasedEvent(version, message_id, *left))
        if events:
            yield events
        after = rows[-1][0]


def named_messages(fact: Mapping[str, JsonValue]) -> list[str] | None:
    """Return the ids of the messages that a redaction names; None where it is of all."""
    names = fact.get("messages")
    return None if names is None else texts_of(names)


class LeftDigests:
    """Digests of what a redaction leaves, see `ThreadRedacted`; computed up to a version."""

    def __init__(self, fact: Mapping[str, JsonValue]) -> None:
        self._named = named_messages(fact)
        self._file = bytes.fromhex(str(fact["blob"])) if "blob" in fact else None
        self._of_all = sha256()
        self._by_id: dict[str, bytes] = {}
        self._version = 0

    def go_on(
        self, cursor: psycopg.Cursor[TupleRow], tenant: str, thread_id: str, version: int
    ) -> None:
        """Add the redaction's events up to a version; a binary cursor is needed."""
        messages = None if self._named is None else tuple(self._named)
        erasure = Erasure(tenant, thread_id, version + 1, messages, self._file)
        for event in chain.from_iterable(erased_pages(cursor, erasure, after=self._version)):
            if messages is None:
                self._of_all.update(event.digest)
            else:
                self._by_id[event.message_id] = event.digest
        self._version = version

    def digests(self) -> list[str]:
        """Return the digests; zeros for events of other redactions."""
        if self._named is None:
            return [self._of_all.hexdigest()]
        left = {message_id: digest.hex() for message_id, digest in self._by_id.items()}
        return [left.get(message_id, UNCHANGED) for message_id in self._named]


def _page(cursor: psycopg.Cursor[TupleRow], erasure: Erasure, after: int) -> list[TupleRow]:
    parameters = {
        "tenant": erasure.tenant,
        "thread_id": erasure.thread_id,
        "after": after,
        "before": erasure.version,
        "message_ids": None if erasure.messages is None else list(erasure.messages),
        "limit": _PAGE_EVENTS,
    }
    return cursor.execute(statement("select_erasable"), parameters).fetchall()


def _without(body: bytes, file: Digest) -> bytes:
    """Return an input's body without a file."""
    raw = parse_stored(body)
    places = [place for place, digest in enumerate(file_digests(raw)) if digest == file.hex()]
    return without_files(body, places)


def _cut_files(erasure: Erasure, body: bytes) -> Stored:
    """Return a body as it is stored, with its other files cut out as before."""
    if erasure.file is None:
        return Stored(body)
    message = read_stored("input", parse_stored(body))
    if not isinstance(message, InputMessage):
        raise TypeError("an input without one of its files is an input")
    return stored(
        Prepared(
            message=message,
            body=body,
            body_digest=b"",
            left=b"",
            metadata=None,
            id_given=True,
            timestamp_given=True,
        )
    )


def _write(cursor: psycopg.Cursor[TupleRow], erasure: Erasure, events: list[ErasedEvent]) -> None:
    left = [_cut_files(erasure, event.body) for event in events]
    cursor.execute(
        statement("redact_events"),
        {
            "tenant": erasure.tenant,
            "thread_id": erasure.thread_id,
            "version": erasure.version,
            "versions": integers([event.version for event in events]),
            "bodies": byte_strings([body.body for body in left]),
            "cuts": byte_strings([body.cuts for body in left]),
            "metadata": byte_strings([event.metadata for event in events]),
        },
    )
