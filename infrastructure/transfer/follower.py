"""Follows files as they grow: each update appends only what is new."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from hashlib import sha256

from agentlog.domain.errors import InvalidInput
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.source_file import SourceFile
from agentlog.infrastructure.transfer.files.sources import Sources
from agentlog.infrastructure.transfer.growth import Written
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.infrastructure.transfer.imports import RunningImport
from agentlog.infrastructure.transfer.report import ImportFinding, ImportReport

_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class _Lines:
    """The whole lines that were read of a file: their bytes, and the SHA-256 of these."""

    size: int = 0
    digest: bytes = sha256().digest()

    def begin(self, data: bytes) -> bool:
        """Return whether `data` begins with them."""
        return sha256(data[: self.size]).digest() == self.digest


class FileFollower:
    """Keeps the threads of files up to date.

    Of a file of lines, one without its end is left for the next time. What it knows is in memory:
    after a restart a file is read whole once, and its messages are found in the log by their ids.
    """

    def __init__(
        self, threads: Threads, plan: Plan, *, running: RunningImport | None = None
    ) -> None:
        self._threads = threads
        self._plan = plan
        self._running = running
        self._written: dict[str, Written] = {}
        self._stamps: dict[str, Hashable] = {}
        self._lines: dict[str, _Lines] = {}

    @property
    def author(self) -> str | None:
        """Who is on record for what it appends."""
        return None if self._running is None else self._running.origin.appended_by

    def has_read(self, file: SourceFile) -> bool:
        """Return whether a file is as it was when it was read."""
        return file.stamp is not None and self._stamps.get(file.place) == file.stamp

    def importer(
        self,
        *,
        progress: Callable[[int], None] = lambda _: None,
        between: Callable[[], None] = lambda: None,
    ) -> Importer:
        """Return an importer for one `update`."""
        return Importer(
            self._threads,
            self._plan,
            progress=progress,
            between=between,
            written=self._written,
            running=self._running,
        )

    def update(self, files: Iterable[SourceFile], *, by: Importer | None = None) -> ImportReport:
        """Append what files have that the log has not; says so where one was rewritten."""
        importer = self.importer() if by is None else by
        for file in files:
            if not self.has_read(file):
                self._update(importer, file)
                self._stamps[file.place] = file.stamp
        return importer.report

    def _update(self, importer: Importer, file: SourceFile) -> None:
        if not file.path.name.endswith(_LINES):
            importer.import_sources(Sources([file], {}))
            return
        try:
            data = file.content()
        except InvalidInput as error:
            importer.report.refuse(file.place, error)
            return
        data = data[: data.rfind(b"\n") + 1]
        before = self._lines.get(file.place, _Lines())
        has_grown = before.begin(data)
        if len(data) > before.size or not has_grown:
            importer.import_sources(Sources([replace(file, content=lambda: data)], {}))
            self._lines[file.place] = _Lines(len(data), sha256(data).digest())
        if not has_grown:
            reason = "it was rewritten: what was read of it before stays in the log"
            importer.report.findings.append(ImportFinding("rewritten", file.place, reason))
