"""The encoding of protobuf (protobuf.dev/programming-guides/encoding): fields of messages."""

from collections.abc import Iterator

from agentlog.extensions.traces.api.otlp.work import Work

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""How a value is encoded."""

_FIXED_SIZES = {FIXED64: 8, FIXED32: 4}
_ENCODING, _MORE, _SEVEN_BITS, _SIXTY_FOUR_BITS = 7, 0x80, 0x7F, 2**64 - 1
_MOST_BITS = 70  # ten bytes
_LEAST_TAG = 1 << 3


class Malformed(ValueError):
    """The bytes are no message."""


def tag(number: int, encoding: int) -> int:
    """Return the tag of a field."""
    return number << 3 | encoding


class Wire:
    """The bytes of a message and of those within it; each field that is read counts as a part."""

    __slots__ = ("data", "work")

    def __init__(self, data: bytes, work: Work) -> None:
        self.data = data
        self.work = work

    def fields(self, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield the tag of each field, and begin and end of its value; a varint is its own begin.

        Raises:
            Malformed: as also for the groups of proto2.
            TooManyParts: before more is read than the request may hold.
        """
        data, work, at = self.data, self.work, begin
        try:
            while at < end:
                work.add_parts(1)
                # most numbers have one byte: a call for each would take twice as long
                head, at = (data[at], at + 1) if data[at] < _MORE else self._varint(at)
                encoding = head & _ENCODING
                if encoding == LENGTH:
                    size, value = (data[at], at + 1) if data[at] < _MORE else self._varint(at)
                    at = value + size
                elif encoding == VARINT:
                    value, at = self._varint(at)
                elif encoding in _FIXED_SIZES:
                    value, at = at, at + _FIXED_SIZES[encoding]
                else:
                    raise Malformed
                if at > end or head < _LEAST_TAG:
                    raise Malformed
                yield head, value, at
        except IndexError:
            raise Malformed from None

    def _varint(self, at: int) -> tuple[int, int]:
        """Return the number at a place, and the place after it."""
        value = 0
        for bits in range(0, _MOST_BITS, 7):
            byte = self.data[at]
            at += 1
            value |= (byte & _SEVEN_BITS) << bits
            if byte < _MORE:
                return value & _SIXTY_FOUR_BITS, at
        raise Malformed
