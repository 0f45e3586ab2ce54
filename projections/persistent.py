"""Lists and maps for carries: whoever holds an older one keeps what it was.

A tuple or dict that is copied at every change makes a fold over 100,000 events cost the square of
that. These copy little, and are plain frozen values that go through JSON as they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Generic, TypeVar

ItemT = TypeVar("ItemT")
ValueT = TypeVar("ValueT")

_CHUNK = 32


@dataclass(frozen=True, slots=True)
class Chunks(Generic[ItemT]):
    """A list to append to: an append copies less than a chunk, and now and then the full ones."""

    full: tuple[tuple[ItemT, ...], ...] = ()
    tail: tuple[ItemT, ...] = ()

    @classmethod
    def of(cls, items: Sequence[ItemT]) -> "Chunks[ItemT]":
        """Return the list that appending these one by one gives."""
        end = len(items) - len(items) % _CHUNK
        full = (tuple(items[start : start + _CHUNK]) for start in range(0, end, _CHUNK))
        return cls(tuple(full), tuple(items[end:]))

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self.full) * _CHUNK + len(self.tail)

    def append(self, item: ItemT) -> "Chunks[ItemT]":
        """Return the list with `item` at its end."""
        tail = (*self.tail, item)
        if len(tail) < _CHUNK:
            return Chunks(self.full, tail)
        return Chunks((*self.full, tail))

    def beyond(self, earlier: "Chunks[ItemT]") -> tuple[int, tuple[ItemT, ...]]:
        """Return how many items of `earlier` this list begins with, all or none, and those after.

        Costs what the items after cost, where this list came from `earlier` by appending.
        """
        count = len(earlier.full)
        chunks = (*self.full[count:], self.tail)
        begins = chunks[0][: len(earlier.tail)] == earlier.tail
        if not (begins and self.full[:count] == earlier.full):
            return 0, tuple(self)
        return earlier.size, tuple(islice(chain.from_iterable(chunks), len(earlier.tail), None))

    def __iter__(self) -> Iterator[ItemT]:
        for chunk in self.full:
            yield from chunk
        yield from self.tail

    def __bool__(self) -> bool:
        return bool(self.full or self.tail)


@dataclass(frozen=True, slots=True)
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
