"""What the rows of snapshots hold: carries as packed JSON, what their lists grew by, and items.

The items of a view, and those of a list in a carry, stand in a row as they are printed, one after
the other, behind a line that says which they are. So whoever reads them copies texts, and parses
nothing.
"""

import sys
from collections.abc import Mapping, Sequence

from domain.json_text import JsonValue, parse_stored, print_bytes
from projections.growth import Growth
from projections.view import Printed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GARBAGE = (zstd.ZstdError, ValueError, TypeError, AttributeError)
"""What reading garbage comes to."""

FORMAT = 3
"""To be raised when rows change their meaning, whatever the view."""


_OPTIONS: dict[int, int] = {
    zstd.CompressionParameter.compression_level: 1,
    zstd.CompressionParameter.checksum_flag: 1,  # finds what has changed since
}


def packed(text: bytes) -> bytes:
    """Return a text as rows hold it: in Zstandard's format, an eighth of views as they are."""
    return zstd.compress(text, options=_OPTIONS)


def unpacked(data: bytes) -> JsonValue:
    """Return the value that was packed; raises one of `GARBAGE` where it was none."""
    return parse_stored(zstd.decompress(data))


def packed_lists(lists: Mapping[str, Growth]) -> bytes:
    """Return what lists grew by as rows hold it: of each how many stay, how many come, in bytes."""
    head = {name: (each.kept, each.count, len(each.added)) for name, each in lists.items()}
    return packed(b"\n".join([print_bytes(head), b"".join(each.added for each in lists.values())]))


def unpacked_lists(data: bytes) -> dict[str, Growth]:
    """Return what lists grew by; raises one of `GARBAGE` where it cannot be that."""
    text = zstd.decompress(data)
    end = text.index(b"\n")
    found: dict[str, Growth] = {}
    start = end + 1
    for name, (kept, count, size) in parse_stored(text[:end]).items():
        found[name] = Growth(kept, count, text[start : start + size])
        start += size
    if start != len(text):
        raise ValueError(f"{len(text) - start} bytes more than its lists")
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
