"""Checks the record of moves: each step follows from the one before it, and is signed."""

from collections.abc import Iterator, Mapping, Sequence

from agentlog.domain.integrity.chain_audit import Finding
from agentlog.infrastructure.audit.moves import Move, Step, last_of
from agentlog.infrastructure.audit.notes import (
    InvalidNote,
    VerifierKey,
    check_signature,
    origin_of,
)

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
