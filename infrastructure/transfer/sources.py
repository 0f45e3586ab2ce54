"""Finds the files to import: in folders and archives, compressed or not, or on standard input."""

import gzip
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path, PurePosixPath

from domain.errors import InvalidInput

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
_NUMBERED = re.compile(r"event-(\d{5,})-[0-9A-Fa-f-]{8,}\.json")
_BEFORE = "base_state.json"
"""OpenHands writes a conversation as a folder: this file, and `events` with those numbered."""
_HEADERS, _SAMPLES = ("header.json", "_journal/start.json"), "samples"
"""Members of inspect_ai's archives (`.eval`), as it names them."""

_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"


class UnreadableSource(InvalidInput):
    """A file or folder that holds no records."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file.

    `place` names it (`runs.zip:a/b.json` in an archive), `path` is its name in the folder or
    archive that was given, `size` its bytes on disk, about; 0 where unknown.
    `content` returns its bytes, decompressed; it raises `UnreadableSource`. Where each line stands
    in a file of its own, `lines` are their places.
    """

    place: str
    path: PurePosixPath
    size: int
    content: Callable[[], bytes]
    lines: Sequence[str] = ()

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
            inner = list[SourceFile]()
            for each in chosen:
                name = PurePosixPath(each.relative_to(path).as_posix())
                inner += _files(each, name, passed_over)
            files += _joined(inner)
        elif path.exists():  # a pipe is no file, but can be read as one
            files += _joined(list(_files(path, PurePosixPath(path.name), passed_over)))
        else:
            raise UnreadableSource(f"{path}: no such file or folder")
    return Sources(files, passed_over)


def _is_source(path: Path | PurePosixPath) -> bool:
    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    return name.suffix in SUFFIXES | ARCHIVES


def _files(path: Path, name: PurePosixPath, passed_over: list[str]) -> Iterator[SourceFile]:
    """Yield a file, or those in an archive."""
    if path.is_file() and path.suffix in ARCHIVES and is_zipfile(path):
        with ZipFile(path) as archive:
            members = [
                each
                for each in sorted(archive.infolist(), key=lambda each: each.filename)
                if not each.is_dir()
            ]
        header = _log_header([each.filename for each in members])
        for member in members:
            inside = PurePosixPath(member.filename)
            place = f"{path}:{member.filename}"
            if member.filename == header:
                continue
            if not _is_source(inside) or (header is not None and inside.parts[0] != _SAMPLES):
                passed_over.append(place)
                continue
            content = _member(path, member.filename)
            if header is not None:
                content = _log_of(_member(path, header), content)
            yield SourceFile(place, name / inside, member.compress_size, _plain(content))
        return
    size = path.stat().st_size if path.is_file() else 0
    yield SourceFile(str(path), name, size, _plain(_whole(path)))


def _joined(files: Sequence[SourceFile]) -> Iterator[SourceFile]:
    """Yield files; the numbered documents of a folder as one, of which they are the lines."""
    by_path = {each.path: each for each in files}
    folders: dict[PurePosixPath, list[tuple[int, SourceFile]]] = {}
    for each in files:
        if found := _NUMBERED.fullmatch(each.path.name):
            folders.setdefault(each.path.parent, []).append((int(found[1]), each))
    taken: set[PurePosixPath] = set()
    for folder, numbered in folders.items():
        before = by_path.get(folder.parent / _BEFORE)
        ordered = [each for _, each in sorted(numbered, key=itemgetter(0))]
        lines = [*([] if before is None else [before]), *ordered]
        taken |= {each.path for each in lines}
        yield _as_lines(folder, lines)
    yield from (each for each in files if each.path not in taken)


def _as_lines(folder: PurePosixPath, files: Sequence[SourceFile]) -> SourceFile:
    place = PurePosixPath(files[-1].place).parent
    path = folder.parent if folder.parent.name else PurePosixPath(place.parent.name)

    def read() -> bytes:
        # a newline in JSON is only white space
        return b"\n".join(each.content().replace(b"\n", b" ") for each in files)

    size = sum(each.size for each in files)
    return SourceFile(str(place), path, size, read, [each.place for each in files])


def _log_header(names: Sequence[str]) -> str | None:
    """Return the member with what inspect_ai's log says of all samples, None of other archives.

    The log of a run that did not end has none but the first entry of its journal.
    """
    has_samples = any(name.startswith(f"{_SAMPLES}/") for name in names)
    return next((each for each in _HEADERS if has_samples and each in names), None)


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
            raise UnreadableSource("a ZIP archive: give it a name that ends in .zip")
        return data

    return read
