"""Requests to erase messages, a thread's contents, or a file; each is recorded before it is done.

Each is first a fact of its thread. When a request returns, the contents are gone. A request that
fails may be sent again; what is erased already gets the same answer, without a new fact.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agentlog.domain.drafts import NO_ORIGIN, Origin
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.events import Event
from agentlog.domain.facts import ThreadRedacted
from agentlog.domain.json.answers import answer
from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import JsonObject, JsonValue, object_of
from agentlog.domain.redaction import ONLY_WITH_ALL
from agentlog.infrastructure.erasure.erased_events import named_messages
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.errors import NothingToRedact, NotRedactable, UnknownFile
from agentlog.infrastructure.erasure.following import MOST_MESSAGES
from agentlog.infrastructure.eventlog.blob_store import UnknownBlob
from agentlog.infrastructure.eventlog.body_deduplication import files_in
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.queries import fetch
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.threads import Threads

_DIGEST = re.compile(r"[0-9a-f]{64}\Z")


@answer
@dataclass(frozen=True, slots=True)
class Redaction:
    """The place of the fact that says what was erased.

    `messages` is null for all of the thread, `events` counts whose content went; with it went
    `exchanges` of recorded runs that held it, and `others` that say the same: copies in forks too.
    """

    thread_id: str
    version: int
    position: int
    messages: tuple[str, ...] | None
    events: int
    exchanges: int
    others: int
    replayed: bool


@answer
@dataclass(frozen=True, slots=True)
class FileRedaction:
    """Which file was erased, and from which messages."""

    sha256: str
    threads: tuple[Redaction, ...]
    replayed: bool


class Redactor:
    """Erases contents of one tenant.

    `database` is the tenant's, `eraser` the service's. `discard` is called with each thread whose
    contents were erased, to clear them from memory.
    """

    def __init__(
        self,
        database: Connections,
        threads: Threads,
        eraser: Eraser,
        *,
        tenant: str,
        discard: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._database = database
        self._threads = threads
        self._eraser = eraser
        self._tenant = tenant
        self._discard = discard

    def redact(
        self,
        thread_id: str,
        message_ids: Sequence[str] | None,
        reason: str,
        *,
        origin: Origin = NO_ORIGIN,
    ) -> Redaction:
        """Erase the contents of some messages of a thread, or of all its present ones (None).

        Raises:
            InvalidMessage: the reason is missing.
            UnknownThread: there is no such thread.
            UnknownMessage: it has no such message.
            NotRedactable: a fact that is not erased by itself.
            NothingToRedact: no message is named, or too many.
        """
        fact = _fact(reason)
        self._threads.head(thread_id, hidden=True)
        self._eraser.finish_all(self._tenant)
        self._eraser.finish(self._tenant, thread_id)
        if message_ids is None:
            version = self._all_redacted_by(thread_id)
            fact["all"] = True
        else:
            version = self._last_redaction_of(thread_id, message_ids)
            fact["messages"] = list(dict.fromkeys(message_ids))
        if version is not None:
            self._discard(thread_id)  # the first time it may have failed
            position = self._position(thread_id, version)
            return self._redaction(thread_id, version, position, message_ids, replayed=True)
        return self._erase(thread_id, fact, origin)

    def expire(self, thread_id: str, version: int, reason: str) -> Redaction:
        """Erase the contents of a thread as it stands at a version, and nothing in other threads.

        Raises:
            VersionConflict: it has grown; nothing is erased.
        """
        fact = {**_fact(reason), "all": True, "alone": True}
        return self._erase(thread_id, fact, NO_ORIGIN, expected_version=version)

    def unfinished(self) -> list[str]:
        """Return the threads whose redactions are recorded and not carried out."""
        return list(dict.fromkeys(waiting[1] for waiting in self._eraser.waiting(self._tenant)))

    def finish(self, thread_id: str) -> None:
        """Carry out the redactions of a thread that are recorded."""
        self._eraser.finish(self._tenant, thread_id)
        self._discard(thread_id)

    def redact_file(self, sha256: str, reason: str, *, origin: Origin = NO_ORIGIN) -> FileRedaction:
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
            return self._earlier_erasure(sha256)
        done = [
            self._erase(
                thread_id,
                {**fact, "messages": [*ids[begin : begin + MOST_MESSAGES]], "blob": sha256},
                origin,
            )
            for thread_id, ids in holders.items()
            for begin in range(0, len(ids), MOST_MESSAGES)
        ]
        return FileRedaction(sha256, tuple(done), replayed=False)

    def _erase(
        self,
        thread_id: str,
        fact: JsonObject,
        origin: Origin,
        *,
        expected_version: int | None = None,
    ) -> Redaction:
        place = self._eraser.redact(
            self._tenant, thread_id, fact, origin=origin, expected_version=expected_version
        )
        self._discard(thread_id)
        named = named_messages(fact)
        return self._redaction(thread_id, place.version, place.position, named)

    def _all_redacted_by(self, thread_id: str) -> int | None:
        """Return the version of the redaction of a whole thread, None if contents may be left.

        After one that was `alone`, copies in forks may be.
        """
        known = [
            version
            for version, fact in self._redactions(thread_id).items()
            if fact.all and not fact.alone
        ]
        if not known:
            return None
        left = fetch(
            self._database,
            "select_erasable",
            tenant=self._tenant,
            thread_id=thread_id,
            after=0,
            before=self._threads.head(thread_id, hidden=True).version + 1,
            message_ids=None,
            limit=1,
        )
        return None if left else max(known)

    def _last_redaction_of(self, thread_id: str, message_ids: Sequence[str]) -> int | None:
        """Return the last redaction of some messages, None if one of them is not erased."""
        if not 0 < len(message_ids) <= MOST_MESSAGES:
            raise NothingToRedact(
                f"name at least one message and at most {MOST_MESSAGES}, or redact the whole thread"
            )
        events = [
            self._threads.message(thread_id, message_id, hidden=True) for message_id in message_ids
        ]
        for event in events:
            if event.type in ONLY_WITH_ALL:
                raise NotRedactable(thread_id, event.message_id, event.type)
        facts = self._redactions(thread_id)
        if any(not _is_erased(event, facts) for event in events):
            return None
        return max(event.redacted or 0 for event in events)

    def _redactions(self, thread_id: str) -> Mapping[int, ThreadRedacted]:
        events = self._threads.messages(thread_id, types=["thread.redacted"], hidden=True)
        return {
            event.version: event.message
            for event in events
            if isinstance(event.message, ThreadRedacted)
        }

    def _holders(self, sha256: str) -> dict[str, list[str]]:
        """Return the messages that hold a file, by thread."""
        digest = bytes.fromhex(sha256)
        with self._database.connection() as connection, connection.cursor(binary=True) as cursor:
            rows = cursor.execute(
                statement("select_holders"), {"tenant": self._tenant, "digest": digest}
            ).fetchall()
        by_thread: dict[str, list[str]] = {}
        for thread_id, message_id, cuts in rows:
            if digest in files_in(cuts):
                by_thread.setdefault(thread_id, []).append(message_id)
        return by_thread

    def _earlier_erasure(self, sha256: str) -> FileRedaction:
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
                    thread_id,
                    version,
                    position,
                    named_messages(object_of(parse_stored(body))),
                    replayed=True,
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
        parameters: dict[str, object] = {
            "tenant": self._tenant,
            "thread_id": thread_id,
            "version": version,
        }
        with self._database.connection() as connection:
            row = connection.execute(statement("select_redacted_by"), parameters).fetchone() or (0,)
            parameters["position"] = position
            followed = connection.execute(statement("select_followed"), parameters).fetchone() or (
                0,
                0,
            )
        ids = None if message_ids is None else tuple(dict.fromkeys(message_ids))
        (events,), (exchanges, others) = row, followed
        return Redaction(
            thread_id, version, position, ids, events, exchanges, others, replayed=replayed
        )

    def _position(self, thread_id: str, version: int) -> int:
        place = {"tenant": self._tenant, "thread_id": thread_id, "version": version}
        return next((int(row[0]) for row in fetch(self._database, "select_position", **place)), 0)


def _fact(reason: str) -> dict[str, JsonValue]:
    if not reason.strip():
        raise InvalidMessage.at("reason", "give a reason: an audit of the log shows it")
    return {"type": "thread.redacted", "reason": reason}


def _is_erased(event: Event, facts: Mapping[int, ThreadRedacted]) -> bool:
    """Return whether all of a message's content is erased, and not only a file."""
    fact = None if event.redacted is None else facts.get(event.redacted)
    return fact is not None and fact.blob is None
