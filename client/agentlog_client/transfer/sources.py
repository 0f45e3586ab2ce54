"""What is watched: files that grow, and others that are made of what an agent keeps elsewhere."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

Stamp = tuple[int, int]
"""Size and time of the last change, or the like: another one says that it has changed."""


class Source(NamedTuple):
    """A file by its name in the folder; `open` raises `OSError` where it is gone."""

    name: str
    stamp: Stamp
    open: Callable[[], BinaryIO]


def files_in(folder: Path, is_watched: Callable[[Path], bool]) -> Iterator[Source]:
    """Yield the files that are watched in a folder; no link leads out of it."""
    root = folder.resolve()
    for path in sorted(filter(is_watched, folder.rglob("*"))):
        try:
            status = path.stat()
        except OSError:  # it is gone again
            continue
        if path.is_file() and path.resolve().is_relative_to(root):
            name = path.relative_to(folder).as_posix()
            yield Source(name, (status.st_size, status.st_mtime_ns), partial(_opened, path))


def _opened(path: Path) -> BinaryIO:
    return path.open("rb")
