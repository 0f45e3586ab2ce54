"""What followers hear of a view comes to what a read of it shows, at every cut."""

import itertools
from collections import Counter
from collections.abc import Sequence

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, array_of
from agentlog.projections.followed_view import (
    FollowUpdate,
    ItemsLive,
    Live,
    PatientLive,
    StateLive,
    parse_place,
)
from agentlog.projections.registry import VIEWS
from agentlog.projections.view import StateView, render
from agentlog.projections.views.agent_state import AgentStateView
from tests.histories import histories, history
from tests.projections.views.test_laws import ALL_VIEWS

CHANGING = [view for view in ALL_VIEWS if not isinstance(view, StateView)]


def hear(live: Live, events: Sequence[Event], *, pauses: Sequence[bool]) -> list[FollowUpdate]:
    """Return what a follower hears who is at the present after some of the events."""
    heard: list[FollowUpdate] = []
    for event, pause in zip(events, pauses, strict=True):
        heard += live.fold(event)
        if pause:
            heard += live.present()
    return [*heard, *live.present()]


def settled_and_held(heard: Sequence[FollowUpdate]) -> list[JsonValue]:
    """Return what a client shows who replaces what is held."""
    held: list[JsonValue] = []
    for told in heard:
        held = array_of(told.data) if told.kind == "held" else held
    return [*(told.data for told in heard if told.kind == "item"), *held]


@given(events=histories(), data=st.data())
def test_items_and_those_held_last_are_what_a_read_shows(
    events: list[Event], data: st.DataObject
) -> None:
    pauses = data.draw(st.lists(st.booleans(), min_size=len(events), max_size=len(events)))
    for view in CHANGING:
        heard = hear(ItemsLive(view, view.start()), events, pauses=pauses)
        assert settled_and_held(heard) == [item.item for item in render(view, events).items]
        held = [told for told in heard if told.kind == "held"]
        assert all(one != other for one, other in itertools.pairwise(held))


@given(events=histories(), data=st.data())
def test_items_that_are_told_again_when_they_change_come_to_what_a_read_shows(
    events: list[Event], data: st.DataObject
) -> None:
    """By place; and after any of them the rest follows, whatever was held back."""
    pauses = data.draw(st.lists(st.booleans(), min_size=len(events), max_size=len(events)))
    for view in (VIEWS["maria"](), VIEWS["letta"]()):
        heard = hear(PatientLive(view, view.start()), events, pauses=pauses)
        whole = Counter(print_bytes(item.item) for item in render(view, events).items)
        assert whole <= _said(heard)
        assert all(_said(heard)[item] == count for item, count in whole.items())
        if heard:
            cut = data.draw(st.integers(0, len(heard) - 1))
            live = PatientLive(view, view.start(), after=heard[cut].place or "")
            both = _said([*heard[: cut + 1], *hear(live, events, pauses=[False] * len(events))])
            assert all(both[item] == count for item, count in whole.items())


def test_what_changed_before_it_was_settled_is_told_again() -> None:
    view = VIEWS["letta"]()
    live = PatientLive(view, view.start())
    called, asked, said = history(
        {"type": "tool_calls", "calls": [{"id": "a", "name": "f"}]},
        {"type": "approval_request", "callId": "a", "tool": "f"},
        {"type": "reply", "text": "Wait."},
    )
    (waiting,) = hear(live, [called], pauses=[True])
    told = [*live.fold(asked), *live.fold(said)]
    kinds = [update.data["message_type"] for update in (waiting, *told)]
    assert kinds == ["tool_call_message", "approval_request_message", "assistant_message"]
    late = PatientLive(view, view.start(), after=waiting.place or "")
    assert hear(late, [called, asked, said], pauses=[True] * 3)[-1].data == told[-1].data


def _said(heard: Sequence[FollowUpdate]) -> Counter[bytes]:
    return Counter(print_bytes(told.data) for told in heard)


@given(events=histories(), data=st.data())
def test_a_state_and_all_its_patches_are_the_state_that_a_read_shows(
    events: list[Event], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(events)))
    for view in ALL_VIEWS:
        if isinstance(view, StateView):
            carry = render(view, events[:cut]).carry
            live = StateLive(view, carry, version=cut, known=False)
            first, *patches = hear(live, events[cut:], pauses=[False] * (len(events) - cut)) or [
                *live.present()
            ]
            assert (first.kind, first.place) == ("snapshot", str(cut))
            state = first.data
            for told in patches:
                assert told.kind == "patch"
                assert told.data
                state = jsonpatch.apply_patch(state, told.data)
                upto = int(told.place or "")
                assert state == view.state(render(view, events[:upto]).carry)
            assert state == view.state(render(view, events).carry)


def test_a_patch_tells_of_a_long_history_only_what_was_added() -> None:
    view = AgentStateView()
    events = history(*({"type": "reply", "text": str(number)} for number in range(500)))
    live = StateLive(view, render(view, events[:499]).carry, version=499, known=True)
    (told,) = live.fold(events[499])
    assert told.data == [
        {"op": "add", "path": "/history/-", "value": {"role": "assistant", "content": "499"}},
        {"op": "replace", "path": "/step_count", "value": 500},
    ]


@pytest.mark.parametrize(
    "text", ["x", "1", "1.", ".1", "1.x", "1.0~2", "1.0~2.0", "1.0~x:1", "-1.0"]
)
def test_what_was_not_told_is_no_place(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the caller says which
        parse_place(text)
