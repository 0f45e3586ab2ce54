"""Laws of every view, in every option, over any history."""

import itertools
from typing import Any, get_args

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.projections.registry import VIEWS, AnyView
from tests.histories import examples, histories, history
from tests.projections.laws import (
    check_an_older_carry_stays,
    check_places_ascend,
    check_rebuilding_gives_equal_bytes,
    check_resuming_equals_replaying,
)


def _all_options() -> list[AnyView]:
    return [
        view(view.options_type(**dict(zip(view.options_type.model_fields, values, strict=True))))
        for view in VIEWS.values()
        for values in itertools.product(
            *(_values(field.annotation) for field in view.options_type.model_fields.values())
        )
    ]


def _values(annotation: Any) -> tuple[object, ...]:
    return (False, True) if annotation is bool else get_args(annotation)


ALL_VIEWS = _all_options()


def name_of(view: AnyView) -> str:
    """Return the name and the options of a view, for people."""
    return f"{view.name} {view.options!r}"


every_view = pytest.mark.parametrize("view", ALL_VIEWS, ids=name_of)


@given(events=histories(), data=st.data())
@examples(20, long=400)
def test_every_view_keeps_its_laws(events: list[Event], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(events)), label="cut")
    for view in ALL_VIEWS:  # to draw a history takes many times as long as to fold it
        note(name_of(view))
        check_rebuilding_gives_equal_bytes(view, events)
        check_places_ascend(view, events)
        check_resuming_equals_replaying(view, events, cut)
        check_an_older_carry_stays(view, events, cut)


@every_view
def test_a_time_that_was_measured_is_the_same_after_a_pause(view: AnyView) -> None:
    asked = {"type": "tool_calls", "timestamp": 0, "calls": [{"id": "a", "name": "search"}]}
    given = {"type": "tool_results", "timestamp": 1, "results": [{"callId": "a", "output": "x"}]}
    events = history(asked, given, {"type": "input", "text": "on"})
    for cut in range(len(events)):
        check_resuming_equals_replaying(view, events, cut)
