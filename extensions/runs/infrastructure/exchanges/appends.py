"""Appends of recordings: each thread is started first, and an exchange is kept whatever it says."""

from contextlib import suppress

from agentlog.domain.errors import InvalidInput, Refused, ThreadExists
from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.projections.recordings.recording import ThreadAppend
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.exchange import TYPE

_MOST = 10_000
"""Threads remembered as started."""


class RecordedAppends:
    """Appends what exchanges add to one tenant's threads."""

    def __init__(self) -> None:
        self._started: set[str] = set()

    def append(self, threads: Threads, append: ThreadAppend, metadata: JsonObject) -> str | None:
        """Append to a thread; return why an exchange is there without its messages, if it is.

        `metadata` are those of the thread, where it starts now.

        Raises:
            InvalidInput, Refused: the log cannot have it.
        """
        if append.thread_id not in self._started:
            parent: JsonObject = {} if append.parent is None else {"parent": append.parent}
            with suppress(ThreadExists):  # it goes on in a thread that was there
                threads.start(
                    append.thread_id, {"policy": "record", "metadata": metadata, **parent}
                )
            if len(self._started) >= _MOST:
                self._started.clear()
            self._started.add(append.thread_id)
        try:
            threads.append(append.thread_id, append.drafts)
        except (InvalidInput, Refused) as error:
            exchanges = [draft for draft in append.drafts if draft["type"] == TYPE]
            if not exchanges or len(exchanges) == len(append.drafts):
                raise
            threads.append(append.thread_id, exchanges)
            return str(error)
        return None
