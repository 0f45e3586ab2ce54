"""Puts the exchanges of a gateway into the log, each in its thread."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from agentlog.domain.errors import InvalidInput, Refused
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.infrastructure.exchanges.gateway_files import GatewayFile, files_over
from agentlog.extensions.runs.infrastructure.exchanges.recorded_runs import resumed_run
from agentlog.extensions.runs.infrastructure.exchanges.uploader import RecordedAppends
from agentlog.extensions.runs.projections.recordings.conversations import (
    PREFIX,
    Added,
    Conversations,
    Kind,
)
from agentlog.extensions.runs.projections.recordings.recording import ThreadAppend
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.threads import Threads

logger = logging.getLogger("agentlog")

_RESUMED = 200
"""Conversations without a name that go on after a restart: the latest."""
_SOURCE: JsonObject = {"source": "gateway"}
_UNNAMED: JsonObject = {**_SOURCE, "conversation": "unnamed"}


@dataclass(slots=True)
class _OfTenant:
    """A tenant's conversations, and the files of exchanges that wait, by thread."""

    threads: Threads
    conversations: Conversations
    appends: RecordedAppends = field(default_factory=RecordedAppends)
    waiting: dict[str, list[Path]] = field(default_factory=dict)


@dataclass(slots=True)
class _Upload:
    """What goes into the log together, and the files that it has then."""

    tenant: _OfTenant
    kind: Kind
    appends: deque[ThreadAppend]
    files: list[Path]


class GatewayUploader:
    """Uploads the files of a gateway, and deletes each once the log has its exchange.

    `threads_of` returns the threads of a tenant, `new_run` a name for a run, and `clock` the time
    in ms since the epoch.
    """

    def __init__(
        self,
        folder: Path,
        threads_of: Callable[[str], Threads],
        *,
        new_run: Callable[[], str],
        clock: Callable[[], int],
    ) -> None:
        self._folder = folder
        self._threads_of = threads_of
        self._new_run = new_run
        self._clock = clock
        self._tenants: dict[str, _OfTenant] = {}
        self._taken: set[Path] = set()
        self._uploads: deque[_Upload] = deque()

    def upload(self, *, is_over: bool = False) -> None:
        """Append all that ended; `is_over`: nothing more comes, and nothing waits for it.

        Raises:
            AgentlogError: the log cannot be reached; the next call goes on there.
        """
        self._append()
        for path in files_over(self._folder):
            if path not in self._taken:
                self._take(GatewayFile(path))
                self._append()
        for tenant in self._tenants.values():
            for added in tenant.conversations.settle(None if is_over else self._clock()):
                self._queue(tenant, added, [])
        self._append()

    def _take(self, file: GatewayFile) -> None:
        if file.tenant is None or file.exchange is None:  # its request never came in whole
            file.path.unlink()
            return
        tenant = self._tenant(file.tenant)
        added = tenant.conversations.add(file.exchange, self._clock())
        self._taken.add(file.path)
        self._queue(tenant, added, [file.path])

    def _queue(self, tenant: _OfTenant, added: Added, files: list[Path]) -> None:
        waiting = [*tenant.waiting.pop(added.thread_id, []), *files]
        if added.waits:
            tenant.waiting[added.thread_id] = waiting
        else:
            self._uploads.append(_Upload(tenant, added.kind, deque(added.appends), waiting))

    def _append(self) -> None:
        while self._uploads:
            upload = self._uploads[0]
            while upload.appends:
                self._append_one(upload)
                upload.appends.popleft()
            for path in upload.files:
                path.unlink(missing_ok=True)
                self._taken.discard(path)
            self._uploads.popleft()

    def _append_one(self, upload: _Upload) -> None:
        tenant, append = upload.tenant, upload.appends[0]
        metadata = _UNNAMED if upload.kind == "unnamed" and append.parent is None else _SOURCE
        try:
            bare = tenant.appends.append(tenant.threads, append, metadata)
        except (InvalidInput, Refused) as error:
            # closed, say; always the same thread, so that it goes on there after a restart
            other = f"{PREFIX}{derived_message_id(append.thread_id, 'instead')}"
            logger.warning("an exchange goes to thread %s: %s", other, error)
            instead: JsonObject = {**_SOURCE, "insteadOf": append.thread_id}
            again = ThreadAppend(other, None, append.drafts)
            bare = tenant.appends.append(tenant.threads, again, instead)
        if bare is not None:
            logger.warning("an exchange is on record without its messages: %s", bare)

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
