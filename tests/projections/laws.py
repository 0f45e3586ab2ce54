"""What must hold for every view, whatever the history."""

from collections.abc import Sequence

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.projections.registry import AnyView
from agentlog.projections.view import StateView, render


def check_resuming_equals_replaying(view: AnyView, events: Sequence[Event], cut: int) -> None:
    """Stopping at `cut`, going through JSON and going on gives what one replay gives."""
    whole = render(view, events)
    first = render(view, events[:cut])
    second = render(view, events[cut:], view.load(view.dump(first.carry)))
    assert [*first.settled, *second.settled] == list(whole.settled)
    assert list(second.rest) == list(whole.rest)
    assert view.dump(second.carry) == view.dump(whole.carry)


def check_an_older_carry_stays(view: AnyView, events: Sequence[Event], cut: int) -> None:
    """Folding on from a carry leaves it as it was: snapshots and followers keep it."""
    carry = render(view, events[:cut]).carry
    before = view.dump(carry)
    render(view, events[cut:], carry)
    assert view.dump(carry) == before


def check_rebuilding_gives_equal_bytes(view: AnyView, events: Sequence[Event]) -> None:
    """Two replays print the same, and every item prints at all."""
    assert _printed(view, events) == _printed(view, events)


def check_places_ascend(view: AnyView, events: Sequence[Event]) -> None:
    """No place twice, and later items stand later."""
    places = [(placed.version, placed.ordinal) for placed in render(view, events).items]
    assert places == sorted(set(places))


def _printed(view: AnyView, events: Sequence[Event]) -> bytes:
    rendering = render(view, events)
    if isinstance(view, StateView):
        return print_bytes(view.state(rendering.carry))
    return print_bytes([placed.item for placed in rendering.items])
