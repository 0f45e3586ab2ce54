"""Columns of a dataset: those of events are defined here, those of read models by their tables."""

from collections.abc import Sequence
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
from psycopg.types.numeric import Int8BinaryLoader

from agentlog.projections.readmodels.registry import PUBLIC_READ_MODELS

EVENTS = "events"
"""The table of events, beside those of read models."""

_TIME = pa.timestamp("us", tz="UTC")
_OF_SQL = {
    "text": pa.string(),
    "bigint": pa.int64(),
    "double precision": pa.float64(),
    "timestamptz": _TIME,
    "boolean": pa.bool_(),
}


def _field(name: str, kind: pa.DataType, comment: str, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"comment": comment})


_EVENT_FIELDS = (
    _field("tenant", pa.string(), "whose event it is"),
    _field("thread_id", pa.string(), "the thread"),
    _field("version", pa.int64(), "place in the thread, from 1"),
    _field("position", pa.int64(), "place in the log"),
    _field("type", pa.string(), "such as reply or tool_calls"),
    _field("message_id", pa.string(), "ULID"),
    _field("recorded_at", _TIME, "when the log took it, by the store's clock"),
    _field("sent_at", _TIME, "when it was made, by the producer's clock", nullable=True),
    _field(
        "response_id", pa.string(), "what came out of one model response shares it", nullable=True
    ),
    _field("actor", pa.string(), "who made it, where the producer said", nullable=True),
    _field("body", pa.string(), "the whole message as JSON, byte for byte", nullable=True),
    _field("body_bytes", pa.binary(), "the body instead, where it is no UTF-8", nullable=True),
    _field("body_sha256", pa.binary(), "SHA-256 of the body"),
    _field("chain", pa.binary(), "link of the thread's hash chain"),
    _field("metadata", pa.string(), "what came beside the message, as JSON", nullable=True),
)
"""The columns of `events`, a row an event."""


def arrow_schema(name: str, *, tenant: str) -> pa.Schema:
    """Return the schema of a table's files, with a comment on each column."""
    fields = (
        _EVENT_FIELDS
        if name == EVENTS
        else [
            _field(column.name, _OF_SQL[column.type], column.comment, nullable=column.nullable)
            for column in PUBLIC_READ_MODELS[name].table.columns
        ]
    )
    return pa.schema(fields, metadata={"agentlog.table": name, "agentlog.tenant": tenant})


_EPOCH = 946_684_800_000_000
"""2000-01-01 in microseconds: PostgreSQL's epoch (its documentation of date types)."""


def read_times_as_numbers(cursor: psycopg.Cursor[Any] | psycopg.ServerCursor[Any]) -> None:
    """Make a binary cursor return times as PostgreSQL sends them."""
    cursor.adapters.register_loader("timestamptz", Int8BinaryLoader)


def column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return values as an array; times are numbers of `read_times_as_numbers`."""
    if not pa.types.is_timestamp(kind):
        return pa.array(values, kind)
    return pc.add(pa.array(values, pa.int64()), _EPOCH).cast(kind)
