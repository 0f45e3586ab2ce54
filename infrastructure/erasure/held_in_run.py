"""What a recorded run holds of what a redaction erases in one of its threads."""

from collections.abc import Iterator, Sequence

from agentlog.domain.events import Event
from agentlog.domain.facts import ThreadRedacted
from agentlog.domain.json.values import array_of, object_of
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.eventlog.body_deduplication import file_digests
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement
from agentlog.projections.exchanges.held_texts import EXCHANGES, ErasedTexts

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
        self._types = None if fact.blob is None else EXCHANGES
        self._texts = ErasedTexts()
        with database.connection() as connection:
            parameters = {"tenant": tenant, "thread_id": thread_id}
            rows = connection.execute(statement("select_recorded_threads"), parameters).fetchall()
        self.threads: Sequence[str] = [row[0] for row in rows]
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
