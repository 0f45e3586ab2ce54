"""What the rows of snapshots hold: carries as packed JSON, and what their lists grew by.

The items of a list stand in a row as they are printed, one after the other: a line before them says
of each list how many of it were there, how many more there are, and how many bytes they take. So
whoever reads a long list copies texts, and parses nothing.
"""

import zlib
from collections.abc import Mapping

from domain.json_text import JsonValue, parse_stored, print_bytes
from projections.growth import Growth

GARBAGE = (zlib.error, ValueError, TypeError, AttributeError)
"""What reading garbage comes to."""

FORMAT = 2
"""To be raised when rows change their meaning, whatever the view."""


def packed(text: bytes) -> bytes:
    """Return a text as rows hold it."""
    return zlib.compress(text, 1)


def unpacked(data: bytes) -> JsonValue:
    """Return the value that was packed; the format's checksum finds what has changed since."""
    return parse_stored(zlib.decompress(data))


def packed_lists(lists: Mapping[str, Growth]) -> bytes:
    """Return what lists grew by as rows hold it."""
    head = {name: (each.kept, each.count, len(each.added)) for name, each in lists.items()}
    return packed(b"\n".join([print_bytes(head), b"".join(each.added for each in lists.values())]))


def unpacked_lists(data: bytes) -> dict[str, Growth]:
    """Return what lists grew by; raises one of `GARBAGE` where it cannot be that."""
    text = zlib.decompress(data)
    end = text.index(b"\n")
    found: dict[str, Growth] = {}
    start = end + 1
    for name, (kept, count, size) in parse_stored(text[:end]).items():
        found[name] = Growth(kept, count, text[start : start + size])
        start += size
    if start != len(text):
        raise ValueError(f"{len(text) - start} bytes more than its lists")
    return found
