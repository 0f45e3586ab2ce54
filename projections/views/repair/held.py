"""Messages that later ones may change, as a carry holds them."""

from dataclasses import dataclass, field

from agentlog.projections.carries.persistent_list import Layers
from agentlog.projections.view import BEFORE_ALL, Item, Place
from agentlog.projections.views.repair.pairing import Call, Pairing


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class Answered:
    """A result that stands with its call: the call's index, -1 for a message of all results.

    `unit` is empty where the result stands elsewhere; `beside` is a message that stands behind all
    results of the turn.
    """

    order: int
    version: int
    call: int
    unit: Item
    recorded: Item | None = None
    beside: Item | None = None


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class Held:
    """A message, with the results of its calls. Immutable by convention, as carries are.

    `order` is the number of its arrival, `turn` that of its turn. `is_apart` and
    `is_lead` are as its wire says. It `is_fit` if it is shown as it is. `calls` have the ids and
    names that are shown. `recorded` is the message as it is on record, where it is shown otherwise
    and marks are asked for; `mark` says what the repair did.
    """

    order: int
    version: int
    item: Item
    turn: int
    is_answer: bool = False
    is_apart: bool = False
    is_lead: bool = False
    is_fit: bool = True
    response: str | None = None
    calls: tuple[Call, ...] = ()
    answers: tuple[Answered, ...] = ()
    is_results: bool = False
    mark: str | None = None
    recorded: Item | None = None

    def with_answer(self, answer: Answered) -> "Held":
        """Return it with one more result."""
        return Held(
            self.order,
            self.version,
            self.item,
            self.turn,
            self.is_answer,
            self.is_apart,
            self.is_lead,
            self.is_fit,
            self.response,
            self.calls,
            (*self.answers, answer),
            self.is_results,
            self.mark,
            self.recorded,
        )


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class TurnsCarry:
    """What `Turns` needs to go on. Immutable by convention, but for the copy that it works on.

    `used` has the ids that are shown, with the next number that tells another one apart. `marks` is
    the number of marks of caches in what is settled; `has_marks` if any came.
    """

    held: tuple[Held, ...] = ()
    pairing: Pairing = field(default_factory=Pairing)
    used: Layers[int] = field(default_factory=Layers)
    order: int = 0
    turn: int = 0
    marks: int = 0
    has_begun: bool = False
    place: Place = BEFORE_ALL
    has_marks: bool = False

    def copy(self) -> "TurnsCarry":
        """Return a copy to work on."""
        number = self.order, self.turn, self.marks
        flags = self.has_begun, self.place, self.has_marks
        return TurnsCarry(self.held, self.pairing, self.used, *number, *flags)
