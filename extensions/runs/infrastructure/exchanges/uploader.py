"""Puts the exchanges of a spool into the log, while it grows or later."""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from agentlog.domain.errors import InvalidInput, Refused, ThreadExists
from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.infrastructure.exchanges.spool import SUFFIX, SpoolReader, held_spool
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

        Raises:
            AgentlogError: the log cannot take it; the next call goes on there.
        """
        self._take(self._reader.read())
        if is_over and self._recording is not None:
            self._take(self._reader.unfinished())
            self._pending += self._recording.finish()
        while self._pending:
            self._append(threads, self._pending[0])
            self._pending.popleft()

    def _take(self, exchanges: Iterable[Exchange | McpExchange]) -> None:
        for exchange in exchanges:
            recording = self._known()
            if recording is not None:
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


def upload_left(
    folder: Path, threads: Threads
) -> Iterator[tuple[Uploader, InvalidInput | Refused | None]]:
    """Upload the spools that other recordings left, and yield what they had.

    A spool is deleted once the log has all of it. One that the log refuses stays, and is yielded
    with the reason.

    Raises:
        AgentlogError: the log cannot be reached.
    """
    for spool in sorted(folder.glob(f"*{SUFFIX}")):
        lock = held_spool(spool)
        if lock is None:
            continue  # its recording goes on
        with closing(lock):
            uploader = Uploader(spool)
            try:
                uploader.upload(threads, is_over=True)
                spool.unlink(missing_ok=True)
                refused = None
            except (InvalidInput, Refused) as error:
                refused = error
        yield uploader, refused


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
