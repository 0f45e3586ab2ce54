"""Follows a file of lines as it grows: each time, only what is new is appended."""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath

from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.source_file import SourceFile, UnreadableSource
from agentlog.infrastructure.transfer.files.sources import Sources
from agentlog.infrastructure.transfer.growth import Written
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.infrastructure.transfer.report import ImportFinding, ImportReport


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of a file: bytes, their SHA-256, and what was written, by thread."""

    size: int = 0
    digest: bytes = sha256().digest()
    written: dict[str, Written] = field(default_factory=dict)


class FileFollower:
    """Keeps the threads of files up to date.

    A line without its end is left for the next time. What it knows is in memory: after a restart a
    file is read whole once, and its messages are found in the log by their ids.
    """

    def __init__(self, threads: Threads, plan: Plan) -> None:
        self._threads = threads
        self._plan = plan
        self._read: dict[Path, _Read] = {}

    def update(self, path: Path) -> ImportReport:
        """Append what a file has that the log has not; says so where it was rewritten."""
        before = self._read.get(path, _Read())
        try:
            data = path.read_bytes()
        except OSError as error:
            report = ImportReport()
            if path in self._read:  # else it went before it was read
                report.refuse(str(path), UnreadableSource(f"cannot be read: {error.strerror}"))
            return report
        data = data[: data.rfind(b"\n") + 1]
        has_grown = sha256(data[: before.size]).digest() == before.digest
        if has_grown and len(data) == before.size:
            return ImportReport()
        written = before.written if has_grown else {}
        importer = Importer(self._threads, self._plan, progress=lambda _: None, written=written)
        file = SourceFile(str(path), PurePosixPath(path.name), len(data), lambda: data)
        importer.import_sources(Sources([file], {}))
        self._read[path] = _Read(len(data), sha256(data).digest(), written)
        if not has_grown:
            reason = "it was rewritten: what was read of it before stays in the log"
            importer.report.findings.append(ImportFinding("rewritten", str(path), reason))
        return importer.report
