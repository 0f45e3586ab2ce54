"""What the rows of snapshots hold: carries as packed JSON, what their lists grew by, and items.

The items of a view, and those of a list in a carry, stand in a row as they are printed, one after
the other, behind a line that says which they are. So whoever reads them copies texts, and parses
nothing. What lists grew by is not even unpacked before it is shown.
"""

import sys
from collections.abc import Mapping, Sequence

from domain.json.text import JsonValue, parse_stored, print_bytes
from projections.growth import Growth
from projections.view import Printed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GARBAGE = (zstd.ZstdError, ValueError, TypeError, AttributeError)
"""What reading garbage comes to."""

FORMAT = 5
"""To be raised when rows change their meaning, whatever the view."""

_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 1}


def packed(text: bytes) -> bytes:
    """Return a text as rows hold it: in Zstandard's format, an eighth of views as they are."""
    return zstd.compress(text, options=_OPTIONS)


def unpacked(data: bytes) -> JsonValue:
    """Return the value that was packed; raises one of `GARBAGE` where it was none."""
    return parse_stored(zstd.decompress(data))


class PackedText:
    """A text of `size` bytes that is unpacked whenever it is asked for."""

    __slots__ = ("_data", "_size")

    def __init__(self, data: memoryview, size: int) -> None:
        self._data, self._size = data, size

    def __len__(self) -> int:
        return self._size

    def __bytes__(self) -> bytes:
        return zstd.decompress(self._data)


def packed_lists(lists: Mapping[str, Growth]) -> bytes:
    """Return what lists grew by as rows hold it.

    Of each how many items stay, how many come, and in how many bytes, as they are and packed.
    """
    texts = {name: packed(bytes(each.added)) if each.count else b"" for name, each in lists.items()}
    head = {
        name: (each.kept, each.count, len(each.added), len(texts[name]))
        for name, each in lists.items()
    }
    return b"\n".join([print_bytes(head), b"".join(texts.values())])


def unpacked_lists(data: bytes) -> dict[str, Growth]:
    """Return what lists grew by; raises one of `GARBAGE` where it cannot be that."""
    end = data.index(b"\n")
    texts = memoryview(data)
    found: dict[str, Growth] = {}
    start = end + 1
    for name, (kept, count, size, room) in parse_stored(data[:end]).items():
        text = texts[start : start + room]
        found[name] = Growth(kept, count, PackedText(text, size))
        start += room
    if start != len(data):
        raise ValueError(f"{len(data) - start} bytes more than its lists")
    return found


def packed_items(items: Sequence[Printed]) -> bytes:
    """Return items as rows hold them: of each version, ordinal and bytes, then their texts."""
    head = [(version, ordinal, len(text)) for version, ordinal, text in items]
    return packed(b"\n".join([print_bytes(head), b"".join(item.text for item in items)]))


def unpacked_items(data: bytes) -> list[Printed]:
    """Return items that were packed; raises one of `GARBAGE` where they cannot be that."""
    text = zstd.decompress(data)
    start = text.index(b"\n")
    head = parse_stored(text[:start])
    start += 1
    found: list[Printed] = []
    for version, ordinal, size in head:
        found.append(Printed(version, ordinal, text[start : start + size]))
        start += size
    if start != len(text):
        raise ValueError(f"{len(text) - start} bytes more than its items")
    return found
