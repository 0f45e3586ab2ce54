"""The snapshots table: find, insert and delete rows by thread, view, options and format."""

import hmac
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hmac import compare_digest
from typing import LiteralString, NamedTuple, TypeVar

import psycopg
from psycopg.rows import class_row

from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.queries import fetch
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.views.snapshots.encoding import FORMAT
from agentlog.infrastructure.views.snapshots.key import id_of

_ResultT = TypeVar("_ResultT")

_SEAL_BYTES = 32
_STEPS: LiteralString = "version > %(after)s AND version <= %(upto)s"

_logger = logging.getLogger("agentlog")


class Series(NamedTuple):
    """The key of related rows: one view of one thread."""

    tenant: str
    thread_id: str
    view: str
    options: str
    format: str


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """A row; `sound` if its seal is valid and its history is the one that the log has.

    `chain` is the link of the event at `version`, and `erased` the number of the thread's latest
    erasure, both as of when the row was read.
    """

    version: int
    carry: bytes | None = None
    grown: bytes | None = None
    items: bytes | None = None
    chain: bytes | None = None
    erased: int = 0
    sound: bool = True


class SnapshotTable:
    """Rows of snapshots; every method raises what the database raises.

    Each content follows its HMAC-SHA256 by `key`, which also covers its place, the chain and the
    latest erasure: write access to the table without the key can only destroy it, not forge it.
    """

    def __init__(self, database: Connections, key: bytes) -> None:
        self._database = database
        self._key = key

    @property
    def is_writable(self) -> bool:
        """Whether rows can be added and deleted."""
        return self._database.write_access.is_given

    def nearest(self, series: Series, version: int) -> SnapshotRow | None:
        """Return the nearest row with a carry at or before `version`."""
        rows = self._rows(
            series,
            "carry, grown",
            "version <= %(version)s AND carry IS NOT NULL",
            order="DESC",
            version=version,
            limit=1,
        )
        return rows[0] if rows else None

    def items(self, series: Series, *, after: int, upto: int, limit: int) -> list[SnapshotRow]:
        """Return the first rows after `after`, up to the version `upto`, with only their items."""
        return self._rows(series, "items", _STEPS, after=after, upto=upto, limit=limit)

    def every(self, series: Series) -> list[SnapshotRow]:
        """Return all rows, by version."""
        return self._rows(series, "carry, grown, items", "true", limit=None)

    def growths(self, series: Series, *, after: int, upto: int) -> list[SnapshotRow]:
        """Return rows after `after`, up to the version `upto`, with only the growth of lists."""
        return self._rows(series, "grown", _STEPS, after=after, upto=upto, limit=None)

    def kept(self, series: Series, versions: Sequence[int]) -> Mapping[int, bool]:
        """Return which of these versions have a row, and whether it has a carry."""
        places = {**series._asdict(), "versions": list(versions)}
        return dict(fetch(self._database, "select_snapshot_versions", **places))

    def erased(self, tenant: str, thread_id: str) -> int:
        """Return the number of the latest erasure in a thread, 0 where there is none."""
        erased = fetch(self._database, "select_erased", tenant=tenant, thread_id=thread_id)
        return int(erased[0][0]) if erased else 0

    def insert(
        self, series: Series, rows: Sequence[SnapshotRow], *, alone: bool, erased: int
    ) -> None:
        """Add rows that are missing; `alone`: delete those of other formats and of this key.

        None are added if `erased` is no longer the thread's latest erasure: they may hold erased
        contents.
        """
        with self._writing() as connection:
            connection.execute(statement("lock_snapshots_shared"), series._asdict())
            parameters = {**series._asdict(), "versions": [row.version for row in rows]}
            with connection.cursor(binary=True) as cursor:
                chains = dict(cursor.execute(statement("select_chains"), parameters).fetchall())
            there = [
                self._seal_row(series, replace(row, chain=chains[row.version], erased=erased))
                for row in rows
                if row.version in chains
            ]
            columns = {
                "versions": [row.version for row in there],
                "carries": [row.carry for row in there],
                "growths": [row.grown for row in there],
                "items": [row.items for row in there],
                "erased": erased,
            }
            if alone:
                of_key = {"of_key": _of_key(self._key)}
                connection.execute(
                    statement("delete_snapshots_of_other_formats"), series._asdict() | of_key
                )
            connection.execute(statement("insert_snapshots"), {**series._asdict(), **columns})

    def delete(self, series: Series, version: int) -> None:
        """Delete the row of a version, if there is one."""
        with self._writing() as connection:
            connection.execute(
                statement("delete_snapshot"), {**series._asdict(), "version": version}
            )

    @contextmanager
    def _writing(self) -> Iterator[psycopg.Connection]:
        """Lend a transaction with a short lock timeout; commits are asynchronous."""
        with self._database.connection() as connection, connection.transaction():
            connection.execute("SET LOCAL synchronous_commit = off")
            connection.execute("SET LOCAL lock_timeout = '100ms'")
            yield connection

    def _rows(
        self,
        series: Series,
        contents: LiteralString,
        which: LiteralString,
        *,
        order: LiteralString = "ASC",
        **parameters: int | None,
    ) -> list[SnapshotRow]:
        text = statement("select_snapshots", contents=contents, which=which, order=order)
        with (
            self._database.connection() as connection,
            connection.cursor(binary=True, row_factory=class_row(SnapshotRow)) as cursor,
        ):
            rows = cursor.execute(text, {**series._asdict(), **parameters}).fetchall()
        return [self._open_row(series, row) for row in rows]

    def _seal_row(self, series: Series, row: SnapshotRow) -> SnapshotRow:
        def sealed(name: str, content: bytes | None) -> bytes | None:
            return None if content is None else self._seal(series, row, name, content) + content

        return _with_contents(row, sealed)

    def _open_row(self, series: Series, row: SnapshotRow) -> SnapshotRow:
        sound = row.chain is not None

        def opened(name: str, sealed: bytes | None) -> bytes | None:
            nonlocal sound
            if sealed is None:
                return None
            seal, content = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
            sound = sound and compare_digest(seal, self._seal(series, row, name, content))
            return content

        opened_row = _with_contents(row, opened)
        return opened_row if sound else replace(opened_row, sound=False)

    def _seal(self, series: Series, row: SnapshotRow, name: str, content: bytes) -> bytes:
        identity = [*series, row.version, row.erased, name, (row.chain or b"").hex()]
        covered = hmac.new(self._key, print_bytes(identity), "sha256")
        covered.update(content)
        return covered.digest()


def _with_contents(
    row: SnapshotRow, change: Callable[[str, bytes | None], bytes | None]
) -> SnapshotRow:
    return SnapshotRow(
        row.version,
        change("carry", row.carry),
        change("grown", row.grown),
        change("items", row.items),
        row.chain,
        row.erased,
    )


def warn_of_other_keys(database: Connections, key: bytes) -> None:
    """Log a warning if another key seals snapshots; looks at some of them only."""
    sealed = {"most": 10_000, "of_format": f"{FORMAT}.%", "of_key": _of_key(key)}
    if fetch(database, "select_other_keys", **sealed) == [(True,)]:
        _logger.warning(
            "the database has snapshots sealed by another key: the services do not have the same "
            "AGENTLOG_SNAPSHOT_KEY, or it was changed; they are passed over and made again"
        )


def _of_key(key: bytes) -> str:
    """Return the pattern (of LIKE) of formats whose rows this key seals."""
    return f"%.{id_of(key)}"


def tried(action: Callable[[], _ResultT]) -> _ResultT | None:
    """Return the result of `action`, or None if the database fails, so that a read goes on."""
    try:
        return action()
    except (psycopg.Error, DatabaseUnavailable) as error:
        _logger.warning("snapshots are passed over: %s", error)
        return None
