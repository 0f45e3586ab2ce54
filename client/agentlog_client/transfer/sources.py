"""What is watched: files that grow, and others that are made of what an agent keeps elsewhere."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from agentlog_client.transfer.agents import WatchedAgent

Stamp = tuple[int, int]
"""Size and time of the last change: another one says that it has changed."""


class Source(NamedTuple):
    """A file by its name in the folder; `open` raises `OSError` where it is gone."""

    name: str
    stamp: Stamp
    open: Callable[[], BinaryIO]


def sources_in(folder: Path, suffixes: tuple[str, ...], agent: WatchedAgent | None) -> list[Source]:
    """Return the files that are watched in a folder: those of an agent, or all with histories."""
    return list(_sources(folder, suffixes, agent))


def _sources(
    folder: Path, suffixes: tuple[str, ...], agent: WatchedAgent | None
) -> Iterator[Source]:
    for path in sorted(folder.rglob("*")):
        is_watched = path.name.endswith(suffixes) if agent is None else agent.writes(path)
        if not is_watched:
            continue
        try:
            status = path.stat()
        except OSError:  # it is gone again
            continue
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            yield Source(
                path.relative_to(folder).as_posix(),
                (status.st_size, status.st_mtime_ns),
                partial(_opened, path),
            )


def _opened(path: Path) -> BinaryIO:
    return path.open("rb")
