"""Lists and maps for carries: whoever holds an older one keeps what it was.

A tuple or dict that is copied at every change makes a fold over 100,000 events cost the square of
that. These copy little, and are plain frozen values that go through JSON as they are.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from domain.json.printed import PrintedArray, Text
from domain.json.text import JsonValue, parse_stored, print_to_keep

ValueT = TypeVar("ValueT")

_CHUNK = 32


@dataclass(slots=True)  # not frozen: to make takes four times as long then, for every event
class PrintedList:
    """A list to append to, of items that are printed as JSON already.

    They are printed once, by whoever appends them, and stand so wherever the list goes from there.
    An append copies less than a chunk, and now and then the references to the full ones.
    """

    full: tuple[Text, ...] = ()
    """Items in their order, some to a text, with commas between them; not asked for until shown."""

    tail: tuple[bytes, ...] = ()
    """The items after those, one to a text: less than a chunk."""

    size: int = 0

    @classmethod
    def of(cls, items: Iterable[JsonValue]) -> "PrintedList":
        """Return a list of these."""
        made = cls()
        for item in items:
            made = made.append(print_to_keep(item))
        return made

    def append(self, item: bytes) -> "PrintedList":
        """Return the list with `item`, which is JSON, at its end."""
        tail = (*self.tail, item)
        if len(tail) < _CHUNK:
            return PrintedList(self.full, tail, self.size + 1)
        return PrintedList((*self.full, b",".join(tail)), (), self.size + 1)

    def extend(self, count: int, items: Text) -> "PrintedList":
        """Return the list with so many more at its end, printed with commas between them."""
        return PrintedList((*self.full, *self.tail, items), (), self.size + count)

    def beyond(self, earlier: "PrintedList") -> tuple[int, bytes]:
        """Return how many items of `earlier` this list begins with, all or none, and those after.

        Costs what the items after cost, where this list came from `earlier` by appending.
        """
        count = len(earlier.full)
        same = count if self.full[:count] == earlier.full else 0
        ours = _joined([*self.full[same:], *self.tail])
        theirs = _joined([*earlier.full[same:], *earlier.tail])
        if not theirs:
            return earlier.size, ours
        if ours == theirs:
            return earlier.size, b""
        # whole values before a comma: no value goes on after them
        if ours.startswith(theirs + b","):
            return earlier.size, ours[len(theirs) + 1 :]
        return 0, _joined([*self.full, *self.tail])

    @property
    def json(self) -> JsonValue:
        """The list as a value that can be printed and nothing else."""
        return PrintedArray((*self.full, *self.tail))

    def __iter__(self) -> Iterator[JsonValue]:
        return iter(parse_stored(bytes(PrintedArray((*self.full, *self.tail)))))

    def __bool__(self) -> bool:
        return self.size > 0


@dataclass(slots=True)  # not frozen: to make takes four times as long then, for every event
class Layers(Generic[ValueT]):
    """A map to change: the changes lie in layers, newest last, None where a key was taken away.

    Each layer has at least twice the size of the next, so that a change copies small layers mostly
    and a look-up asks few (the logarithmic method of Bentley and Saxe, 1980).
    """

    layers: tuple[dict[str, ValueT | None], ...] = ()
    size: int = 0

    def get(self, key: str) -> ValueT | None:
        """Return the value of `key`, None where there is none."""
        for layer in reversed(self.layers):
            if key in layer:
                return layer[key]
        return None

    def items(self) -> Iterator[tuple[str, ValueT]]:
        """Yield keys and values, in the order in which the keys first came."""
        merged = {key: value for layer in self.layers for key, value in layer.items()}
        return ((key, value) for key, value in merged.items() if value is not None)

    def with_changes(self, changes: Mapping[str, ValueT | None]) -> "Layers[ValueT]":
        """Return the map with these values; None takes a key away."""
        size = self.size
        for key, value in changes.items():
            size += (value is not None) - (self.get(key) is not None)
        newest = dict(changes)
        kept = self.layers
        while kept and len(kept[-1]) < 2 * len(newest):
            newest = {**kept[-1], **newest}
            kept = kept[:-1]
        if not kept:  # nothing lies below that a None would hide
            newest = {key: value for key, value in newest.items() if value is not None}
        return Layers((*kept, newest), size) if newest else Layers(kept, size)


def _joined(texts: Iterable[Text]) -> bytes:
    return b",".join(map(bytes, texts))
