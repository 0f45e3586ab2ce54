"""Redactions that follow one that was asked for: of copies in forks, and of what its run holds.

They are appended while that one is pending: the process that completes it, after a crash say, first
appends those that are missing. They are carried out after it.
"""

from collections.abc import Sequence

from agentlog.domain.errors import VersionConflict
from agentlog.domain.facts import RedactionPlace, ThreadRedacted
from agentlog.domain.json.values import JsonObject
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.erasure.erased_events import LeftDigests
from agentlog.infrastructure.erasure.held_in_run import HeldInRun
from agentlog.infrastructure.erasure.pending import present_version
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement

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

    def append(self) -> list[str]:
        """Append redactions of all that is not erased; return the threads that they may be in."""
        threads = []
        if self._fact.blob is None:  # a file is redacted in all threads that hold it, forks or not
            parameters = {"tenant": self._tenant, "thread_id": self._place.thread}
            with self._database.connection() as connection:
                forks = connection.execute(statement("select_forks_of"), parameters).fetchall()
            for (fork,) in forks:
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
        parameters = {
            "tenant": self._tenant,
            "thread_id": self._place.thread,
            "version": self._place.version,
            "message_ids": None if self._fact.all else list(self._fact.messages),
            "fork": fork,
        }
        with self._database.connection() as connection:
            rows = connection.execute(statement("select_copies_to_erase"), parameters).fetchall()
        return [message_id for (message_id,) in rows]

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
        try:
            self._writer.append(
                AppendRequest(self._tenant, thread_id, facts=facts, expected_version=version)
            )
        except VersionConflict:
            return False
        return True
