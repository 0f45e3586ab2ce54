"""Puts the exchanges of a gateway into the log, each in its thread."""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from agentlog.domain.errors import InvalidInput, Refused
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.infrastructure.exchanges.gateway_files import GatewayFile, files_over
from agentlog.extensions.runs.infrastructure.exchanges.recorded_runs import resumed_run
from agentlog.extensions.runs.infrastructure.exchanges.spools_aside import (
    bring_back,
    is_away,
    put_aside,
    reason_of,
)
from agentlog.extensions.runs.infrastructure.exchanges.uploader import RecordedAppends
from agentlog.extensions.runs.projections.recordings.conversations import (
    PREFIX,
    Added,
    Conversations,
    Kind,
)
from agentlog.extensions.runs.projections.recordings.recording import ThreadAppend
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.runtime.backoff import pause_seconds
from agentlog.infrastructure.threads import Threads

logger = logging.getLogger("agentlog")

_RESUMED = 200
"""Conversations without a name that go on after a restart: the latest."""
_TRIES = 3
"""Attempts before an exchange is put aside."""
_MOST_QUEUED = 16
"""Exchanges in memory that wait for their next attempt; others wait in their files."""
_PAUSE_SECONDS, _MOST_PAUSE_SECONDS = 1.0, 30.0
"""Between attempts of a thread."""
_BACK_SECONDS = 600.0
"""How often what was put aside is tried again."""
_SOURCE: JsonObject = {"source": "gateway"}
_UNNAMED: JsonObject = {**_SOURCE, "conversation": "unnamed"}


class ExchangeTooLarge(InvalidInput, kind="too large"):
    """The file of an exchange is larger than one transaction may be."""

    def __init__(self, size: int, most: int) -> None:
        super().__init__(
            f"the file of the exchange has {size} bytes, more than {most}: raise "
            "AGENTLOG_MAX_BODY_BYTES to have it uploaded"
        )


@dataclass(slots=True)
class _Upload:
    """What goes into the log together, and the files that it has then."""

    kind: Kind
    appends: deque[ThreadAppend]
    files: list[Path]


@dataclass(slots=True)
class _Line:
    """A thread's uploads, in their order; after `failures` it goes on at `due_at`."""

    uploads: deque[_Upload] = field(default_factory=deque)
    failures: int = 0
    due_at: float = 0.0


@dataclass(slots=True)
class _OfTenant:
    """A tenant's conversations; by thread its uploads, and the files of exchanges that wait."""

    threads: Threads
    conversations: Conversations
    appends: RecordedAppends = field(default_factory=RecordedAppends)
    lines: dict[str, _Line] = field(default_factory=dict)
    waiting: dict[str, list[Path]] = field(default_factory=dict)


class GatewayUploader:
    """Uploads the files of a gateway, and deletes each once the log has its exchange.

    Threads wait for no other: what fails again and again is put aside with a note, and is tried
    again later. Files of more than `most_bytes` are, as one transaction has all of an exchange.
    `threads_of` returns the threads of a tenant, `new_run` a name for a run, `clock` the time in ms
    since the epoch, and `ticks` one in seconds that only grows.
    """

    def __init__(  # noqa: PLR0913 - what it reads, and a test's clocks
        self,
        folder: Path,
        threads_of: Callable[[str], Threads],
        *,
        new_run: Callable[[], str],
        clock: Callable[[], int],
        ticks: Callable[[], float] = time.monotonic,
        most_bytes: int = 2**27,
    ) -> None:
        self._folder = folder
        self._threads_of = threads_of
        self._new_run = new_run
        self._clock = clock
        self._ticks = ticks
        self._most_bytes = most_bytes
        self._tenants: dict[str, _OfTenant] = {}
        self._taken: set[Path] = set()
        self._back_at = ticks()
        """When what was put aside is tried again."""

    def upload(self, *, is_over: bool = False, seconds: float = inf) -> None:
        """Append all that ended; `is_over`: nothing more comes, and nothing waits for it.

        After so many seconds no further file is taken.

        Raises:
            AgentlogError: the log cannot be reached; the next call goes on there.
        """
        if self._ticks() >= self._back_at:
            self._back_at = self._ticks() + _BACK_SECONDS
            bring_back(self._folder)
        self._append(is_over=is_over)
        end = self._ticks() + seconds
        for path in files_over(self._folder):
            if self._ticks() > end:
                break
            if path not in self._taken and self._queued < _MOST_QUEUED:
                self._take(path)
                self._append(is_over=is_over)
        for tenant in self._tenants.values():
            for thread_id in tenant.conversations.late(None if is_over else self._clock()):
                files = tenant.waiting.pop(thread_id, [])
                with self._putting_aside(files):
                    self._queue(tenant, tenant.conversations.settle(thread_id), files)
        self._append(is_over=is_over)

    def _take(self, path: Path) -> None:
        with self._putting_aside([path]):
            if (size := path.stat().st_size) > self._most_bytes:
                raise ExchangeTooLarge(size, self._most_bytes)
            file = GatewayFile(path)
            if file.tenant is None or file.exchange is None:  # its request never came in whole
                path.unlink()
                return
            tenant = self._tenant(file.tenant)
            try:
                added = tenant.conversations.add(file.exchange, self._clock())
            except Exception:
                self._take_again(tenant)
                raise
            self._taken.add(path)
            self._queue(tenant, added, [path])

    def _take_again(self, tenant: _OfTenant) -> None:
        """Have files taken again whose thread waits no more: another of it could not be read."""
        for thread_id in [*tenant.waiting]:
            if not tenant.conversations.is_waiting(thread_id):
                self._taken.difference_update(tenant.waiting.pop(thread_id))

    @property
    def _queued(self) -> int:
        return sum(
            len(line.uploads) for tenant in self._tenants.values() for line in tenant.lines.values()
        )

    def _queue(self, tenant: _OfTenant, added: Added, files: list[Path]) -> None:
        waiting = [*tenant.waiting.pop(added.thread_id, []), *files]
        if added.waits:
            tenant.waiting[added.thread_id] = waiting
        else:
            line = tenant.lines.setdefault(added.thread_id, _Line())
            line.uploads.append(_Upload(added.kind, deque(added.appends), waiting))

    def _append(self, *, is_over: bool) -> None:
        """Append what is due, of each thread in its order, where fewest failed first."""
        lines = [
            (tenant, thread_id, line)
            for tenant in self._tenants.values()
            for thread_id, line in tenant.lines.items()
        ]
        for tenant, thread_id, line in sorted(lines, key=lambda item: item[2].failures):
            while line.uploads and (is_over or line.due_at <= self._ticks()):
                try:
                    self._append_first(tenant, line)
                except Exception as error:
                    line.failures += 1
                    line.due_at = self._ticks() + pause_seconds(
                        line.failures, first=_PAUSE_SECONDS, most=_MOST_PAUSE_SECONDS
                    )
                    if is_away(error):
                        raise
                    if line.failures < _TRIES and not is_over:
                        break
                    self._put_aside(line.uploads.popleft().files, error)
                    line.due_at = 0.0  # the next one is tried at once, and once
                else:
                    line.failures = 0
            if not line.uploads:
                del tenant.lines[thread_id]

    def _append_first(self, tenant: _OfTenant, line: _Line) -> None:
        upload = line.uploads[0]
        while upload.appends:
            self._append_one(tenant, upload)
            upload.appends.popleft()
        for path in upload.files:
            path.unlink(missing_ok=True)
            self._taken.discard(path)
        line.uploads.popleft()

    def _append_one(self, tenant: _OfTenant, upload: _Upload) -> None:
        append = upload.appends[0]
        metadata = _UNNAMED if upload.kind == "unnamed" and append.parent is None else _SOURCE
        try:
            bare = tenant.appends.append(tenant.threads, append, metadata)
        except (InvalidInput, Refused) as error:
            # closed, say; always the same thread, so that it goes on there after a restart
            other = f"{PREFIX}{derived_message_id(append.thread_id, 'instead')}"
            logger.warning("an exchange goes to thread %s: %s", other, error)
            instead: JsonObject = {**_SOURCE, "insteadOf": append.thread_id}
            again = append._replace(thread_id=other, parent=None)
            bare = tenant.appends.append(tenant.threads, again, instead)
        if bare is not None:
            logger.warning("an exchange is on record without its messages: %s", bare)

    @contextmanager
    def _putting_aside(self, files: Sequence[Path]) -> Iterator[None]:
        """Put files aside where they cannot be read."""
        try:
            yield
        except Exception as error:
            if is_away(error):
                raise
            self._put_aside(files, error)

    def _put_aside(self, files: Sequence[Path], error: Exception) -> None:
        for path in files:
            logger.error("an exchange is put aside, %s: %s", path, reason_of(error))
            self._taken.add(path)
            with suppress(OSError):  # then it waits until the gateway is started again
                put_aside(path, error)
                self._taken.discard(path)

    def _tenant(self, name: str) -> _OfTenant:
        known = self._tenants.get(name)
        if known is None:
            threads = self._threads_of(name)
            conversations = Conversations(
                lambda thread_id: resumed_run(threads, thread_id), new_run=self._new_run
            )
            unnamed = ThreadFilter(metadata=_UNNAMED)
            for head in reversed(threads.heads(unnamed, before=None, limit=_RESUMED)):
                conversations.know(head.thread_id)
            known = self._tenants[name] = _OfTenant(threads, conversations)
        return known
