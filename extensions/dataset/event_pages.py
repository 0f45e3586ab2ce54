"""Reads a tenant's events by column, in the order of the log and in bounded pieces."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from psycopg.rows import TupleRow, tuple_row

from agentlog.domain.json.text import parse_stored
from agentlog.extensions.dataset.schema import EVENTS, arrow_schema, column, read_times_as_numbers
from agentlog.infrastructure.eventlog.blob_store import read_contents
from agentlog.infrastructure.eventlog.body_deduplication import digests_in, whole
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.statements import statement

_PAGE_EVENTS = 10_000
_PAGE_BYTES = 16 * 2**20
"""Most bytes of the bodies of a page as stored, except its first."""
_PIECE_BYTES = 16 * 2**20
"""Most bytes of the bodies of a piece as appended, except its last."""
_LATEST = 253_402_300_799_999
_BEGINNING = re.compile(rb'\{"id":"[0-9A-Z]{26}","timestamp":(0|[1-9][0-9]{0,13}),')
"""The beginning of bodies that the writer prepared, whose time is found without parsing."""
_BODY, _CUTS = 6, 10

_Cursor = Any
"""A binary cursor; psycopg's own type does not tell."""


def read_events(
    database: Database, *, tenant: str, after: int, upto: int
) -> Iterator[pa.RecordBatch]:
    """Yield the events after `after`, up to `upto`, which has to be committed already.

    No transaction is open between pages: up to a committed position the log does not change.
    """
    schema = arrow_schema(EVENTS, tenant=tenant)
    with (
        database.connection() as connection,
        connection.cursor(binary=True, row_factory=tuple_row) as cursor,
    ):
        read_times_as_numbers(cursor)
        while after < upto:
            rows = cursor.execute(
                statement("select_log_page"),
                {
                    "tenant": tenant,
                    "after": after,
                    "upto": upto,
                    "limit": _PAGE_EVENTS,
                    "most_bytes": _PAGE_BYTES,
                },
            ).fetchall()
            if not rows:
                return
            for piece in _pieces(cursor, tenant, rows):
                cuts = [row[_CUTS] for row in piece if row[_CUTS] is not None]
                contents = read_contents(cursor, tenant, cuts)
                yield _batch(schema, tenant, piece, contents)
            after = rows[-1][2]


def _pieces(cursor: _Cursor, tenant: str, rows: list[TupleRow]) -> Iterator[list[TupleRow]]:
    """Yield rows in pieces whose whole bodies fit in memory: a 36-byte cut may stand for 64 MB."""
    cuts = [row[_CUTS] for row in rows if row[_CUTS] is not None]
    sizes: dict[bytes, int] = {}
    if cuts:
        parameters = {"tenant": tenant, "digests": list(digests_in(cuts))}
        sizes = dict(cursor.execute(statement("select_blob_sizes"), parameters).fetchall())
    if sum(map(len, cuts)) // 36 * max(sizes.values(), default=0) < _PIECE_BYTES:
        yield rows  # however they are spread
        return
    piece: list[TupleRow] = []
    size = 0
    for row in rows:
        piece.append(row)
        size += len(row[_BODY])
        if row[_CUTS] is not None:
            size += sum(sizes.get(digest, 0) for digest in digests_in([row[_CUTS]]))
        if size >= _PIECE_BYTES:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _batch(
    schema: pa.Schema, tenant: str, rows: Sequence[TupleRow], contents: dict[bytes, bytes]
) -> pa.RecordBatch:
    (
        thread_ids,
        versions,
        positions,
        types,
        message_ids,
        times,
        stored,
        digests,
        chains,
        metadata,
        cuts,
    ) = zip(*rows, strict=True)
    bodies = [
        body if cut is None else whole(body, cut, contents).body
        for body, cut in zip(stored, cuts, strict=True)
    ]
    texts, others = _texts(bodies)
    beside = [_beside(raw) for raw in metadata]
    columns: dict[str, Any] = {
        "tenant": [tenant] * len(rows),
        "thread_id": thread_ids,
        "version": versions,
        "position": positions,
        "type": types,
        "message_id": message_ids,
        "recorded_at": times,
        "response_id": [ids[0] for ids in beside],
        "actor": [ids[1] for ids in beside],
        "body_sha256": digests,
        "chain": chains,
        "metadata": metadata,
    }
    arrays = {name: column(values, schema.field(name).type) for name, values in columns.items()}
    sent = pa.array([_sent(body) for body in stored], pa.timestamp("ms", tz="UTC"))
    arrays["sent_at"] = sent.cast(schema.field("sent_at").type)
    arrays["body"], arrays["body_bytes"] = texts, others
    return pa.RecordBatch.from_arrays([arrays[name] for name in schema.names], schema=schema)


def _texts(bodies: list[bytes]) -> tuple[pa.Array, pa.Array]:
    """Return bodies as texts, and separately those that are not text: bytes of library users."""
    try:
        return pa.array(bodies, pa.string()), pa.nulls(len(bodies), pa.binary())
    except pa.ArrowInvalid:
        texts = [_text(body) for body in bodies]
        others = [body if text is None else None for body, text in zip(bodies, texts, strict=True)]
        return pa.array(texts, pa.string()), pa.array(others, pa.binary())


def _text(body: bytes) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def _sent(stored: bytes) -> int | None:
    """Return a message's own time, in milliseconds; it is never in the contents cut out."""
    beginning = _BEGINNING.match(stored)
    if beginning is not None:
        return int(beginning[1])
    raw = _read(stored)
    timestamp = raw.get("timestamp") if isinstance(raw, dict) else None
    return timestamp if type(timestamp) is int and 0 <= timestamp <= _LATEST else None


def _beside(metadata: bytes | None) -> tuple[str | None, str | None]:
    """Return the response that a message came from, and its author."""
    if metadata is None:
        return None, None
    raw = _read(metadata)
    if not isinstance(raw, dict):
        return None, None
    response_id, actor = raw.get("responseId"), raw.get("actor")
    return (
        response_id if isinstance(response_id, str) else None,
        actor if isinstance(actor, str) else None,
    )


def _read(text: bytes) -> Any:  # noqa: ANN401 - any JSON
    try:
        return parse_stored(text)
    except ValueError:
        return None
