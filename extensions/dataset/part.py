"""Writes a Parquet file in row groups of bounded size."""

from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO, TypeVar

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq

from agentlog.extensions.dataset.manifest import Mark
from agentlog.infrastructure.postgres.statements import statement

_GROUP_ROWS = 122_880  # DuckDB's unit of parallel work
_GROUP_BYTES = 48 * 2**20

_UNREPEATED = frozenset({"body", "body_bytes", "body_sha256", "chain", "message_id", "position"})
"""Columns without dictionary encoding, as their values do not repeat."""
_UNSORTED = frozenset({"body", "body_bytes", "body_sha256", "chain", "metadata"})
"""Columns without statistics, which would be long and of no use for range queries."""


class PartFile:
    """A Parquet file being written, until it is finished or closed."""

    def __init__(self, file: BinaryIO, schema: pa.Schema) -> None:
        self.file = file
        self.rows = 0
        self.bytes = 0
        """Of the values, before they are encoded."""
        self._schema = schema
        self._pending: list[pa.RecordBatch] = []
        self._pending_rows = 0
        self._pending_bytes = 0
        names: Sequence[str] = schema.names
        self._writer = pq.ParquetWriter(
            file,
            schema,
            compression="zstd",
            use_dictionary=[name for name in names if name not in _UNREPEATED],
            write_statistics=[name for name in names if name not in _UNSORTED],
        )

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows."""
        size = batch.nbytes
        self.rows += batch.num_rows
        self.bytes += size
        self._pending.append(batch)
        self._pending_rows += batch.num_rows
        self._pending_bytes += size
        if self._pending_rows >= _GROUP_ROWS or self._pending_bytes >= _GROUP_BYTES:
            self._flush()

    def finish(self) -> int:
        """Complete the file, which stays open; return its size in bytes."""
        self._flush()
        self._writer.close()
        self.file.flush()
        return self.file.tell()

    def close(self) -> None:
        """Close the file as it is, even if incomplete."""
        self._writer.close()
        self.file.close()

    def _flush(self) -> None:
        if self._pending:
            table = pa.Table.from_batches(self._pending, self._schema)
            self._writer.write_table(table, row_group_size=_GROUP_ROWS * 2)
        self._pending, self._pending_rows, self._pending_bytes = [], 0, 0


def first_event(connection: psycopg.Connection, tenant: str) -> Mark | None:
    """Return the tenant's first event."""
    row = connection.execute(statement("select_first_event"), {"tenant": tenant}).fetchone()
    return None if row is None else Mark(position=row[0], chain=row[1].hex())


def last_event(connection: psycopg.Connection, tenant: str, *, upto: int) -> Mark | None:
    """Return the tenant's last event up to a position."""
    parameters = {"tenant": tenant, "upto": upto}
    row = connection.execute(statement("select_last_event"), parameters).fetchone()
    return None if row is None else Mark(position=row[0], chain=row[1].hex())


def later(one: Mark | None, other: Mark | None) -> Mark | None:
    """Return the mark with the larger position."""
    marks = [mark for mark in (one, other) if mark is not None]
    return max(marks, key=lambda mark: mark.position, default=None)


ItemT = TypeVar("ItemT")


def ahead(source: Iterator[ItemT]) -> Generator[ItemT]:
    """Yield the items of `source`, each requested while the one before is processed."""
    end = object()
    with ThreadPoolExecutor(1, thread_name_prefix="ahead") as thread:
        coming = thread.submit(next, source, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, source, end)
            yield item  # type: ignore[misc] # it is not the end
