"""Columns of a dataset: those of events are defined here, those of read models by their tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from projections.readmodels.registry import PUBLIC_READ_MODELS
from projections.readmodels.table import Table

EVENTS = "events"
"""The table of events, beside those of read models."""

ParquetType = Literal["string", "int64", "double", "timestamp", "boolean", "binary"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its type, and its comment."""

    name: str
    type: ParquetType
    nullable: bool
    comment: str


EVENT_FIELDS = (
    Field("tenant", "string", nullable=False, comment="whose event it is"),
    Field("thread_id", "string", nullable=False, comment="the thread"),
    Field("version", "int64", nullable=False, comment="place in the thread, from 1"),
    Field("position", "int64", nullable=False, comment="place in the log"),
    Field("type", "string", nullable=False, comment="such as reply or tool_calls"),
    Field("message_id", "string", nullable=False, comment="ULID"),
    Field(
        "recorded_at",
        "timestamp",
        nullable=False,
        comment="when the log took it, by the store's clock",
    ),
    Field(
        "sent_at", "timestamp", nullable=True, comment="when it was made, by the producer's clock"
    ),
    Field(
        "response_id",
        "string",
        nullable=True,
        comment="what came out of one model response shares it",
    ),
    Field("actor", "string", nullable=True, comment="who made it, where the producer said"),
    Field("body", "string", nullable=True, comment="the whole message as JSON, byte for byte"),
    Field("body_bytes", "binary", nullable=True, comment="the body instead, where it is no UTF-8"),
    Field("body_sha256", "binary", nullable=False, comment="SHA-256 of the body"),
    Field("chain", "binary", nullable=False, comment="link of the thread's hash chain"),
    Field("metadata", "string", nullable=True, comment="what came beside the message, as JSON"),
)
"""The columns of `events`, a row an event."""

_OF_SQL: Mapping[str, ParquetType] = {
    "text": "string",
    "bigint": "int64",
    "double precision": "double",
    "timestamptz": "timestamp",
    "boolean": "boolean",
}


def fields_of(name: str) -> tuple[Field, ...]:
    """Return the columns of a table of the dataset; a read model's are of its definition."""
    if name == EVENTS:
        return EVENT_FIELDS
    return tuple(
        Field(each.name, _OF_SQL[each.type], nullable=each.nullable, comment=each.comment)
        for each in table_of(name).columns
    )


def table_of(name: str) -> Table:
    """Return the table of a read model."""
    return PUBLIC_READ_MODELS[name].table


def arrow_type(name: ParquetType) -> pa.DataType:
    """Return the Arrow type of a column; times are in microseconds, UTC."""
    match name:
        case "string":
            return pa.string()
        case "int64":
            return pa.int64()
        case "double":
            return pa.float64()
        case "timestamp":
            return pa.timestamp("us", tz="UTC")
        case "boolean":
            return pa.bool_()
        case "binary":
            return pa.binary()


def schema_of(name: str, *, tenant: str) -> pa.Schema:
    """Return the schema of a table's files, with a comment on each column."""
    return pa.schema(
        [
            pa.field(
                each.name,
                arrow_type(each.type),
                nullable=each.nullable,
                metadata={"comment": each.comment},
            )
            for each in fields_of(name)
        ],
        metadata={"agentlog.table": name, "agentlog.tenant": tenant},
    )
