"""Finds the files to import: in folders and archives, compressed or not, or on standard input."""

import gzip
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from domain.errors import InvalidInput

if sys.version_info >= (3, 14):
    from zipfile import ZipFile

    from compression.zstd import ZstdError, decompress
else:
    from backports.zstd import ZstdError, decompress
    from backports.zstd.zipfile import ZipFile

SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".traj", ".af"})
"""What files with histories are named; of a folder or an archive, others are passed over."""
ARCHIVES = frozenset({".zip", ".eval"})
COMPRESSED = frozenset({".gz", ".zst"})
STANDARD_INPUT = Path("-")

_HEADERS, _SAMPLES = ("header.json", "_journal/start.json"), "samples/"
"""Members of inspect_ai's archives (`.eval`), as it names them."""
_OF_ALL_SAMPLES = frozenset({"header.json", "_journal", "summaries.json", "reductions.json"})
"""Those that are no sample, and are not read by themselves: they repeat the samples."""

_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"


class UnreadableSource(InvalidInput):
    """A file or folder that holds no records."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file.

    `place` names it (`runs.zip:a/b.json` in an archive), `path` is its name in the folder or
    archive that was given, `size` its bytes on disk, about; 0 where unknown.
    `content` returns its bytes, decompressed; it raises `UnreadableSource`.
    """

    place: str
    path: PurePosixPath
    size: int
    content: Callable[[], bytes]

    @property
    def stem(self) -> str:
        """The name without its suffixes; empty for standard input."""
        return self.path.name.removesuffix(".gz").removesuffix(".zst").rpartition(".")[0] or (
            self.path.name
        )


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
            inside = sorted(each for each in path.rglob("*") if each.is_file())
            chosen = [each for each in inside if _is_source(each)]
            if not chosen:
                known = ", ".join(sorted(SUFFIXES | ARCHIVES))
                raise UnreadableSource(f"{path}: no file in it ends in {known}")
            passed_over += (str(each) for each in inside if not _is_source(each))
            for each in chosen:
                name = PurePosixPath(each.relative_to(path).as_posix())
                files += _files(each, name, passed_over)
        elif path.exists():  # a pipe is no file, but can be read as one
            files += _files(path, PurePosixPath(path.name), passed_over)
        else:
            raise UnreadableSource(f"{path}: no such file or folder")
    return Sources(files, passed_over)


def _is_source(path: Path | PurePosixPath) -> bool:
    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    return name.suffix in SUFFIXES | ARCHIVES


def _files(path: Path, name: PurePosixPath, passed_over: list[str]) -> Iterator[SourceFile]:
    """Yield a file, or those in an archive."""
    if path.is_file() and path.suffix in ARCHIVES and zipfile.is_zipfile(path):
        with ZipFile(path) as archive:
            members = [each for each in archive.infolist() if not each.is_dir()]
        header = _log_header(path, [each.filename for each in members])
        for member in members:
            inside = PurePosixPath(member.filename)
            place = f"{path}:{member.filename}"
            if header is not None and inside.parts[0] in _OF_ALL_SAMPLES:
                continue
            if not _is_source(inside):
                passed_over.append(place)
                continue
            content = _member(path, member.filename)
            if header is not None:
                content = _log_of(_member(path, header), content)
            yield SourceFile(place, name / inside, member.compress_size, _plain(content))
        return
    size = path.stat().st_size if path.is_file() else 0
    yield SourceFile(str(path), name, size, _plain(_whole(path)))


def _log_header(path: Path, names: Sequence[str]) -> str | None:
    """Return the member with what inspect_ai's log says of all samples, None of other archives.

    The log of a run that did not end has none but the first entry of its journal.
    """
    is_log = path.suffix == ".eval" and any(name.startswith(_SAMPLES) for name in names)
    return next((each for each in _HEADERS if is_log and each in names), None)


def _log_of(header: Callable[[], bytes], sample: Callable[[], bytes]) -> Callable[[], bytes]:
    """Return the log as if it had one sample only, in the form of inspect_ai's JSON files."""

    def read() -> bytes:
        head = header().rstrip()
        if not head.endswith(b"}"):
            raise UnreadableSource("the log's header is no JSON object")
        return head[:-1] + b', "samples": [' + sample() + b"]}"

    return read


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
        except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, ZstdError) as error:
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
            raise UnreadableSource("a ZIP archive: give it a name that ends in .zip")
        return data

    return read
