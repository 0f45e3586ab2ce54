"""Columns of rows as Arrow arrays; times come as PostgreSQL has them, a third as dear."""

from collections.abc import Sequence
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
from psycopg.types.numeric import Int8BinaryLoader

_EPOCH = 946_684_800_000_000
"""2000-01-01 in microseconds: PostgreSQL counts from there (its documentation of date types)."""


def read_times_as_numbers(cursor: psycopg.Cursor[Any] | psycopg.ServerCursor[Any]) -> None:
    """Have a cursor that reads in binary return times as PostgreSQL sends them."""
    cursor.adapters.register_loader("timestamptz", Int8BinaryLoader)


def column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return values as an array; times are numbers as `read_times_as_numbers` has them."""
    if not pa.types.is_timestamp(kind):
        return pa.array(values, kind)
    return pc.add(pa.array(values, pa.int64()), _EPOCH).cast(kind)
