"""Persistent lists and maps for carries: changes leave older versions intact.

Copying a tuple or dict at every change would make a fold quadratic. These copy little, and are
plain immutable values that survive JSON.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

from agentlog.domain.json.printed import PrintedArray, Text
from agentlog.domain.json.text import parse_stored, print_bytes, print_to_keep
from agentlog.domain.json.values import JsonValue, array_of

ValueT = TypeVar("ValueT")

_CHUNK = 32


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class PrintedList:
    """An append-only list of items already printed as JSON.

    The caller prints an item once, when appending it. An append copies less than a chunk, and
    sometimes the references to full chunks.
    """

    full: tuple[Text, ...] = ()
    """Items in order, several per text, with commas between them; made when printed."""

    tail: tuple[bytes, ...] = ()
    """The items after those, one per text: less than a chunk."""

    size: int = 0

    @classmethod
    def of(cls, items: Iterable[JsonValue]) -> "PrintedList":
        """Return a list of these items."""
        made = cls()
        for item in items:
            made = made.append(print_to_keep(item))
        return made

    def append(self, item: bytes) -> "PrintedList":
        """Return the list with `item`, JSON text, appended."""
        tail = (*self.tail, item)
        if len(tail) < _CHUNK:
            return PrintedList(self.full, tail, self.size + 1)
        return PrintedList((*self.full, b",".join(tail)), (), self.size + 1)

    def extend(self, count: int, items: Text) -> "PrintedList":
        """Return the list with `count` more items, printed with commas between them."""
        return PrintedList((*self.full, *self.tail, items), (), self.size + count)

    def pop(self) -> tuple[JsonValue, "PrintedList"]:
        """Return the last item, and the list without it; there must be one."""
        full, tail = self.full, self.tail
        if not tail:
            chunk = array_of(parse_stored(b"[%b]" % bytes(full[-1])))
            full, tail = full[:-1], tuple(map(print_to_keep, chunk))
        return parse_stored(tail[-1]), PrintedList(full, tail[:-1], self.size - 1)

    def beyond(self, earlier: "PrintedList") -> tuple[int, bytes]:
        """Return how many items this list shares with `earlier`, all or none, and the items after.

        Takes time in proportion to the items after, where this list extends `earlier`.
        """
        count = len(earlier.full)
        same = count if self.full[:count] == earlier.full else 0
        ours = _join([*self.full[same:], *self.tail])
        theirs = _join([*earlier.full[same:], *earlier.tail])
        if not theirs:
            return earlier.size, ours
        if ours == theirs:
            return earlier.size, b""
        # the comma ensures that the prefix ends between items
        if ours.startswith(theirs + b","):
            return earlier.size, ours[len(theirs) + 1 :]
        return 0, _join([*self.full, *self.tail])

    @property
    def json(self) -> PrintedArray:
        """The list as an opaque value for printing."""
        return PrintedArray((*self.full, *self.tail))

    def __iter__(self) -> Iterator[JsonValue]:
        return iter(array_of(parse_stored(bytes(self.json))))

    def __bool__(self) -> bool:
        return self.size > 0


def print_with_lists(carry: Any) -> bytes:  # noqa: ANN401 - a dataclass
    """Return a carry as JSON; what its lists have is printed already."""
    values = {field.name: getattr(carry, field.name) for field in fields(carry)}
    return print_bytes(
        {
            name: value.json if isinstance(value, PrintedList) else value
            for name, value in values.items()
        }
    )


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class Layers(Generic[ValueT]):
    """A persistent map: changes in layers, newest last; None marks a removed key.

    Each layer has at least twice the size of the next, so that a change mostly copies small layers
    and a look-up reads few (the logarithmic method of Bentley and Saxe, 1980).
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
        """Yield keys and values, in the order in which keys were first set."""
        merged = {key: value for layer in self.layers for key, value in layer.items()}
        return ((key, value) for key, value in merged.items() if value is not None)

    def with_changes(self, changes: Mapping[str, ValueT | None]) -> "Layers[ValueT]":
        """Return the map with these values; None removes a key."""
        size = self.size
        for key, value in changes.items():
            size += (value is not None) - (self.get(key) is not None)
        newest = dict(changes)
        kept = self.layers
        while kept and len(kept[-1]) < 2 * len(newest):
            newest = {**kept[-1], **newest}
            kept = kept[:-1]
        if not kept:  # no lower layer has keys for None to hide
            newest = {key: value for key, value in newest.items() if value is not None}
        return Layers((*kept, newest), size) if newest else Layers(kept, size)


def _join(texts: Iterable[Text]) -> bytes:
    return b",".join(map(bytes, texts))
