"""Recomputes chains and the tree from stored events, and compares them with the stored ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import TupleRow

from domain.errors import UnknownThread
from domain.integrity.chain_audit import (
    ChainPlace,
    Finding,
    Redactions,
    broken,
    check_record,
    redaction_in,
)
from domain.integrity.merkle_tree import Frontier, root_of
from infrastructure.audit.heads import ReplayedHead, StoredHead
from infrastructure.audit.notes import (
    Checkpoint,
    InvalidNote,
    VerifierKey,
    open_note,
    origin_of,
)
from infrastructure.audit.records import log_snapshot, stored_events
from infrastructure.audit.tree import BEFORE_ALL, TILE, leaves_after
from infrastructure.postgres.database import Connections
from infrastructure.postgres.statements import statement

MOST_FINDINGS = 1000
"""Most findings of one thread or tree that are kept; more are counted."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of a check: `events` were read, `count` findings made."""

    events: int
    findings: Sequence[Finding]
    count: int

    @property
    def whole(self) -> bool:
        """Whether nothing is broken; an erased content does not count as broken."""
        return not broken(self.findings)


class _Findings:
    def __init__(self) -> None:
        self.kept: list[Finding] = []
        self.count = 0

    def add(self, found: Sequence[Finding]) -> None:
        self.count += len(found)
        for each in found:
            # broken findings are kept before erased contents
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
        """Return ids of threads with events but no head, which no list shows."""
        with log_snapshot(self._database) as cursor:
            asked = {"tenant": self._tenant}
            rows = cursor.execute(statement("select_headless_threads"), asked).fetchall()
        return [row[0] for row in rows]

    def thread(self, thread_id: str) -> Audit:
        """Check a thread from its first event to its head; raises `UnknownThread`.

        Checks its contents, its chain, its redactions, its head and its ledger.
        """
        found, place, events = _Findings(), ChainPlace(), 0
        with log_snapshot(self._database) as cursor:
            stored = StoredHead.read(cursor, self._tenant, thread_id)
            redactions = self._redactions(cursor, thread_id)
            head = ReplayedHead(thread_id)
            for event in stored_events(cursor, self._tenant, thread_id):
                record = event.record(self._tenant, thread_id)
                found.add(check_record(place, record))
                found.add(redactions.check(record))
                head.take(event)
                place, events = record.place, events + 1
        if stored is None and not events:
            raise UnknownThread(thread_id)
        found.add(redactions.findings())
        found.add(head.findings(stored, sound=not broken(found.kept)))
        return found.audit(events)

    def _redactions(self, cursor: psycopg.Cursor[TupleRow], thread_id: str) -> Redactions:
        asked = {"tenant": self._tenant, "thread_id": thread_id}
        rows = cursor.execute(statement("select_redactions"), asked).fetchall()
        facts = {version: redaction_in(body) for version, body, _ in rows}
        return Redactions(
            thread_id,
            {version: fact for version, fact in facts.items() if fact is not None},
            pending={version for version, _, pending in rows if pending},
        )

    def tree(
        self, held: Sequence[Checkpoint] = (), *, public_key: VerifierKey | None = None
    ) -> Audit:
        """Check the whole log against its stored checkpoints and `held` ones.

        Reads the links once. `held` checkpoints were kept out of the database's reach, so they also
        reveal a history that was rewritten as a whole. Signatures are checked by `public_key`, or
        without it by the key stored with each checkpoint.
        """
        found = _Findings()
        frontier, after = Frontier(), BEFORE_ALL
        with log_snapshot(self._database) as cursor:
            roots = self._kept_roots(cursor, found, public_key)
            roots += [_Root(each.size, each.root, "that you hold") for each in held]
            tiles = self._tiles(cursor)
            waiting = sorted(roots, key=lambda each: each.size)
            while leaves := leaves_after(cursor, self._tenant, after):
                tile = tiles.pop(frontier.size // TILE, None)
                if tile is not None:
                    found.add(_tile_findings(frontier.size // TILE, tile, leaves))
                for position, hashed in leaves:
                    while waiting and waiting[0].size == frontier.size:
                        found.add(_root_findings(waiting.pop(0), frontier, after, position))
                    frontier.add(hashed)
                    after = position
            for each in waiting:
                found.add(_root_findings(each, frontier, after, None))
            for number, tile in tiles.items():
                found.add(_tile_findings(number, tile, ()))
        return found.audit(frontier.size)

    def _kept_roots(
        self, cursor: psycopg.Cursor[TupleRow], found: _Findings, held: VerifierKey | None
    ) -> list["_Root"]:
        rows = cursor.execute(
            "SELECT size, root, note, public_key, position FROM agentlog.checkpoints "
            "WHERE tenant = %s ORDER BY size",
            (self._tenant,),
        ).fetchall()
        for size, root, note, public_key, _ in rows:
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
        return [_Root(row[0], row[1], "that is kept", row[4]) for row in rows]

    def _tiles(self, cursor: psycopg.Cursor[TupleRow]) -> dict[int, tuple[bytes, int]]:
        rows = cursor.execute(
            "SELECT number, root, last_position FROM agentlog.tiles WHERE tenant = %s",
            (self._tenant,),
        ).fetchall()
        return {number: (root, last) for number, root, last in rows}


def check_positions(database: Connections) -> Audit:
    """Check that each position up to the log's belongs to exactly one event, over all tenants.

    `database` has to show the events of all tenants.
    """
    found = _Findings()
    with database.connection() as connection:
        asked = {"limit": MOST_FINDINGS}
        rows = connection.execute(statement("select_missing_positions"), asked).fetchall()
    for first, last, count in rows:
        detail = (
            f"no event stands at position {first}"
            if count == 1
            else f"no events stand at positions {first} to {last}"
            if count > 0
            else f"more than one event stands at position {first - 1}, or the log's counter is less"
        )
        found.add([Finding("position-missing", detail)])
    return found.audit(0)


@dataclass(frozen=True, slots=True)
class _Root:
    """The root of a checkpoint, and its position if known."""

    size: int
    root: bytes
    which: str
    position: int | None = None


def _root_findings(
    kept: _Root, frontier: Frontier, before: int, following: int | None
) -> list[Finding]:
    """Return what is wrong with a checkpoint between two positions of the log."""
    size, which = kept.size, kept.which
    if size > frontier.size:
        detail = f"the checkpoint {which} is over {size} events; the log has {frontier.size}"
        return [Finding("tree-differs", detail)]
    if frontier.root() != kept.root:
        detail = (
            f"the first {size} events are not those that the checkpoint {which} was signed over"
        )
        return [Finding("tree-differs", detail)]
    if kept.position is not None:
        is_there = before <= kept.position and (following is None or kept.position < following)
        if not is_there:
            detail = f"the checkpoint of size {size} has position {kept.position}, which is another"
            return [Finding("checkpoint-differs", detail)]
    return []


def _tile_findings(
    number: int, tile: tuple[bytes, int], leaves: Sequence[tuple[int, bytes]]
) -> list[Finding]:
    if len(leaves) == TILE and (root_of(h for _, h in leaves), leaves[-1][0]) == tile:
        return []
    detail = (
        f"tile {number} is not of events {number * TILE} to {(number + 1) * TILE - 1}: they were "
        "changed after it was made, or it was; the table may be truncated"
    )
    return [Finding("tile-differs", detail)]
