"""A file to import."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from agentlog.domain.errors import InvalidInput


class UnreadableSource(InvalidInput):
    """A file or folder that holds no records."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file.

    `place` names it (`runs.zip:a/b.json` in an archive), `path` is its name in the folder or
    archive that was given, `size` its bytes on disk, about; 0 where unknown.
    `content` returns its bytes, decompressed; it raises `UnreadableSource`. Where each line stands
    in a file of its own, `lines` are their places. `stamp` changes when the file does; None where
    that is not known.
    """

    place: str
    path: PurePosixPath
    size: int
    content: Callable[[], bytes]
    lines: Sequence[str] = ()
    stamp: Hashable = None

    @property
    def stem(self) -> str:
        """The name without its suffixes; empty for standard input."""
        return self.path.name.removesuffix(".gz").removesuffix(".zst").rpartition(".")[0] or (
            self.path.name
        )
