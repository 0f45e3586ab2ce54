"""Finds the files to import: in folders and archives, compressed or not, or on standard input."""

import gzip
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from infrastructure.transfer.files.joined import joined
from infrastructure.transfer.files.source_file import SourceFile, UnreadableSource

if sys.version_info >= (3, 14):
    from zipfile import BadZipFile, ZipFile, is_zipfile

    from compression.zstd import ZstdError, decompress
else:
    from backports.zstd import ZstdError, decompress
    from backports.zstd.zipfile import BadZipFile, ZipFile, is_zipfile

SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".traj", ".af"})
"""What files with histories are named; of a folder or an archive, others are passed over."""
ARCHIVES = frozenset({".zip", ".eval"})
COMPRESSED = frozenset({".gz", ".zst"})
STANDARD_INPUT = Path("-")

_UNREADABLE = (OSError, BadZipFile, NotImplementedError, RuntimeError, ZstdError)
_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Sources:
    """What there is to import, in order of names; and the files that are passed over."""

    files: Sequence[SourceFile]
    passed_over: Sequence[str]


def find_sources(paths: Sequence[Path]) -> Sources:
    """Return the files that `paths` name, folders and archives searched recursively.

    Raises:
        UnreadableSource: a path does not exist, or a folder has no file to import.
    """
    files: list[SourceFile] = []
    passed_over: list[str] = []
    for path in paths:
        if path == STANDARD_INPUT:
            files.append(SourceFile("-", PurePosixPath(), 0, sys.stdin.buffer.read))
        elif path.is_dir():
            # links to folders are not followed, and others may lead nowhere
            inside = sorted(
                each for each in path.rglob("*") if each.is_symlink() or not each.is_dir()
            )
            chosen = [each for each in inside if each.is_file() and _is_source(each)]
            if not chosen:
                known = ", ".join(sorted(SUFFIXES | ARCHIVES))
                raise UnreadableSource(f"{path}: no file in it ends in {known}")
            passed_over += map(str, sorted(set(inside).difference(chosen)))
            inner = list[SourceFile]()
            for each in chosen:
                name = PurePosixPath(each.relative_to(path).as_posix())
                inner += _files(each, name, passed_over)
            files += joined(inner)
        elif path.exists():  # a pipe is no file, but can be read as one
            files += joined(list(_files(path, PurePosixPath(path.name), passed_over)))
        else:
            raise UnreadableSource(f"{path}: no such file or folder")
    return Sources(files, passed_over)


def _is_source(path: Path | PurePosixPath) -> bool:
    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    return name.suffix in SUFFIXES | ARCHIVES


def _files(path: Path, name: PurePosixPath, passed_over: list[str]) -> Iterator[SourceFile]:
    """Yield a file, or those in an archive."""
    if not (path.is_file() and path.suffix in ARCHIVES and is_zipfile(path)):
        size = path.stat().st_size if path.is_file() else 0
        yield SourceFile(str(path), name, size, _plain(_whole(path)))
        return
    with ZipFile(path) as archive:
        members = sorted(archive.infolist(), key=lambda each: each.filename)
    for member in members:
        inside, place = PurePosixPath(member.filename), f"{path}:{member.filename}"
        if _is_source(inside):
            content = _plain(_member(path, member.filename))
            yield SourceFile(place, name / inside, member.compress_size, content)
        elif not member.is_dir():
            passed_over.append(place)


def _whole(path: Path) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            return path.read_bytes()
        except OSError as error:
            raise UnreadableSource(f"cannot be read: {error.strerror or error}") from error

    return read


def _member(path: Path, name: str) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with ZipFile(path) as archive:
                return archive.read(name)
        except _UNREADABLE as error:
            raise UnreadableSource(f"cannot be read: {error}") from error

    return read


def _plain(content: Callable[[], bytes]) -> Callable[[], bytes]:
    """Return the content without its compression."""

    def read() -> bytes:
        data = content()
        try:
            if data.startswith(_GZIP):
                return gzip.decompress(data)
            if data.startswith(_ZSTD):
                return decompress(data)
        except (OSError, EOFError, ZstdError) as error:
            raise UnreadableSource(f"its compression is broken: {error}") from error
        if data.startswith(_ZIP):
            raise UnreadableSource(
                "a ZIP archive inside another, or of a name without .zip: unpack it, or rename it"
            )
        return data

    return read
