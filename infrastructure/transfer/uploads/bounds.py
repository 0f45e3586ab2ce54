"""Bounds of what a file is made of: parsed JSON takes many times the memory of its text."""

import re
from collections.abc import Callable
from dataclasses import replace

from agentlog.infrastructure.transfer.files.source_file import SourceFile, UnreadableSource

_PIECE = 2**20
_STRING = re.compile(rb'"(?:[^"\\\n]++|\\[^\n])*+\\?(?:"|(?=\n)|\Z)')
_TEXT = bytes(set(range(256)) - set(b"[]{}:,\n"))
_NO_SIGNS = bytes(set(_TEXT) - set(b'"'))
_MOST_PARTS = 16_000_000
_PARTS_OF_A_LINE = 8


def bounded(file: SourceFile, *, most_bytes: int) -> SourceFile:
    """Return a file whose content is refused where it is larger, or has more parts, than read."""
    return replace(file, content=_bound(file.content, most_bytes))


def _bound(content: Callable[[], bytes], most_bytes: int) -> Callable[[], bytes]:
    def read() -> bytes:
        data = content()
        if len(data) > most_bytes:
            raise UnreadableSource(f"it is larger than {most_bytes:,} bytes: split it")
        if _most_parts(data) > _MOST_PARTS and _parts(data) > _MOST_PARTS:
            raise UnreadableSource(
                f"it has more than {_MOST_PARTS:,} brackets, commas and lines: split it"
            )
        return data

    return read


def _most_parts(data: bytes) -> int:
    """Return how many values there are at most: signs in strings count, which is quicker."""
    parts = 0
    for begin in range(0, len(data), _PIECE):  # in pieces: other threads go on meanwhile
        signs = data[begin : begin + _PIECE].translate(None, _NO_SIGNS)
        parts += len(signs) + signs.count(b"\n") * (_PARTS_OF_A_LINE - 1)
    return parts


def _parts(data: bytes) -> int:
    """Return about how many values there are, a line counted as several; or that there are many.

    Signs in strings do not count. A string ends with its line at the latest.
    """
    parts, begin, is_in_string = 0, 0, False
    while begin < len(data):  # in pieces: other threads go on meanwhile
        end = data.rfind(b"\n", begin, begin + _PIECE) + 1
        ends_line = end > 0
        if not ends_line:
            end = begin + _PIECE
            while data[end - 1 : end] == b"\\":  # with what it escapes
                end += 1
        piece = b'"' + data[begin:end] if is_in_string else data[begin:end]
        begin = end
        quotes = piece.replace(rb"\\", b"").replace(rb"\"", b"").count(b'"')
        is_in_string = not ends_line and quotes % 2 == 1
        text, strings = _STRING.subn(b"", piece)
        signs = text.translate(None, _TEXT)
        parts += strings + len(signs) + signs.count(b"\n") * (_PARTS_OF_A_LINE - 1)
        if parts > _MOST_PARTS:
            break
    return parts
