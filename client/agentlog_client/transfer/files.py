"""Finds the files of an import."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from agentlog_client.errors import AgentlogError

STANDARD_INPUT = "-"


class NoSuchPath(AgentlogError):
    """What is to be imported is not there."""


class FoundFile(NamedTuple):
    """A file, and the name by which reports call it."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class Files:
    """What there is to send: `paths` as the service knows them, and why others are left out."""

    paths: Sequence[str]
    files: Sequence[FoundFile]
    passed_over: dict[str, str] = field(default_factory=dict)


def named(path: Path) -> str:
    """Return a path as the service knows it: a folder ends in `/`; raises `NoSuchPath`."""
    if path.is_dir():
        return f"{str(path).rstrip('/')}/"
    if str(path) != STANDARD_INPUT and not path.exists():
        raise NoSuchPath(f"{path}: no such file or folder")
    return str(path)


def files_of(paths: Sequence[Path], suffixes: Sequence[str]) -> Files:
    """Return the files of paths; in folders, those whose names end so."""
    files = Files([named(path) for path in paths], [])
    return Files(
        files.paths,
        [file for path in paths for file in _files(path, tuple(suffixes), files.passed_over)],
        files.passed_over,
    )


def _files(
    path: Path, suffixes: tuple[str, ...], passed_over: dict[str, str]
) -> Iterator[FoundFile]:
    if not path.is_dir():
        yield FoundFile(path, str(path))
        return
    root, prefix = path.resolve(), named(path)
    inside = sorted(entry for entry in path.rglob("*") if entry.is_symlink() or not entry.is_dir())
    for file in inside:
        if not (file.is_file() and file.name.endswith(suffixes)):
            passed_over[str(file)] = "by its name it has no histories"
        elif not file.resolve().is_relative_to(root):
            passed_over[str(file)] = "it is a link out of the folder"
        else:
            yield FoundFile(file, f"{prefix}{file.relative_to(path).as_posix()}")
