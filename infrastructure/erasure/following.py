"""Redactions that follow one that was asked for: of copies in forks, and of what its run holds.

They are appended while that one is pending: the process that completes it, after a crash say, first
appends those that are missing. They are carried out after it.
"""

from collections.abc import Iterator, Sequence

import psycopg

from agentlog.domain.catalogue import read_stored
from agentlog.domain.drafts import NO_ORIGIN, Origin
from agentlog.domain.errors import VersionConflict
from agentlog.domain.events import Event
from agentlog.domain.facts import RedactionPlace, ThreadRedacted
from agentlog.domain.identifiers import APPENDED_BY
from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import JsonObject, array_of, object_of, text_at
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.erasure.erased_events import LeftDigests
from agentlog.infrastructure.eventlog.body_deduplication import file_digests
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.binary_arrays import texts
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.queries import fetch
from agentlog.infrastructure.postgres.statements import statement
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.projections.exchanges import held_texts

MOST_MESSAGES = 1000
"""Most messages that one redaction names."""


def followed_into(database: Connections, tenant: str, thread_id: str) -> list[str]:
    """Return the threads in which redactions may follow one of a whole thread.

    Those are its forks, forks of those, and the threads with exchanges of its recorded run.
    """
    forks = [thread_id]
    with database.connection() as connection:
        for origin in forks:
            parameters = {"tenant": tenant, "thread_id": origin}
            forks += [
                fork for (fork,) in connection.execute(statement("select_forks_of"), parameters)
            ]
        parameters = {"tenant": tenant, "thread_id": thread_id}
        recorded = connection.execute(statement("select_recorded_threads"), parameters).fetchall()
    return list({*forks, *(other for (other,) in recorded)} - {thread_id})


class Following:
    """Appends what follows one pending redaction."""

    def __init__(
        self,
        database: Connections,
        writer: Writer,
        tenant: str,
        place: RedactionPlace,
        fact: ThreadRedacted,
    ) -> None:
        self._database = database
        self._writer = writer
        self._tenant = tenant
        self._place = place
        self._fact = fact
        reader = LogReader(database, tenant=tenant)
        (pending,) = reader.events(place.thread, after=place.version - 1, upto=place.version)
        author = text_at(pending.metadata or {}, APPENDED_BY)
        self._origin = NO_ORIGIN if author is None else Origin(appended_by=author)

    def append(self) -> list[str]:
        """Append redactions of all that is not erased; return the threads that they may be in."""
        threads = []
        if self._fact.blob is None:  # a file is redacted in all threads that hold it, forks or not
            origin = {"tenant": self._tenant, "thread_id": self._place.thread}
            for (fork,) in fetch(self._database, "select_forks_of", **origin):
                self._redact(fork, self._copies(fork))
                threads.append(fork)
        if self._fact.follows is None:
            held = HeldInRun(
                self._database, self._tenant, self._place.thread, self._place.version, self._fact
            )
            for thread_id in held.threads:
                self._redact(thread_id, held.messages_in(thread_id))
                threads.append(thread_id)
        return threads

    def _copies(self, fork: str) -> list[str]:
        """Return the messages of a fork that are copies of what is redacted."""
        copies = fetch(
            self._database,
            "select_copies_to_erase",
            tenant=self._tenant,
            thread_id=self._place.thread,
            version=self._place.version,
            message_ids=None if self._fact.all else list(self._fact.messages),
            fork=fork,
        )
        return [message_id for (message_id,) in copies]

    def _redact(self, thread_id: str, messages: Sequence[str]) -> None:
        for begin in range(0, len(messages), MOST_MESSAGES):
            while not self._is_appended(thread_id, messages[begin : begin + MOST_MESSAGES]):
                pass

    def _is_appended(self, thread_id: str, messages: Sequence[str]) -> bool:
        """Append a redaction of what no other one erases; False if the thread grew meanwhile."""
        with self._database.connection() as connection:
            version = present_version(connection, self._tenant, thread_id)
            parameters = {
                "tenant": self._tenant,
                "thread_id": thread_id,
                "message_ids": [*messages],
            }
            rows = connection.execute(statement("select_not_pending"), parameters).fetchall()
        if not rows:
            return True
        fact: JsonObject = {
            "type": "thread.redacted",
            "reason": self._fact.reason,
            "messages": [message_id for (message_id,) in rows],
            "follows": (self._fact.follows or self._place).model_dump(),
        }
        digests = LeftDigests(fact)
        with self._database.connection() as connection, connection.cursor(binary=True) as cursor:
            digests.go_on(cursor, self._tenant, thread_id, version)
        facts: list[JsonObject] = [{**fact, "left": [*digests.digests()]}]
        request = AppendRequest(
            self._tenant, thread_id, facts=facts, expected_version=version, origin=self._origin
        )
        try:
            self._writer.append(request)
        except VersionConflict:
            return False
        return True


_PAGE = 50
"""Events read at once: an exchange may be large."""


class HeldInRun:
    """Finds exchanges that hold what a redaction at a version erases, and messages that say it.

    Of a file only exchanges are found.
    """

    def __init__(
        self,
        database: Connections,
        tenant: str,
        thread_id: str,
        version: int,
        fact: ThreadRedacted,
    ) -> None:
        self._reader = LogReader(database, tenant=tenant)
        self._types = None if fact.blob is None else held_texts.EXCHANGES
        self._texts = held_texts.ErasedTexts()
        recorded = fetch(database, "select_recorded_threads", tenant=tenant, thread_id=thread_id)
        self.threads: Sequence[str] = [name for (name,) in recorded]
        """The threads of the run that have exchanges."""
        if not self.threads:
            return
        erased = (
            self._events(thread_id, upto=version - 1)
            if fact.all
            else (self._reader.message(thread_id, name, hidden=True) for name in fact.messages)
        )
        for event in erased:
            if fact.blob is None:
                self._texts.add_message(event)
            else:
                self._texts.add(_file(event, fact.blob))

    def messages_in(self, thread_id: str) -> list[str]:
        """Return the ids of what a thread of the run holds."""
        return [
            event.message_id
            for event in self._events(thread_id, types=self._types)
            if self._texts.are_held_by(event)
        ]

    def _events(
        self, thread_id: str, *, upto: int = BIGGEST, types: Sequence[str] | None = None
    ) -> Iterator[Event]:
        after = 0
        while page := self._reader.events(
            thread_id, after=after, upto=upto, types=types, limit=_PAGE
        ):
            yield from page
            after = page[-1].version


def _file(event: Event, digest: str) -> Iterator[str]:
    """Yield the data of a message's file of a SHA-256, in base64."""
    files = array_of(object_of(event.raw).get("files"))
    for file, known in zip(files, file_digests(event.raw), strict=True):
        if known == digest:
            yield str(object_of(file).get("data"))


def waiting_redactions(
    connection: psycopg.Connection, tenant: str | None
) -> list[tuple[str, str, int]]:
    """Return tenant, thread and version of each in the log's order; None is every tenant."""
    return connection.execute(statement("select_erasures_to_do"), {"tenant": tenant}).fetchall()


def pending_redaction(
    connection: psycopg.Connection, tenant: str, thread_id: str, version: int
) -> ThreadRedacted | None:
    """Return the redaction at a version if it is not carried out."""
    parameters = {"tenant": tenant, "thread_id": thread_id, "version": version}
    row = connection.execute(statement("select_redaction"), parameters).fetchone()
    if row is None:
        return None
    fact = read_stored("thread.redacted", parse_stored(row[0]))
    if not isinstance(fact, ThreadRedacted):
        raise TypeError(f"{thread_id} version {version} is no redaction that can be read")
    return fact


def present_version(connection: psycopg.Connection, tenant: str, thread_id: str) -> int:
    """Return the version of a thread, 0 where there is none."""
    parameters = {"tenants": texts([tenant]), "thread_ids": texts([thread_id])}
    row = connection.execute(statement("select_heads"), parameters).fetchone()
    return 0 if row is None else int(row[2])
