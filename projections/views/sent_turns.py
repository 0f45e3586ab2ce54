"""Carries of views that repair turns, where they show what was sent."""

from dataclasses import dataclass, field

from agentlog.domain.events import Event
from agentlog.projections.carries.persistent_list import PrintedList
from agentlog.projections.context.sent import ContextOptions, with_event
from agentlog.projections.views.items.view import Items
from agentlog.projections.views.repair.held import TurnsCarry


@dataclass(slots=True)
class SentTurns(TurnsCarry):
    """All events, of whose context the turns are made anew."""

    history: Items = field(default_factory=PrintedList)

    def then(self, event: Event) -> "SentTurns":
        """Return it with one more event."""
        return SentTurns(history=with_event(self.history, event))


def carry_type(options: ContextOptions) -> type[TurnsCarry]:
    """Return the type of the carries of a view with these options."""
    return SentTurns if options.messages == "sent" else TurnsCarry
