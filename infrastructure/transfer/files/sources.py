"""Finds the files to import: in folders and archives, compressed or not, or on standard input."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath

from agentlog.infrastructure.transfer.files.content import (
    Archives,
    is_zipfile,
    plain,
    refused,
    whole,
)
from agentlog.infrastructure.transfer.files.joined import joined
from agentlog.infrastructure.transfer.files.source_file import SourceFile, UnreadableSource
from agentlog.projections.readers.registry import suffixes_of

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


def find_sources(paths: Sequence[Path]) -> Sources:
    """Return the files that `paths` name, folders and archives searched recursively.

    Raises:
        UnreadableSource: a path does not exist, or a folder has no file to import.
    """
    files: list[SourceFile] = []
    passed_over: dict[str, str] = {}
    archives = Archives()
    for path in paths:
        if path == STANDARD_INPUT:
            files.append(SourceFile("-", PurePosixPath(), 0, plain(sys.stdin.buffer.read, 0)))
        elif path.is_dir():
            inside = [
                _files(
                    file, PurePosixPath(file.relative_to(path).as_posix()), archives, passed_over
                )
                for file in _in_folder(path, passed_over)
            ]
            files += joined(list(chain.from_iterable(inside)))
        elif path.exists():  # a pipe is no file, but can be read as one
            files += joined(list(_files(path, PurePosixPath(path.name), archives, passed_over)))
        else:
            raise UnreadableSource(f"{path}: no such file or folder")
    return Sources(files, passed_over)


def _in_folder(folder: Path, passed_over: dict[str, str]) -> list[Path]:
    """Return the files to import in a folder; no link leads out of it, or to a folder."""
    inside = sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    root, chosen = folder.resolve(), list[Path]()
    for path in inside:
        if not (path.is_file() and _is_source(path)):
            passed_over[str(path)] = _BY_NAME
        elif not path.resolve().is_relative_to(root):
            passed_over[str(path)] = "it is a link out of the folder"
        else:
            chosen.append(path)
    if not chosen:
        known = ", ".join(sorted(_suffixes()))
        raise UnreadableSource(f"{folder}: no file in it ends in {known}")
    return chosen


def _is_source(path: Path | PurePosixPath) -> bool:
    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    return name.name.endswith(_suffixes())


def _suffixes() -> tuple[str, ...]:
    """Return how files with histories end; of a folder or an archive, others are passed over."""
    return (*_OF_ANY_JSON, *suffixes_of("json"), *suffixes_of("text"), *_archives())


def _archives() -> tuple[str, ...]:
    return (_ARCHIVE, *suffixes_of("zip"))


def _files(
    path: Path, name: PurePosixPath, archives: Archives, passed_over: dict[str, str]
) -> Iterator[SourceFile]:
    """Yield a file, or those in an archive."""
    size = path.stat().st_size if path.is_file() else 0
    if not (path.is_file() and (path.name.endswith(_archives()) or is_zipfile(path))):
        yield SourceFile(str(path), name, size, plain(whole(path), size))
        return
    try:
        members = archives.members(path)
    except UnreadableSource as error:
        yield SourceFile(str(path), name, size, refused(error))
        return
    for member in members:
        inside = PurePosixPath(member.filename)
        place = f"{path}:{inside}"
        if _is_source(inside):
            content = plain(archives.content(path, member), member.compress_size)
            yield SourceFile(place, name / inside, member.compress_size, content)
        elif not member.is_dir():
            passed_over[place] = _BY_NAME
