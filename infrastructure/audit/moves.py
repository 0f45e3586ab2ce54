"""The record of a tenant's moves in one database: a signed row a step, never changed.

A row's note is a checkpoint of C2SP with extension lines: it opens as any checkpoint of the
tenant's log, and covers every column but `made_at`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Literal
from urllib.parse import quote

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from psycopg.rows import class_row

from agentlog.infrastructure.audit.notes import (
    Checkpoint,
    origin_of,
    public_key_of,
    signed_text,
)
from agentlog.infrastructure.postgres.statements import statement

Step = Literal["fenced", "released", "arrived", "left", "dropped"]
"""A step: a fence and its end; an arrival; a departure, and that its rows were dropped."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Move:
    """A step of a tenant; `other` is the other database as host:port/name.

    `move_id` is a ULID, which the steps of one move have at both ends.

    `events` is how many the tenant has, `root` that of the tree over them. `counter_before` and
    `counter_after` are positions of this database's counter, `recorded_at` its time after the step.
    `taken` are the positions that went with it, as PostgreSQL prints an int8multirange; `erasures`
    is the highest number that an erasure has had in this database.
    """

    tenant: str
    number: int
    step: Step
    move_id: str
    other: str
    events: int
    first_position: int
    last_position: int
    counter_before: int
    counter_after: int
    recorded_at: datetime
    taken: str
    erasures: int
    root: bytes
    note: str = ""
    public_key: bytes = b""
    made_at: datetime | None = None

    @property
    def checkpoint(self) -> Checkpoint:
        """The tree over the tenant's events at this step."""
        return Checkpoint(origin_of(self.tenant), self.events, self.root)

    @property
    def text(self) -> str:
        """The text that is signed."""
        microseconds = (self.recorded_at - _EPOCH) // timedelta(microseconds=1)
        return (
            f"{self.checkpoint.text}"
            f"move {self.number} {self.step} {self.move_id} {quote(self.other, safe='/:')}\n"
            f"positions {self.first_position} {self.last_position}\n"
            f"counter {self.counter_before} {self.counter_after} {microseconds}\n"
            f"taken {sha256(self.taken.encode()).hexdigest()}\n"
            + (f"erasures {self.erasures}\n" if self.erasures else "")
        )

    def signed(self, key: Ed25519PrivateKey) -> "Move":
        """Return it with its note."""
        note = signed_text(self.text, self.checkpoint.origin, key)
        return replace(self, note=note, public_key=public_key_of(key))


def moves_of(connection: psycopg.Connection, tenant: str | None = None) -> Sequence[Move]:
    """Return the steps of a tenant, or of all, by tenant and number."""
    with connection.cursor(row_factory=class_row(Move)) as cursor:
        return cursor.execute(statement("select_moves"), {"tenant": tenant}).fetchall()


def insert_move(connection: psycopg.Connection, move: Move, key: Ed25519PrivateKey) -> Move:
    """Sign and store a step; return it signed."""
    signed = move.signed(key)
    connection.execute(
        statement("insert_move"),
        {column.name: getattr(signed, column.name) for column in fields(Move)},
    )
    return signed


def last_of(moves: Sequence[Move]) -> Iterator[Move]:
    """Yield the last step of each tenant, of steps by tenant and number."""
    yield from {move.tenant: move for move in moves}.values()
