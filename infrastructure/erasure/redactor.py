"""What callers ask to have erased: messages, a thread's contents, a file; on record before it goes.

Each is a fact of its thread first. Whoever is answered finds the contents gone; a request that
breaks off may be sent again, and what is erased already is answered as before, without a new fact.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from domain.drafts import NO_ORIGIN, Origin
from domain.errors import AgentlogError, InvalidMessage
from domain.events import Event
from domain.facts import ThreadRedacted
from domain.json_text import JsonValue, parse_stored
from infrastructure.blobs import UnknownBlob
from infrastructure.cuts import files_in
from infrastructure.database import Connections
from infrastructure.erasure.eraser import Eraser
from infrastructure.erasure.errors import NothingToRedact, NotRedactable, UnknownFile
from infrastructure.sql import statement
from infrastructure.store import Store

MOST_MESSAGES = 1000
"""That one redaction names."""

_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_ALONE = frozenset({"thread.started", "thread.annotated", "thread.redacted"})
"""Facts that stay where only some messages are redacted."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """What was erased in a thread, and the place of the fact that says so.

    `messages` are ids, None where it was all there were; `events` counts those whose content went.
    `replayed` says that it had been erased before.
    """

    thread_id: str
    version: int
    position: int
    messages: tuple[str, ...] | None
    events: int
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class FileRedaction:
    """A file that was erased, and from which messages of which threads."""

    sha256: str
    threads: tuple[Redaction, ...]
    replayed: bool = False


class Redactor:
    """Erases contents of one tenant.

    `database` is the tenant's, `eraser` the service's. `forget` is told of each thread whose
    contents went, so that nothing of them is shown out of memory.
    """

    def __init__(
        self,
        database: Connections,
        store: Store,
        eraser: Eraser,
        *,
        tenant: str,
        forget: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._database = database
        self._store = store
        self._eraser = eraser
        self._tenant = tenant
        self._forget = forget

    def redact(
        self,
        thread_id: str,
        message_ids: Sequence[str] | None,
        reason: str,
        *,
        origin: Origin = NO_ORIGIN,
    ) -> Redaction:
        """Erase the contents of messages of a thread, or of all that is in it by now (None).

        Raises:
            InvalidMessage: the reason is missing.
            UnknownThread: there is no such thread.
            UnknownMessage: it has no such message.
            NotRedactable: a fact that is not erased by itself.
            NothingToRedact: no message is named, or too many.
        """
        fact = _fact(reason)
        self._store.thread(thread_id)
        self._eraser.finish_all(self._tenant)
        self._eraser.finish(self._tenant, thread_id)
        if message_ids is None:
            version = self._all_redacted_by(thread_id)
            fact["all"] = True
        else:
            version = self._redacted_by(thread_id, message_ids)
            fact["messages"] = list(dict.fromkeys(message_ids))
        if version is not None:
            position = self._position(thread_id, version)
            return self._redaction(thread_id, version, position, message_ids, replayed=True)
        appended = self._store.writer.append(
            self._store.request(thread_id, facts=[fact], origin=origin)
        )
        self._eraser.finish(self._tenant, thread_id)
        self._have_forgotten([thread_id])
        place = appended.messages[0]
        return self._redaction(thread_id, place.version, place.position, message_ids)

    def redact_file(
        self,
        sha256: str,
        reason: str,
        *,
        origin: Origin = NO_ORIGIN,
    ) -> FileRedaction:
        """Erase a file from all messages that hold it; the rest of them stays.

        Raises:
            InvalidMessage: the reason is missing.
            UnknownBlob: that is no SHA-256 in hexadecimal.
            UnknownFile: no message holds it as a file of its own.
        """
        fact = _fact(reason)
        if not _DIGEST.match(sha256):
            raise UnknownBlob(sha256)
        self._eraser.finish_all(self._tenant)
        holders = self._holders(sha256)
        if not holders:
            return self._erased_before(sha256)
        named = [
            (thread_id, ids[begin : begin + MOST_MESSAGES])
            for thread_id, ids in holders.items()
            for begin in range(0, len(ids), MOST_MESSAGES)
        ]
        requests = [
            self._store.request(
                thread_id,
                facts=[{**fact, "messages": ids, "blob": sha256}],
                origin=origin,
            )
            for thread_id, ids in named
        ]
        outcomes = self._store.append_many(requests)
        for thread_id in holders:
            self._eraser.finish(self._tenant, thread_id)
        self._have_forgotten(holders)
        done = []
        for outcome, (thread_id, ids) in zip(outcomes, named, strict=True):
            if isinstance(outcome, AgentlogError):
                raise outcome
            place = outcome.messages[0]
            done.append(self._redaction(thread_id, place.version, place.position, ids))
        return FileRedaction(sha256, tuple(done))

    def _all_redacted_by(self, thread_id: str) -> int | None:
        """Return the redaction of all that a thread has, None where there is something left."""
        known = [version for version, fact in self._redactions(thread_id).items() if fact.all]
        if not known:
            return None
        asked = {
            "tenant": self._tenant,
            "thread_id": thread_id,
            "after": 0,
            "before": self._store.thread(thread_id).version + 1,
            "message_ids": None,
            "limit": 1,
        }
        with self._database.connection() as connection:
            left = connection.execute(statement("select_erasable"), asked).fetchall()
        return None if left else max(known)

    def _redacted_by(self, thread_id: str, message_ids: Sequence[str]) -> int | None:
        """Return the last redaction of some messages, None where one of them is not erased."""
        if not 0 < len(message_ids) <= MOST_MESSAGES:
            raise NothingToRedact(
                f"name at least one message and at most {MOST_MESSAGES}, or redact the whole thread"
            )
        events = [self._store.message(thread_id, each) for each in message_ids]
        for event in events:
            if event.type in _ALONE:
                raise NotRedactable(thread_id, event.message_id, event.type)
        facts = self._redactions(thread_id)
        if any(not _is_erased(event, facts) for event in events):
            return None
        return max(event.redacted or 0 for event in events)

    def _redactions(self, thread_id: str) -> Mapping[int, ThreadRedacted]:
        events = self._store.messages(thread_id, types=["thread.redacted"])
        return {
            event.version: event.message
            for event in events
            if isinstance(event.message, ThreadRedacted)
        }

    def _holders(self, sha256: str) -> dict[str, list[str]]:
        """Return the messages that hold a file, by their threads."""
        digest = bytes.fromhex(sha256)
        with self._database.connection() as connection, connection.cursor(binary=True) as cursor:
            rows = cursor.execute(
                statement("select_holders"), {"tenant": self._tenant, "digest": digest}
            ).fetchall()
        found: dict[str, list[str]] = {}
        for thread_id, message_id, cuts in rows:
            if digest in files_in(cuts):
                found.setdefault(thread_id, []).append(message_id)
        return found

    def _erased_before(self, sha256: str) -> FileRedaction:
        with self._database.connection() as connection, connection.cursor(binary=True) as cursor:
            rows = cursor.execute(
                statement("select_file_redactions"), {"tenant": self._tenant, "blob": sha256}
            ).fetchall()
        if not rows:
            raise UnknownFile(sha256)
        return FileRedaction(
            sha256,
            tuple(
                self._redaction(
                    thread_id, version, position, parse_stored(body)["messages"], replayed=True
                )
                for thread_id, version, position, body in rows
            ),
            replayed=True,
        )

    def _redaction(
        self,
        thread_id: str,
        version: int,
        position: int,
        message_ids: Sequence[str] | None,
        *,
        replayed: bool = False,
    ) -> Redaction:
        asked = {"tenant": self._tenant, "thread_id": thread_id, "version": version}
        with self._database.connection() as connection:
            row = connection.execute(statement("select_redacted_by"), asked).fetchone()
        events = 0 if row is None else int(row[0])
        ids = None if message_ids is None else tuple(dict.fromkeys(message_ids))
        return Redaction(thread_id, version, position, ids, events, replayed)

    def _position(self, thread_id: str, version: int) -> int:
        asked = {"tenant": self._tenant, "thread_id": thread_id, "version": version}
        with self._database.connection() as connection:
            row = connection.execute(statement("select_position"), asked).fetchone()
        return 0 if row is None else int(row[0])

    def _have_forgotten(self, thread_ids: Sequence[str] | Mapping[str, object]) -> None:
        for thread_id in thread_ids:
            self._forget(thread_id)


def _fact(reason: str) -> dict[str, JsonValue]:
    if not reason.strip():
        raise InvalidMessage.at("reason", "say why: whoever audits the log will ask")
    return {"type": "thread.redacted", "reason": reason}


def _is_erased(event: Event, facts: Mapping[int, ThreadRedacted]) -> bool:
    """Tell whether all of a message's content is gone, and not just a file."""
    fact = None if event.redacted is None else facts.get(event.redacted)
    return fact is not None and fact.blob is None
