"""The record of a tenant's moves in one database: a signed row a step, never changed; its audit.

A row's note is a checkpoint of C2SP with extension lines: it opens as any checkpoint of the
tenant's log, and covers every column but `made_at`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Literal
from urllib.parse import quote

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from psycopg.rows import class_row

from agentlog.domain.integrity.chain_audit import Finding
from agentlog.infrastructure.audit.notes import (
    Checkpoint,
    InvalidNote,
    VerifierKey,
    check_signature,
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


_AFTER: Mapping[Step | None, frozenset[Step]] = {
    None: frozenset({"fenced", "arrived"}),
    "fenced": frozenset({"released", "left"}),
    "released": frozenset({"fenced"}),
    "arrived": frozenset({"fenced"}),
    "left": frozenset({"dropped"}),
    "dropped": frozenset({"arrived"}),
}
"""The steps that may come after a step, or first."""


def check_moves(moves: Sequence[Move], held: VerifierKey | None = None) -> Iterator[Finding]:
    """Yield what is wrong with steps, which come by tenant and number.

    Signatures are checked by the key of `held`, of all tenants: a forged step of one explains gaps
    that lost events of another left. Without `held` they are checked by the key in the row.
    """
    before: Move | None = None
    for move in moves:
        if before is not None and before.tenant != move.tenant:
            before = None
        number, step = (0, None) if before is None else (before.number, before.step)
        if move.number != number + 1 or move.step not in _AFTER[step]:
            after = "as its first" if step is None else f"after step {number}, {step}"
            yield _finding(move, f"cannot come {after}")
        if flaw := _flaw(move, held):
            yield _finding(move, flaw)
        before = move


def check_counts(moves: Sequence[Move], events: Mapping[str, int]) -> Iterator[Finding]:
    """Yield the tenants that have other numbers of events than their last step allows."""
    for move in last_of(moves):
        count = events.get(move.tenant, 0)
        match move.step:
            case "arrived" | "released":
                least, most = max(1, move.events), None
            case "fenced" | "left":
                least, most = move.events, move.events
            case "dropped":
                least, most = 0, 0
        if count < least or (most is not None and count > most):
            yield _finding(move, f"has {move.events} events, the log {count}")


def _flaw(move: Move, held: VerifierKey | None) -> str | None:
    key = VerifierKey(origin_of(move.tenant), move.public_key)
    if held is not None and held.public_key != key.public_key:
        return "is signed by another key than you hold"
    if not move.note.startswith(f"{move.text}\n"):
        return "is kept with the note of another"
    try:
        check_signature(move.note, key)
    except InvalidNote as error:
        return error.reason
    return None


def _finding(move: Move, reason: str) -> Finding:
    detail = f"step {move.number} of the moves of {move.tenant!r}, {move.step}: {reason}"
    return Finding("move-differs", detail)
