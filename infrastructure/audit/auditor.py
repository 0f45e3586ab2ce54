"""Chains and the tree computed anew from what is stored, and compared with what is stored."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg.rows import TupleRow

from domain.audit import Finding, Place, Redactions, broken, check_head, check_record
from domain.errors import UnknownThread
from domain.merkle import Frontier, root_of
from infrastructure.audit.notes import (
    Checkpoint,
    InvalidNote,
    VerifierKey,
    open_note,
    origin_of,
)
from infrastructure.audit.records import stored_events
from infrastructure.audit.tree import BEFORE_ALL, TILE, leaves_after
from infrastructure.database import Connections
from infrastructure.sql import statement

MOST_FINDINGS = 1000
"""Of one thread or tree, that are kept; more are counted."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What became of checking something: `events` were read, `count` findings made."""

    events: int
    findings: Sequence[Finding]
    count: int

    @property
    def whole(self) -> bool:
        """Whether nothing is broken; a content that was erased is not."""
        return not broken(self.findings)


class _Findings:
    def __init__(self) -> None:
        self.kept: list[Finding] = []
        self.count = 0

    def add(self, found: Sequence[Finding]) -> None:
        self.count += len(found)
        for each in found:
            # what breaks is kept before what is only gone
            if len(self.kept) < MOST_FINDINGS or (each.breaks and not broken(self.kept)):
                self.kept.append(each)

    def audit(self, events: int) -> Audit:
        return Audit(events, tuple(self.kept), self.count)


class Auditor:
    """Checks one tenant's log; it trusts nothing that the database computes."""

    def __init__(self, database: Connections, *, tenant: str) -> None:
        self._database = database
        self._tenant = tenant

    def headless(self) -> list[str]:
        """Return ids of threads that have events and no head, which no list shows."""
        with self._snapshot() as cursor:
            asked = {"tenant": self._tenant}
            rows = cursor.execute(statement("select_headless_threads"), asked).fetchall()
        return [row[0] for row in rows]

    def thread(self, thread_id: str) -> Audit:
        """Check a thread's chain from its first event to its head; raises `UnknownThread`."""
        found, redactions = _Findings(), Redactions(thread_id)
        place, events = Place(), 0
        with self._snapshot() as cursor:
            row = cursor.execute(
                "SELECT version, position, chain FROM agentlog.threads "
                "WHERE tenant = %s AND thread_id = %s",
                (self._tenant, thread_id),
            ).fetchone()
            for event in stored_events(cursor, self._tenant, thread_id):
                record = event.record(self._tenant, thread_id)
                found.add(check_record(place, record))
                redactions.take(record, event.body)
                place, events = record.place, events + 1
        if row is None and not events:
            raise UnknownThread(thread_id)
        found.add(redactions.findings())
        found.add(check_head(thread_id, place, None if row is None else Place(*row)))
        return found.audit(events)

    def tree(
        self, held: Sequence[Checkpoint] = (), *, public_key: VerifierKey | None = None
    ) -> Audit:
        """Check the whole log against the checkpoints that are kept, and those that are held.

        One pass over the links; what is held was kept out of the database's reach, so that it also
        finds a history that was rewritten as a whole. Signatures are checked by `public_key`, or
        where none is held by the key that is kept with each checkpoint.
        """
        found = _Findings()
        frontier, after = Frontier(), BEFORE_ALL
        with self._snapshot() as cursor:
            roots = self._kept_roots(cursor, found, public_key)
            for checkpoint in held:
                roots.append((checkpoint.size, checkpoint.root, "that you hold"))
            tiles = self._tiles(cursor)
            pending = sorted(roots, key=lambda each: each[0])
            while leaves := leaves_after(cursor, self._tenant, after, 2**63 - 1):
                number = frontier.size // TILE
                if len(leaves) == TILE and number in tiles:
                    found.add(_tile_findings(number, tiles[number], leaves))
                for _, hashed in leaves:
                    while pending and pending[0][0] == frontier.size:
                        found.add(_root_findings(pending.pop(0), frontier))
                    frontier.add(hashed)
                after = leaves[-1][0]
            for each in pending:
                found.add(_root_findings(each, frontier))
        return found.audit(frontier.size)

    def _kept_roots(
        self, cursor: psycopg.Cursor[TupleRow], found: _Findings, held: VerifierKey | None
    ) -> list[tuple[int, bytes, str]]:
        rows = cursor.execute(
            "SELECT size, root, note, public_key FROM agentlog.checkpoints "
            "WHERE tenant = %s ORDER BY size",
            (self._tenant,),
        ).fetchall()
        for size, root, note, public_key in rows:
            kept = VerifierKey(origin_of(self._tenant), public_key)
            if held is not None and kept != held:
                detail = f"the checkpoint of size {size} is of another key than you hold"
                found.add([Finding("other-key", detail)])
                continue
            try:
                signed = open_note(note, kept)
            except InvalidNote as error:
                detail = f"the checkpoint of size {size}: {error.reason}"
                found.add([Finding("signature-invalid", detail)])
                continue
            if (signed.size, signed.root) != (size, root):
                detail = f"the checkpoint of size {size} is kept with another note"
                found.add([Finding("signature-invalid", detail)])
        return [(size, root, "that is kept") for size, root, _, _ in rows]

    def _tiles(self, cursor: psycopg.Cursor[TupleRow]) -> dict[int, bytes]:
        rows = cursor.execute(
            "SELECT number, root FROM agentlog.tiles WHERE tenant = %s", (self._tenant,)
        ).fetchall()
        return dict(rows)

    @contextmanager
    def _snapshot(self) -> Iterator[psycopg.Cursor[TupleRow]]:
        """Yield a binary cursor that sees the log as it stands now, whoever appends meanwhile."""
        with self._database.connection() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            with connection.cursor(binary=True) as cursor:
                yield cursor


def _root_findings(kept: tuple[int, bytes, str], frontier: Frontier) -> list[Finding]:
    size, root, which = kept
    if size > frontier.size:
        detail = f"the checkpoint {which} is over {size} events; the log has {frontier.size}"
        return [Finding("tree-differs", detail)]
    if frontier.root() == root:
        return []
    detail = f"the first {size} events are not those that the checkpoint {which} was signed over"
    return [Finding("tree-differs", detail)]


def _tile_findings(number: int, root: bytes, leaves: Sequence[tuple[int, bytes]]) -> list[Finding]:
    if root_of(hashed for _, hashed in leaves) == root:
        return []
    detail = (
        f"tile {number} is not of events {number * TILE} to {(number + 1) * TILE - 1}: they were "
        "changed after it was made, or it was; the table may be truncated"
    )
    return [Finding("tile-differs", detail)]
