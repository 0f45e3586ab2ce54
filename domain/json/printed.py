"""Arrays of JSON already printed, kept as pieces and not joined into one text."""

from collections.abc import Sequence
from typing import Protocol

_RUN = 64
"""Items joined into one text: joining costs less than handling each."""


class Text(Protocol):
    """JSON bytes, or an object with their length that makes them by `bytes(text)`."""

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

    Opaque; serialise only.
    """

    __slots__ = ("texts",)

    def __init__(self, texts: Sequence[Text]) -> None:
        self.texts = texts

    @classmethod
    def of(cls, items: Sequence[bytes]) -> "PrintedArray":
        """Return an array of these JSON texts."""
        return cls([_Run(items[n : n + _RUN]) for n in range(0, len(items), _RUN)])

    @property
    def pieces(self) -> Sequence[Text]:
        """Its printed pieces, brackets included."""
        pieces: list[Text] = [b","] * (2 * len(self.texts) - 1)
        pieces[::2] = self.texts
        return [b"[", *pieces, b"]"]

    def __bytes__(self) -> bytes:
        return b"".join(map(bytes, self.pieces))
