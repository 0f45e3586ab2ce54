"""Sends files in pieces, and goes on where a connection or the service broke off."""

import time
from collections.abc import Callable
from hashlib import sha256
from typing import BinaryIO, TypeVar

from agentlog_client.client import Client
from agentlog_client.errors import Conflict, InvalidRequest, Problem, ServiceAway, Unavailable
from agentlog_client.exchange import Retries
from agentlog_client.models import ImportUpload, RunReport
from agentlog_client.transfer.screen import Screen

T = TypeVar("T")

_PIECE_BYTES = 4 * 2**20
_WAIT_SECONDS = 1.0
_BUSY, _ELSEWHERE = "import-busy", {"offset-mismatch", "piece-mismatch"}


class Sender:
    """Sends what an import consists of, and runs it.

    Where the service is away, it says so and tries again, for `patience` seconds or for ever.
    """

    def __init__(self, client: Client, screen: Screen, *, patience: float | None) -> None:
        self.client = client
        self.screen = screen
        self._patience = patience

    def insist(self, ask: Callable[[], T]) -> T:
        """Return what is answered, however often it takes; raises where waiting does not help."""
        until = None if self._patience is None else time.monotonic() + self._patience
        pauses = Retries().pauses()
        is_first = True
        while True:
            try:
                return ask()
            except (ServiceAway, Unavailable, Conflict) as error:
                if isinstance(error, Problem) and not _passes(error):
                    raise
                if until is not None and time.monotonic() > until:
                    raise
                if is_first:
                    self.screen.line(f"{error}; trying again")
                is_first = False
            time.sleep(next(pauses))

    def send(  # noqa: PLR0913 - what is sent
        self,
        import_id: str,
        name: str,
        file: BinaryIO,
        *,
        size: int,
        offset: int = 0,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Send the first `size` bytes of a file, of which the service has `offset`.

        `progress` is called with the bytes that it has by then.
        """
        while True:
            begin = offset
            file.seek(begin)
            piece = file.read(min(_PIECE_BYTES, size - begin))
            offset = self.insist(lambda: self._sent(import_id, name, file, begin, piece))  # noqa: B023 - called at once
            progress(offset)
            if offset >= size or not piece:
                return

    def run(
        self, import_id: str, *, dry_run: bool = False, passed_over: dict[str, str] | None = None
    ) -> RunReport:
        """Run an import, and return its report."""

        def begin() -> ImportUpload:
            return self.client.run_import(import_id, dry_run=dry_run, passed_over=passed_over)

        upload = self.insist(begin)
        number = upload.run
        while True:
            if upload.report is not None and upload.report.run >= number:
                return upload.report
            if upload.state == "open":  # the service was restarted
                upload = self.insist(begin)
                number = upload.run
            if upload.progress is not None:
                progress = upload.progress
                self.screen.progress("importing", progress.bytes, progress.total)
            upload = self.insist(lambda: self.client.get_import(import_id, wait=_WAIT_SECONDS))

    def _sent(self, import_id: str, name: str, file: BinaryIO, offset: int, piece: bytes) -> int:
        """Send a piece; return where the next begins."""
        try:
            if offset:
                sent = self.client.add_to_import_file(import_id, name, piece, offset=offset)
            else:
                sent = self.client.put_import_file(import_id, name, piece)
        except ServiceAway:  # a part of the piece may have come
            return self._place(import_id, name, file)
        except (Conflict, InvalidRequest) as error:
            if error.type not in _ELSEWHERE:
                raise
            return self._place(import_id, name, file)
        return sent.bytes

    def _place(self, import_id: str, name: str, file: BinaryIO) -> int:
        """Return how much of a file the service has; 0 if what it has is another."""
        there = self.client.get_import_file(import_id, name)
        return there.bytes if digest_of(file, there.bytes) == there.sha256 else 0


def digest_of(file: BinaryIO, size: int) -> str:
    """Return the SHA-256 of the first `size` bytes, in hexadecimal."""
    file.seek(0)
    hashed = sha256()
    while size and (data := file.read(min(size, _PIECE_BYTES))):
        hashed.update(data)
        size -= len(data)
    return hashed.hexdigest()


def _passes(error: Problem) -> bool:
    return isinstance(error, Unavailable) or error.type == _BUSY
