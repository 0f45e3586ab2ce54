"""Sends what is recorded to the service, in a thread of its own."""

import encodings.idna  # noqa: F401 - else the thread imports it, as `_new_client` says
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

from agentlog_client.client import Client
from agentlog_client.destination import Destination
from agentlog_client.errors import AgentlogError, NotAllowed, NotAuthenticated, Problem
from agentlog_client.exchange import Retries
from agentlog_client.recorder.delivery import deliver
from agentlog_client.recorder.lifetime import closes_with_worker, lives
from agentlog_client.recorder.memory_lines import MemoryLines
from agentlog_client.recorder.refused import put_aside
from agentlog_client.recorder.spool import Spool
from agentlog_client.recorder.spool_file import (
    SpoolFile,
    adopting,
    left_behind,
)
from agentlog_client.recorder.trouble import Kind, OnTrouble, Trouble

_BATCH_BYTES = 2**20
_LINGER_SECONDS = 0.25
"""Messages of so long are sent together: each request takes time of the agent's interpreter."""
_SCAN_SECONDS = 5.0
"""How often files are looked for that other processes left behind."""
_ONCE = Retries(attempts=1)
_LEAST_PAUSE = 0.2
"""Seconds, while it is being closed."""


class Uploader:
    """Takes lines, and returns at once; a thread sends them, from the first one on.

    What waits when the process ends is sent by the next that has the same folder. A child process
    begins with nothing: what its parent recorded is its parent's.
    """

    def __init__(self, to: Destination, folder: Path, on_trouble: OnTrouble) -> None:
        self._to = to
        self._on_trouble = on_trouble
        self._client: Client | None = self._new_client()
        self.spool = Spool(folder)
        self._begin()
        lives(self)

    def _new_client(self) -> Client:
        """Return a client, before the thread starts: a fork amid its imports would break them."""
        return Client(self._to.url, key=self._to.key, retries=_ONCE)

    def _begin(self) -> None:
        self._changed = threading.Condition()
        self._nudge = threading.Event()
        self._thread: threading.Thread | None = None
        self._closing = self._abandoned = self._not_allowed = False
        self._scanned_at: float | None = None
        self._reported: set[Kind] = set()

    def after_fork(self) -> None:
        """Begin anew in a child process."""
        self.spool.forget()
        self._client = None  # its connections are the parent's
        self._begin()

    def add(self, line: bytes) -> None:
        """Keep a line until it is sent; it is in the file when this returns."""
        with self._changed:
            trouble = self.spool.keep(line)
            if self._thread is None and not self._not_allowed:
                trouble = self._start() or trouble
            self._changed.notify_all()
        if trouble is not None:
            self._tell_once(*trouble)

    def _start(self) -> Trouble | None:
        thread = threading.Thread(target=self._run, name="agentlog-recorder", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # the interpreter ends, or the system has no more
            return Trouble("left", f"agentlog leaves messages in {self.spool.folder}: {error}")
        self._thread = thread
        closes_with_worker()
        return None

    def flush(self, timeout: float) -> bool:
        """Return whether everything was acknowledged within so many seconds."""
        self._nudge.set()
        with self._changed:
            self._changed.wait_for(self._is_done, timeout)
            return not self.spool.waiting

    def _is_done(self) -> bool:
        return not self.spool.waiting or self._thread is None

    def end(self) -> None:
        """Have the thread end once it has sent everything; do not wait for it."""
        with self._changed:
            self._closing = self._thread is not None
            self._changed.notify_all()
        self._nudge.set()

    def close(self, timeout: float) -> None:
        """Send what waits, for so many seconds; leave the rest to the next process."""
        self.end()
        with self._changed:
            self._changed.wait_for(lambda: self._thread is None, timeout)
            self._abandoned = self._thread is not None
            waiting = self.spool.waiting
            if self._thread is None:
                self.spool.close()
        if waiting:
            text = f"agentlog could not send {waiting:,} bytes of messages: {self.spool.folder}"
            self._tell_once("left", f"{text} has them, and the next recorder sends them")

    def tell(self, kind: Kind, text: str) -> None:
        """Tell of a trouble; what the callback raises goes nowhere: an agent runs above it."""
        with suppress(Exception):
            self._on_trouble(Trouble(kind, text))

    def _tell_once(self, kind: Kind, text: str) -> None:
        if kind not in self._reported:
            self._reported.add(kind)
            self.tell(kind, text)

    def _run(self) -> None:
        pauses = _ONCE.pauses()
        while self._is_wanted():
            try:
                self._client = self._client or self._new_client()
                self._send_all(self._client)
                pauses = _ONCE.pauses()
                self._reported -= {"away", "defect"}
            except (NotAuthenticated, NotAllowed) as problem:
                text = f"agentlog sends nothing more: {problem}; {self.spool.folder} has what waits"
                self._tell_once("not_allowed", text)
                self._not_allowed = True
            except Exception as error:  # noqa: BLE001 - what is recorded later is still to be sent
                kind: Kind = "away" if isinstance(error, AgentlogError) else "defect"
                self._tell_once(kind, f"agentlog tries again, and keeps what waits: {error!r}")
                self._rest(next(pauses))

    def _is_wanted(self) -> bool:
        """Wait for something to do; return False, and let go of all, where the thread is to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._closing or self.spool.waiting, _SCAN_SECONDS)
            is_over = self._closing and not self.spool.waiting
            if is_over or self._not_allowed or self._abandoned:
                if not self._not_allowed:
                    self.spool.close()
                if self._client is not None:
                    self._client.close()
                    self._client = None
                self._thread, self._closing, self._abandoned = None, False, False
                self._changed.notify_all()
                return False
        if not self._closing:
            self._rest(_LINGER_SECONDS)
        return True

    def _rest(self, seconds: float) -> None:
        self._nudge.wait(min(seconds, _LEAST_PAUSE) if self._closing else seconds)
        self._nudge.clear()

    def _send_all(self, client: Client) -> None:
        if not self._adopt(client):
            return
        while True:
            with self._changed:  # else a line could go to memory after one to the file meanwhile
                queue = self.spool.first_queue
            if not self._send_batch(client, queue):
                return

    def _adopt(self, client: Client) -> bool:
        """Send what other processes left behind; return False where that must come first still."""
        now = time.monotonic()
        if self._scanned_at is not None and now - self._scanned_at < _SCAN_SECONDS:
            return True
        try:
            with adopting(self.spool.folder) as alone:
                if not alone:  # before ours: a thread may go on in ours
                    self._rest(_LINGER_SECONDS)
                    return self._scanned_at is not None
                for path in left_behind(self.spool.folder):
                    if (file := SpoolFile.adopt(path)) is not None:
                        with closing(file):
                            while self._send_batch(client, file):
                                pass
                            if not self._abandoned:  # no whole line: its process had not kept it
                                file.acknowledge(file.waiting)
        except OSError as error:
            self._tell_once("left", f"agentlog cannot read {self.spool.folder}: {error}")
        self._scanned_at = now
        return True

    def _send_batch(self, client: Client, queue: SpoolFile | MemoryLines) -> bool:
        """Send some lines; return whether there were any."""
        lines = queue.pending(_BATCH_BYTES)
        if not lines or self._abandoned:
            return False
        deliver(client, lines, self._put_aside)
        with self._changed:
            with suppress(OSError):  # they are sent again, and recognised
                queue.acknowledge(sum(map(len, lines)))
            self._changed.notify_all()
        return True

    def _put_aside(self, thread_id: str, text: bytes, problem: Problem) -> None:
        where = put_aside(self.spool.folder, thread_id, text, problem)
        text_of_trouble = (
            f"agentlog refused a message of {thread_id!r}: {problem}; it is in {where}"
        )
        self.tell("refused", text_of_trouble)
