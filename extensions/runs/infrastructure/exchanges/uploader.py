"""Puts the exchanges of a spool into the log, while it grows or later."""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from agentlog.domain.drafts import NO_ORIGIN, Origin
from agentlog.domain.errors import AgentlogError, InvalidInput, Refused, ThreadExists
from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.infrastructure.exchanges.spool import SUFFIX, SpoolReader, held_spool
from agentlog.extensions.runs.infrastructure.exchanges.spools_aside import (
    bring_back,
    is_away,
    put_aside,
)
from agentlog.extensions.runs.projections.mcp_exchange import McpExchange
from agentlog.extensions.runs.projections.recordings.recording import Recording, ThreadAppend
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.exchange import TYPE, Exchange


class Uploader:
    """Uploads one spool. Message ids are the same each time: what is there already stays one."""

    def __init__(self, spool: Path) -> None:
        self._reader = SpoolReader(spool)
        self._recording: Recording | None = None
        self._pending: deque[ThreadAppend] = deque()
        self._appends = RecordedAppends()
        self.failures: list[Exception] = []
        self.bare: dict[str, None] = {}
        """Why exchanges are in the log without the messages that were read from them."""

    @property
    def exchanges(self) -> int:
        """How many exchanges ended so far."""
        return 0 if self._recording is None else self._recording.exchanges

    @property
    def mcp_exchanges(self) -> int:
        """How many MCP exchanges ended so far."""
        return 0 if self._recording is None else self._recording.mcp_exchanges

    @property
    def threads(self) -> int:
        """How many threads they are in."""
        return 0 if self._recording is None else self._recording.threads

    @property
    def thread_id(self) -> str | None:
        """The thread of the run; None where the spool has no first line."""
        return None if self._recording is None else self._recording.thread_id

    def upload(self, threads: Threads, *, is_over: bool = False) -> None:
        """Append what ended since the last call; `is_over`: the recorder is gone.

        What can never be appended is passed over, and is in `failures`.

        Raises:
            AgentlogError: the log cannot take it now; the next call goes on there.
        """
        self._take(self._reader.read())
        if is_over and self._recording is not None:
            self._take(self._reader.unfinished())
            with self._passing_over():
                self._pending += self._recording.finish()
        while self._pending:
            with self._passing_over():
                self._append(threads, self._pending[0])
            self._pending.popleft()

    def finish(self, threads: Threads) -> Exception | None:
        """Append the rest, and delete the spool, whose recorder is gone.

        If something can never be appended, the spool is put aside, and the reason returned.

        Raises:
            AgentlogError: the log cannot take it now; the spool stays.
        """
        self.upload(threads, is_over=True)
        if not self.failures:
            self._reader.path.unlink(missing_ok=True)
            return None
        put_aside(self._reader.path, self.failures[0])
        return self.failures[0]

    @contextmanager
    def _passing_over(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if isinstance(error, AgentlogError) and not isinstance(error, InvalidInput | Refused):
                raise
            self.failures.append(error)

    def _take(self, exchanges: Iterable[Exchange | McpExchange]) -> None:
        for exchange in exchanges:
            recording = self._known()
            if recording is not None:
                with self._passing_over():
                    self._pending += recording.add(exchange)
        self._known()

    def _known(self) -> Recording | None:
        header = self._reader.header
        if self._recording is None and header is not None:
            self._recording = Recording(
                header.run, header.thread_id, header.values, fork=header.fork
            )
        return self._recording

    def _append(self, threads: Threads, append: ThreadAppend) -> None:
        header = self._reader.header
        metadata: JsonObject = {"source": "record"}
        if header is not None:
            metadata["run"] = header.run
            if header.name is not None and append.parent is None:
                metadata["name"] = header.name
        bare = self._appends.append(threads, append, metadata)
        if bare is not None:
            self.bare[bare] = None


def upload_left(folder: Path, threads: Threads) -> Iterator[tuple[Uploader, Exception | None]]:
    """Upload the spools that other recordings left, and yield what they had.

    A spool is deleted once the log has all of it. One that cannot be uploaded is yielded with the
    reason, and tried again by the next call: it holds up no other.

    Raises:
        DatabaseUnavailable: the log cannot be reached.
    """
    bring_back(folder)
    for spool in sorted(folder.glob(f"*{SUFFIX}")):
        uploader = Uploader(spool)
        try:
            lock = held_spool(spool)
            if lock is None:
                continue  # its recording goes on
            with closing(lock):
                failure = uploader.finish(threads)
        except Exception as error:
            if is_away(error):
                raise
            failure = error
        yield uploader, failure


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
        origin = NO_ORIGIN if append.author is None else Origin(appended_by=append.author)
        if append.thread_id not in self._started:
            parent: JsonObject = {} if append.parent is None else {"parent": append.parent}
            with suppress(ThreadExists):  # it goes on in a thread that was there
                facts: JsonObject = {"policy": "record", "metadata": metadata, **parent}
                threads.start(append.thread_id, facts, origin=origin)
            if len(self._started) >= _MOST:
                self._started.clear()
            self._started.add(append.thread_id)
        try:
            threads.append(append.thread_id, append.drafts, origin=origin)
        except (InvalidInput, Refused) as error:
            exchanges = [draft for draft in append.drafts if draft["type"] == TYPE]
            if not exchanges or len(exchanges) == len(append.drafts):
                raise
            threads.append(append.thread_id, exchanges, origin=origin)
            return str(error)
        return None
