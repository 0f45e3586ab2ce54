"""Which call a result answers, where calls may wait for long: by identity.

The result of an id answers the open call of that id; without an id, of its name. Where an id comes
again, as `call_0` in each turn, it is the call of the latest turn; in one turn, the oldest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

MOST_LATE = 256
"""How many items may stand between a call and its result; one that comes later has lost it."""
_MOST_KNOWN = 64


class Call(NamedTuple):
    """A call of a tool by its id and name."""

    id: str
    name: str


class OpenCall(NamedTuple):
    """A call without a result: the number of its turn and its place there, its id and name."""

    turn: int
    at: int
    id: str
    name: str


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class Pairing:
    """The open calls, oldest first, and the latest that were answered. Immutable by convention."""

    open: tuple[OpenCall, ...] = ()
    known: tuple[Call, ...] = ()

    def ask(self, turn: int, calls: Sequence[Call], begin: int = 0) -> "Pairing":
        """Return it with the calls of a turn, which are indexed from `begin` on."""
        calls_now = [OpenCall(turn, n, *call) for n, call in enumerate(calls, begin)]
        return Pairing((*self.open, *calls_now), self.known)

    def call_of(self, call_id: str | None, name: str | None) -> OpenCall | None:
        """Return the open call that a result answers."""
        answered: OpenCall | None = None
        for call in reversed(self.open):
            if answered is not None and call.turn != answered.turn:
                break
            if (call.name == name) if call_id is None else (call.id == call_id):
                answered = call
        return answered

    def without(self, call: OpenCall) -> "Pairing":
        """Return it after the answer to a call."""
        place = self.open.index(call)
        known = (*self.known, Call(call.id, call.name))[-_MOST_KNOWN:]
        return Pairing((*self.open[:place], *self.open[place + 1 :]), known)

    def within(self, turn: int) -> "Pairing":
        """Return it without the calls that were made long before a turn."""
        if not self.open or self.open[0].turn >= turn - MOST_LATE:
            return self
        late = [call for call in self.open if call.turn < turn - MOST_LATE]
        rest = Pairing(self.open[len(late) :], self.known)
        return rest.with_known(*(Call(call.id, call.name) for call in late))

    def with_known(self, *calls: Call) -> "Pairing":
        """Return it with calls that wait for no result."""
        return Pairing(self.open, (*self.known, *calls)[-_MOST_KNOWN:])

    def name_of(self, call_id: str) -> str | None:
        """Return the tool of a call that was answered or given up lately; None if unknown."""
        names = (call.name for call in reversed(self.known) if call.id == call_id)
        return next(names, None)
