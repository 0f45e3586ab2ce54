"""JSON that is printed already, in pieces: long arrays that nobody has to put into one text."""

from collections.abc import Sequence
from typing import Protocol

_RUN = 64
"""Items that are one text: to handle each by itself takes longer than to put them together."""


class Text(Protocol):
    """Some JSON: bytes, or what says how many they are and has them made by `bytes(text)`."""

    def __len__(self) -> int: ...

    def __bytes__(self) -> bytes: ...


class _Run:
    """Several items as one text."""

    __slots__ = ("_items",)

    def __init__(self, items: Sequence[bytes]) -> None:
        self._items = items

    def __len__(self) -> int:
        return sum(map(len, self._items)) + len(self._items) - 1

    def __bytes__(self) -> bytes:
        return b",".join(self._items)


class PrintedArray:
    """An array of `texts`, of an item each or of several with commas between them.

    It prints as such wherever it stands in a value, and is good for nothing else.
    """

    __slots__ = ("texts",)

    def __init__(self, texts: Sequence[Text]) -> None:
        self.texts = texts

    @classmethod
    def of(cls, items: Sequence[bytes]) -> "PrintedArray":
        """Return an array of these, each of which is JSON."""
        return cls([_Run(items[n : n + _RUN]) for n in range(0, len(items), _RUN)])

    @property
    def pieces(self) -> Sequence[Text]:
        """What it prints as, from bracket to bracket."""
        pieces: list[Text] = [b","] * (2 * len(self.texts) - 1)
        pieces[::2] = self.texts
        return [b"[", *pieces, b"]"]

    def __bytes__(self) -> bytes:
        return b"".join(map(bytes, self.pieces))
