"""Files that make one document together, by their paths.

A path is the file's place with `/` between its parts; an archive counts as a folder.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

ReadFile = Callable[[str], bytes]
"""Returns the bytes of the file at a path."""


@dataclass(frozen=True, slots=True)
class JoinedFiles:
    """Files that make one document.

    `path` names the document: it is one of its files, or a folder that they are in. `files` are
    what `read` makes the document of, `beside` what has no more than they; neither is read by
    itself. `are_lines` if each file is a line of the document.
    """

    path: str
    files: Sequence[str]
    read: Callable[[ReadFile], bytes]
    beside: Collection[str] = ()
    are_lines: bool = False


Join = Callable[[AbstractSet[str]], Iterator[JoinedFiles]]
"""Yields the documents that several of these files make, in the order of the files."""


def folder_of(path: str) -> str:
    """Return the folder of a file or folder, empty for none."""
    return path.rpartition("/")[0]


def within(folder: str, name: str) -> str:
    """Return the path of a file or folder in a folder."""
    return f"{folder}/{name}" if folder else name


def as_lines(path: str, files: Sequence[str], beside: Collection[str]) -> JoinedFiles:
    """Return the document whose lines are these files."""

    def read(content: ReadFile) -> bytes:
        # a newline in JSON is only white space
        return b"\n".join(content(file).replace(b"\n", b" ") for file in files)

    return JoinedFiles(path, files, read, beside, are_lines=True)
