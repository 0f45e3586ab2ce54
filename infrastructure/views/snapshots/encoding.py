"""Encoding of snapshot rows: carries as packed JSON, growth of their lists, and items.

The items of a view, and those of a list in a carry, are stored as they are printed, one after the
other, behind an index line. A read copies texts and parses nothing; the growth of lists is unpacked
only when it is printed.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import cast

from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.projections.carries.growth import Growth
from agentlog.projections.view import Printed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GARBAGE = (zstd.ZstdError, ValueError, TypeError, AttributeError)
"""The errors that reading garbage raises."""

FORMAT = 6
"""Format version of rows, for all views; increment it when their meaning changes."""

_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 1}


def packed(text: bytes) -> bytes:
    """Return a text compressed as rows hold it: Zstandard, about an eighth of a view's size."""
    return zstd.compress(text, options=_OPTIONS)


def unpacked(data: bytes) -> JsonValue:
    """Return the packed value; raises one of `GARBAGE` if the data is invalid."""
    return parse_stored(zstd.decompress(data))


class PackedText:
    """A text of `size` bytes that is unpacked on each use."""

    __slots__ = ("_data", "_size")

    def __init__(self, data: memoryview, size: int) -> None:
        self._data, self._size = data, size

    def __len__(self) -> int:
        return self._size

    def __bytes__(self) -> bytes:
        return zstd.decompress(self._data)


def packed_lists(lists: Mapping[str, Growth]) -> bytes:
    """Return the growth of lists as rows hold it.

    For each list: how many items stay, how many are added, and their bytes, unpacked and packed.
    """
    texts = {
        name: packed(bytes(growth.added)) if growth.count else b"" for name, growth in lists.items()
    }
    head = {
        name: (growth.kept, growth.count, len(growth.added), len(texts[name]))
        for name, growth in lists.items()
    }
    return b"\n".join([print_bytes(head), b"".join(texts.values())])


def unpacked_lists(data: bytes) -> dict[str, Growth]:
    """Return the growth of lists; raises one of `GARBAGE` if the data is invalid."""
    end = data.index(b"\n")
    texts = memoryview(data)
    lists: dict[str, Growth] = {}
    start = end + 1
    # as `packed_lists` wrote it: the seal says so; any other shape raises one of `GARBAGE`
    head = cast("dict[str, tuple[int, int, int, int]]", parse_stored(data[:end]))
    for name, (kept, count, size, room) in head.items():
        text = texts[start : start + room]
        lists[name] = Growth(kept, count, PackedText(text, size))
        start += room
    if start != len(data):
        raise ValueError(f"{len(data) - start} bytes more than its lists")
    return lists


def packed_items(items: Sequence[Printed]) -> bytes:
    """Return items as rows hold them: version, ordinal and bytes of each, then their texts."""
    head = [(version, ordinal, len(text)) for version, ordinal, text in items]
    return packed(b"\n".join([print_bytes(head), b"".join(item.text for item in items)]))


def unpacked_items(data: bytes) -> list[Printed]:
    """Return the packed items; raises one of `GARBAGE` if the data is invalid."""
    text = zstd.decompress(data)
    start = text.index(b"\n")
    # as `packed_items` wrote it, see above
    head = cast("list[tuple[int, int, int]]", parse_stored(text[:start]))
    start += 1
    items: list[Printed] = []
    for version, ordinal, size in head:
        items.append(Printed(version, ordinal, text[start : start + size]))
        start += size
    if start != len(text):
        raise ValueError(f"{len(text) - start} bytes more than its items")
    return items
