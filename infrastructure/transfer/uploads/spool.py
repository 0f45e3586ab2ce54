"""The files of a tenant's imports, on disk until they are imported or a day old.

TENANT/IMPORT/order.json      what is to be imported; its time of change is the last use
TENANT/IMPORT/files/0/…       the files of the first path, and so on
TENANT/IMPORT/report.json     of the latest run that has ended
TENANT/IMPORT/findings.jsonl  all of its findings
"""

import os
import shutil
import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonObject, object_of
from agentlog.infrastructure.transfer.imports import UnknownImport
from agentlog.infrastructure.transfer.uploads.errors import (
    FileTooLarge,
    ImportBusy,
    ImportsTooLarge,
    InvalidPathName,
    OffsetMismatch,
    PieceMismatch,
    SpoolUnwritable,
    TooManyFiles,
    TooManyImports,
)

KEPT_SECONDS = 86_400
_MOST_IMPORTS, _MOST_FILES = 100, 10_000
_PIECE_BYTES = 2**20
_MODE = 0o600
"""Of files: they have contents."""
_ORDER, _FILES, _REPORT, _FINDINGS = "order.json", "files", "report.json", "findings.jsonl"


class Spool:
    """The imports of one tenant that are on their way in.

    `most_bytes` is the limit of all files together, `most_file_bytes` that of each.
    """

    def __init__(self, root: Path, *, tenant: str, most_bytes: int, most_file_bytes: int) -> None:
        self.most_file_bytes = most_file_bytes
        self._root = root
        self._folder = root / sha256(tenant.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._used: int | None = None
        self._counts: dict[str, int] = {}
        self._in_use: set[Path] = set()

    def make(self, import_id: str, order: JsonObject) -> None:
        """Make room for an import; raises `TooManyImports`, `SpoolUnwritable`."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._sweep()
            if sum(1 for _ in self._folder.iterdir()) >= _MOST_IMPORTS:
                raise TooManyImports(_MOST_IMPORTS)
            (self._folder / import_id / _FILES).mkdir(mode=0o700, parents=True)
            _write_whole(self._folder / import_id / _ORDER, order)
        except OSError as error:
            raise SpoolUnwritable(error.strerror or str(error)) from error

    def import_ids(self) -> list[str]:
        """Return the ids of the imports that are on their way."""
        return [order.parent.name for order in self._folder.glob(f"*/{_ORDER}")]

    def has(self, import_id: str) -> bool:
        """Return whether an import is on its way."""
        return (self._folder / import_id / _ORDER).exists()

    def order(self, import_id: str) -> JsonObject:
        """Return the order of an import; raises `UnknownImport`."""
        try:
            return object_of(parse((self._folder / import_id / _ORDER).read_bytes()))
        except FileNotFoundError:
            raise UnknownImport(import_id) from None

    def files(self, import_id: str) -> Path:
        """Return the folder of an import's files."""
        return self._folder / import_id / _FILES

    def size(self, file: Path) -> int:
        """Return how many bytes of a file have come; 0 where there is none of that name."""
        return file.stat().st_size if file.is_file() else 0

    def is_receiving(self, import_id: str) -> bool:
        """Return whether a piece of an import is on its way."""
        return any(file.is_relative_to(self._folder / import_id) for file in list(self._in_use))

    @contextmanager
    def piece(
        self, import_id: str, file: Path, path: str, *, offset: int | None
    ) -> Iterator["Piece"]:
        """Yield what takes a piece of a file at its end, or the whole file anew without an offset.

        What has come stays, also where the block raises.

        Raises:
            OffsetMismatch: the file ends elsewhere.
            ImportBusy: another piece of it is on its way.
            InvalidPathName: its name is that of a folder, or a folder's that of a file.
        """
        with self._lock:
            if file in self._in_use:
                raise ImportBusy(f"{path}: another piece of it is on its way")
            self._in_use.add(file)
        try:
            size = self.size(file)
            if offset is not None and offset != size:
                raise OffsetMismatch(path, given=offset, size=size)
            self.take(0)
            with self._open(import_id, file, path, is_whole=offset is None) as opened:
                if offset is None:
                    self.take(-size)
                yield Piece(self, opened, path, 0 if offset is None else size)
        finally:
            self._in_use.discard(file)

    def take(self, size: int) -> None:
        """Count bytes that are added, or go; raises `ImportsTooLarge`."""
        with self._lock:
            if self._used is None:
                self._used = sum(
                    self.size(Path(folder) / name)
                    for folder, _, names in os.walk(self._folder)
                    for name in names
                )
            if size > 0 and self._used + size > self._most_bytes:
                raise ImportsTooLarge(self._most_bytes)
            self._used += size

    def keep_report(
        self, import_id: str, report: JsonObject, findings: Iterator[JsonObject]
    ) -> None:
        """Keep the report of a run, and all of its findings."""
        folder = self._folder / import_id
        with suppress(FileNotFoundError), _writing():  # it was discarded meanwhile
            (folder / _FINDINGS).touch(mode=_MODE)
            with (folder / _FINDINGS).open("wb") as file:
                file.writelines(print_bytes(finding) + b"\n" for finding in findings)
            _write_whole(folder / _REPORT, report)

    def report(self, import_id: str) -> JsonObject | None:
        """Return the report of the latest run, None if none has ended."""
        try:
            return object_of(parse((self._folder / import_id / _REPORT).read_bytes()))
        except FileNotFoundError:
            return None

    def findings(self, import_id: str) -> BinaryIO:
        """Return the file of the latest run's findings; raises `UnknownImport` if there is none."""
        try:
            return (self._folder / import_id / _FINDINGS).open("rb")
        except FileNotFoundError:
            raise UnknownImport(import_id) from None

    def discard(self, import_id: str) -> None:
        """Remove the files and the report of an import; raises `UnknownImport`."""
        self.order(import_id)
        shutil.rmtree(self._folder / import_id, ignore_errors=True)
        with self._lock:
            self._used = None
            self._counts.pop(import_id, None)

    @contextmanager
    def _open(self, import_id: str, file: Path, path: str, *, is_whole: bool) -> Iterator[BinaryIO]:
        folder = self._folder / import_id
        try:
            os.utime(folder / _ORDER)
            if not file.exists():
                count = self._counts.get(import_id)
                if count is None:
                    count = sum(len(names) for _, _, names in os.walk(folder / _FILES))
                if count >= _MOST_FILES:
                    raise TooManyFiles(_MOST_FILES)
                self._counts[import_id] = count + 1
            with _writing():
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                file.touch(mode=_MODE)
                opened = file.open("wb" if is_whole else "ab")
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
            reason = "it is a folder and a file, by the names of two files"
            raise InvalidPathName(path, reason) from error
        except FileNotFoundError:  # it was discarded meanwhile
            raise UnknownImport(import_id) from None
        with _writing(), opened:
            yield opened

    def _sweep(self) -> None:
        """Remove the imports of all tenants that nobody has used for a day."""
        latest = time.time() - KEPT_SECONDS
        for order in self._root.glob(f"*/*/{_ORDER}"):
            with suppress(OSError):
                if order.stat().st_mtime < latest:
                    shutil.rmtree(order.parent, ignore_errors=True)
        self._used = None


class Piece:
    """A piece of a file as it comes; `size` is that of the file by now."""

    def __init__(self, spool: Spool, file: BinaryIO, path: str, size: int) -> None:
        self._spool = spool
        self._file = file
        self._path = path
        self._begin = self.size = size
        self._hashed = sha256()

    def write(self, data: bytes) -> None:
        """Add bytes; raises `FileTooLarge`, `ImportsTooLarge`, `SpoolUnwritable`."""
        if self.size + len(data) > self._spool.most_file_bytes:
            raise FileTooLarge(self._path, self._spool.most_file_bytes)
        self._spool.take(len(data))
        self._file.write(data)
        self.size += len(data)
        self._hashed.update(data)

    def check(self, content_digest: str) -> None:
        """Compare the piece with a Content-Digest (RFC 9530); it is dropped if that differs.

        A digest that has no `sha-256` says nothing.
        """
        if any(digest != self._hashed.digest() for digest in digests_in(content_digest)):
            self._file.flush()
            self._file.truncate(self._begin)
            self._spool.take(self._begin - self.size)
            self.size = self._begin
            raise PieceMismatch(self._path)


def digests_in(content_digest: str) -> list[bytes | None]:
    """Return the SHA-256 digests of a Content-Digest header, None for one that is malformed."""
    members = (member.strip().partition("=") for member in content_digest.split(","))
    return [_decode(value) for name, _, value in members if name == "sha-256"]


def _write_whole(path: Path, value: JsonObject) -> None:
    part = path.with_suffix(".part")
    part.touch(mode=_MODE)
    part.write_bytes(print_bytes(value))
    part.rename(path)


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal; of nothing where there is none."""
    hashed = sha256()
    with suppress(OSError), file.open("rb") as opened:
        while data := opened.read(_PIECE_BYTES):
            hashed.update(data)
    return hashed.hexdigest()


def _decode(value: str) -> bytes | None:
    """Return the bytes of a byte sequence (RFC 8941), `:BASE64:`."""
    if not (len(value) > 1 and value.startswith(":") and value.endswith(":")):
        return None
    try:
        return b64decode(value[1:-1], validate=True)
    except ValueError:
        return None


@contextmanager
def _writing() -> Iterator[None]:
    """Raise `SpoolUnwritable` where the disk is full or the folder closed."""
    try:
        yield
    except (FileExistsError, FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise
    except OSError as error:
        raise SpoolUnwritable(error.strerror or str(error)) from error
