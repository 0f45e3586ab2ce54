"""Bounds of what a file is made of: parsed JSON takes many times the memory of its text."""

from collections.abc import Callable
from dataclasses import replace

from agentlog.infrastructure.transfer.files.source_file import SourceFile, UnreadableSource

_PIECE = 2**20
_TEXT = bytes(set(range(256)) - set(b'[]{}:,"\n'))
_MOST_PARTS = 16_000_000
_PARTS_OF_A_LINE = 8


def bounded(file: SourceFile, *, most_bytes: int) -> SourceFile:
    """Return a file whose content is refused where it is larger, or has more parts, than read."""
    return replace(file, content=_bounded(file.content, most_bytes))


def _bounded(content: Callable[[], bytes], most_bytes: int) -> Callable[[], bytes]:
    def read() -> bytes:
        data = content()
        if len(data) > most_bytes:
            raise UnreadableSource(f"it is larger than {most_bytes:,} bytes: split it")
        if _parts(data) > _MOST_PARTS:
            raise UnreadableSource(
                f"it has more than {_MOST_PARTS:,} brackets, commas and lines: split it"
            )
        return data

    return read


def _parts(data: bytes) -> int:
    """Return about how many values there are, a line counted as several."""
    parts = 0
    for start in range(0, len(data), _PIECE):  # other threads go on meanwhile
        signs = data[start : start + _PIECE].translate(None, _TEXT)
        parts += len(signs) + signs.count(b"\n") * (_PARTS_OF_A_LINE - 1)
    return parts
