"""Checks a tenant's whole log against its checkpoints and its tiles; it reads the links once."""

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.integrity.chain_audit import Finding
from agentlog.domain.integrity.merkle_tree import Frontier, root_of
from agentlog.infrastructure.audit.findings import Audit, Findings
from agentlog.infrastructure.audit.moves import moves_of
from agentlog.infrastructure.audit.notes import (
    Checkpoint,
    InvalidNote,
    VerifierKey,
    open_note,
    origin_of,
)
from agentlog.infrastructure.audit.records import EVERYWHERE, LOWEST
from agentlog.infrastructure.audit.tree import TILE, leaf_pages


def audit_tree(
    cursor: psycopg.Cursor[TupleRow],
    tenant: str,
    held: Sequence[Checkpoint] = (),
    *,
    public_key: VerifierKey | None = None,
    positions: range = EVERYWHERE,
) -> Audit:
    """Check the log against its stored checkpoints and `held` ones; a binary cursor is needed.

    `held` checkpoints were kept out of the database's reach, so they also reveal a history that was
    rewritten as a whole. Signatures are checked by `public_key`, or without it by the key stored
    with each checkpoint. The events at `positions` are counted.
    """
    findings, frontier, before = Findings(), Frontier(), LOWEST
    signed_size = -1 if public_key is None else max((note.size for note in held), default=-1)
    roots = _kept_roots(cursor, tenant, findings, public_key, signed_size)
    roots += [_Root(note.size, note.root, "that you hold") for note in held]
    roots += _moved_roots(cursor, tenant)
    waiting = sorted(roots, key=lambda root: root.size)
    tiles = _tiles(cursor, tenant)
    for leaves in leaf_pages(cursor, tenant):
        tile = tiles.pop(frontier.size // TILE, None)
        if tile is not None:
            findings.add(_tile_findings(frontier.size // TILE, tile, leaves))
        for position, hashed in leaves:
            while waiting and waiting[0].size == frontier.size:
                findings.add(_root_findings(waiting.pop(0), frontier, before, position))
            frontier.add(hashed)
            before = position
            findings.rows["events"] += position in positions
    for root in waiting:
        findings.add(_root_findings(root, frontier, before, None))
    for number, tile in tiles.items():
        findings.add(_tile_findings(number, tile, ()))
    return findings.audit()


@dataclass(frozen=True, slots=True)
class _Root:
    """The root of a checkpoint, and its position if known."""

    size: int
    root: bytes
    which: str
    position: int | None = None


def _kept_roots(
    cursor: psycopg.Cursor[TupleRow],
    tenant: str,
    findings: Findings,
    held: VerifierKey | None,
    signed_size: int,
) -> list[_Root]:
    """Return the stored roots; up to `signed_size`, a held note's, keys may be earlier ones."""
    rows = cursor.execute(
        "SELECT size, root, note, public_key, position FROM agentlog.checkpoints "
        "WHERE tenant = %s ORDER BY size",
        (tenant,),
    ).fetchall()
    for size, root, note, public_key, _ in rows:
        kept = VerifierKey(origin_of(tenant), public_key)
        if held is not None and kept != held and size > signed_size:
            detail = f"the checkpoint of size {size} is of another key than you hold"
            findings.add([Finding("other-key", detail)])
            continue
        try:
            signed = open_note(note, kept)
        except InvalidNote as error:
            detail = f"the checkpoint of size {size}: {error.reason}"
            findings.add([Finding("signature-invalid", detail)])
            continue
        if (signed.size, signed.root) != (size, root):
            detail = f"the checkpoint of size {size} is kept with another note"
            findings.add([Finding("signature-invalid", detail)])
    return [_Root(row[0], row[1], "that is kept", row[4]) for row in rows]


def _moved_roots(cursor: psycopg.Cursor[TupleRow], tenant: str) -> list[_Root]:
    """Return the roots that were signed as the tenant moved; none where it was dropped since."""
    moves = moves_of(cursor.connection, tenant)
    if moves and moves[-1].step == "dropped":
        return []
    return [
        _Root(move.events, move.root, f"of its move, step {move.number},", move.last_position)
        for move in moves
    ]


def _tiles(cursor: psycopg.Cursor[TupleRow], tenant: str) -> dict[int, tuple[bytes, int]]:
    rows = cursor.execute(
        "SELECT number, root, last_position FROM agentlog.tiles WHERE tenant = %s", (tenant,)
    ).fetchall()
    return {number: (root, last) for number, root, last in rows}


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
