"""Array parameters in PostgreSQL's binary format; several times faster than psycopg's lists.

psycopg inspects every item of a list to find the array's type; here the caller states it. The
format is that of `array_recv` in PostgreSQL's `arrayfuncs.c`.
"""

from collections.abc import Sequence
from struct import Struct

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format
from typing_extensions import override


class TextArray(bytes):
    """A `text[]` as a parameter."""


class BytesArray(bytes):
    """A `bytea[]` as a parameter."""


class IntegerArray(bytes):
    """A `bigint[]` as a parameter."""


class BooleanArray(bytes):
    """A `boolean[]` as a parameter."""


def texts(values: Sequence[str | None]) -> TextArray:
    """Return an array of texts."""
    # thread ids and type names repeat: each is encoded once
    encoded = {value: None if value is None else value.encode() for value in set(values)}
    return TextArray(_array(_TEXT, [encoded[value] for value in values]))


def byte_strings(values: Sequence[bytes | None]) -> BytesArray:
    """Return an array of bytes."""
    return BytesArray(_array(_BYTEA, values))


def integers(values: Sequence[int | None]) -> IntegerArray:
    """Return an array of 64-bit integers."""
    items = [None if value is None else _EIGHT_BYTES(value) for value in values]
    return IntegerArray(_array(_BIGINT, items))


def booleans(values: Sequence[bool]) -> BooleanArray:
    """Return an array of booleans."""
    return BooleanArray(_array(_BOOLEAN, [b"\x01" if value else b"\x00" for value in values]))


def register_arrays(connection: psycopg.Connection) -> None:
    """Register dumpers for these types on a connection."""
    for cls, dumper in _DUMPERS.items():
        connection.adapters.register_dumper(cls, dumper)


class _Dumper(Dumper):
    format = Format.BINARY

    @override
    def dump(self, obj: bytes) -> bytes:
        return obj


class _Texts(_Dumper):
    oid = 1009


class _Blobs(_Dumper):
    oid = 1001


class _Integers(_Dumper):
    oid = 1016


class _Booleans(_Dumper):
    oid = 1000


_DUMPERS: dict[type[bytes], type[_Dumper]] = {
    TextArray: _Texts,
    BytesArray: _Blobs,
    IntegerArray: _Integers,
    BooleanArray: _Booleans,
}

# oids of the items, like those above from pg_type.dat
_TEXT, _BYTEA, _BIGINT, _BOOLEAN = 25, 17, 20, 16

_EMPTY = Struct("!iii").pack
_HEADER = Struct("!iiiii").pack
_LENGTH = Struct("!i").pack
_EIGHT_BYTES = Struct("!q").pack
_NULL = _LENGTH(-1)


def _array(oid: int, items: Sequence[bytes | None]) -> bytes:
    if not items:
        return _EMPTY(0, 0, oid)
    # dimensions, may have NULLs, type, length, base
    header = _HEADER(1, 1, oid, len(items), 1)
    some = [item for item in items if item is not None]
    if not some:
        return header + _NULL * len(items)
    lengths = set(map(len, some))
    if len(lengths) == 1 and len(some) == len(items):  # all of one length
        length = _LENGTH(lengths.pop())
        return b"".join((header, length, length.join(some)))
    parts = [
        part
        for item in items
        for part in ((_NULL,) if item is None else (_LENGTH(len(item)), item))
    ]
    return b"".join((header, *parts))
