"""Finds the files to import: in folders and archives, compressed or not, or on standard input."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from agentlog.infrastructure.transfer.files.content import (
    MOST_BYTES,
    Archives,
    is_zipfile,
    plain,
    refused,
    whole,
)
from agentlog.infrastructure.transfer.files.source_file import SourceFile, UnreadableSource
from agentlog.projections.readers.history import JoinedFiles
from agentlog.projections.readers.registry import FORMATS, suffixes_of

_OF_ANY_JSON = (".json", ".jsonl", ".ndjson")
_ARCHIVE = ".zip"
COMPRESSED = frozenset({".gz", ".zst"})
STANDARD_INPUT = Path("-")


@dataclass(frozen=True, slots=True)
class Sources:
    """What there is to import, in order of names; and the files that are passed over, and why."""

    files: Sequence[SourceFile]
    passed_over: Mapping[str, str]


_BY_NAME = "by its name it has no histories"


class NamedPath(NamedTuple):
    """A file or folder to import, and the name by which reports call it."""

    path: Path
    name: str


def find_sources(paths: Sequence[Path]) -> Sources:
    """Return the files that `paths` name, folders and archives searched recursively.

    Raises:
        UnreadableSource: a path does not exist, or a folder has no file to import.
    """
    return find_named_sources([NamedPath(path, str(path)) for path in paths])


def find_named_sources(paths: Sequence[NamedPath], *, most_bytes: int = MOST_BYTES) -> Sources:
    """Return and raise as `find_sources` does; at most `most_bytes` are unpacked of each file."""
    finder = _Finder(most_bytes)
    files = [file for path, name in paths for file in finder.files(path, name)]
    return Sources(files, finder.passed_over)


class _Finder:
    """Finds files; `passed_over` are those that it leaves out."""

    def __init__(self, most_bytes: int) -> None:
        self.passed_over: dict[str, str] = {}
        self._most_bytes = most_bytes
        self._archives = Archives(most_bytes)

    def files(self, path: Path, name: str) -> Iterator[SourceFile]:
        """Yield the files that a path names."""
        if path == STANDARD_INPUT:
            content = plain(sys.stdin.buffer.read, 0, self._most_bytes)
            yield SourceFile(name, PurePosixPath(), 0, content)
        elif path.is_dir():
            yield from self._in_folder(path, name)
        elif path.exists():  # a pipe is no file, but can be read as one
            inside = PurePosixPath() if name == str(STANDARD_INPUT) else PurePosixPath(path.name)
            yield from joined(list(self._files(path, name, inside)))
        else:
            raise UnreadableSource(f"{name}: no such file or folder")

    def _in_folder(self, folder: Path, name: str) -> Iterator[SourceFile]:
        """Yield the files to import in a folder; no link leads out of it, or to a folder."""
        inside = sorted(
            path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
        )
        root, files, has_sources = folder.resolve(), list[SourceFile](), False
        for path in inside:
            relative = PurePosixPath(path.relative_to(folder).as_posix())
            place = str(Path(name) / relative)
            if not (path.is_file() and _is_source(path)):
                self.passed_over[place] = _BY_NAME
            elif not path.resolve().is_relative_to(root):
                self.passed_over[place] = "it is a link out of the folder"
            else:
                has_sources = True
                files += self._files(path, place, relative)
        if not has_sources:
            known = ", ".join(sorted(suffixes()))
            raise UnreadableSource(f"{name}: no file in it ends in {known}")
        yield from joined(files)

    def _files(self, path: Path, place: str, name: PurePosixPath) -> Iterator[SourceFile]:
        """Yield a file, or those in an archive."""
        stamp = size, _ = _size_and_time(path)
        if not (path.is_file() and (path.name.endswith(_archives()) or is_zipfile(path))):
            content = plain(whole(path), size, self._most_bytes)
            yield SourceFile(place, name, size, content, stamp=stamp)
            return
        try:
            members = self._archives.members(path)
        except UnreadableSource as error:
            yield SourceFile(place, name, size, refused(error), stamp=stamp)
            return
        for member in members:
            inside = PurePosixPath(member.filename)
            if _is_source(inside):
                yield SourceFile(
                    f"{place}:{inside}",
                    name / inside,
                    member.compress_size,
                    plain(
                        self._archives.content(path, member),
                        member.compress_size,
                        self._most_bytes,
                    ),
                    stamp=stamp,
                )
            elif not member.is_dir():
                self.passed_over[f"{place}:{inside}"] = _BY_NAME


def _is_source(path: Path | PurePosixPath) -> bool:
    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    return name.name.endswith(suffixes())


def suffixes() -> tuple[str, ...]:
    """Return how files with histories end; of a folder or an archive, others are passed over."""
    return (*_OF_ANY_JSON, *suffixes_of("json"), *suffixes_of("text"), *_archives())


def _archives() -> tuple[str, ...]:
    return (_ARCHIVE, *suffixes_of("zip"))


def _size_and_time(path: Path) -> tuple[int, int]:
    """Return the size of a file and when it changed, in ns; 0 of what has none, or is gone."""
    try:
        status = path.stat()
    except OSError:  # its content says so
        return 0, 0
    return status.st_size if path.is_file() else 0, status.st_mtime_ns


def joined(files: Sequence[SourceFile]) -> Iterator[SourceFile]:
    """Yield files; of those that make a document together, the document."""
    by_path = {_path(file): file for file in files}
    left = dict(by_path)
    for known in FORMATS.values():
        documents = [] if known.join is None else list(known.join(left.keys()))
        for document in documents:
            yield _file_of(document, by_path)
            for path in (*document.files, *document.beside):
                left.pop(path, None)
    yield from left.values()


def _path(file: SourceFile) -> str:
    """Return a file's path as joins see it: its place, where an archive counts as a folder."""
    return f"{_root(file)}{file.path}"


def _root(file: SourceFile) -> str:
    return file.place[: len(file.place) - len(str(file.path))]


def _file_of(document: JoinedFiles, by_path: Mapping[str, SourceFile]) -> SourceFile:
    files = [by_path[path] for path in document.files]
    first = by_path.get(document.path, files[0])
    return SourceFile(
        place=first.place[: len(document.path)] or ".",
        path=PurePosixPath(_name(document.path, _root(first))),
        size=sum(file.size for file in files),
        content=lambda: document.read(lambda path: by_path[path].content()),
        lines=[file.place for file in files] if document.are_lines else (),
        stamp=tuple(file.stamp for file in files),
    )


def _name(path: str, root: str) -> str:
    """Return a path without the folder that was given; of that folder itself, its name."""
    return path.removeprefix(root) if path.startswith(root) else PurePosixPath(path).name
