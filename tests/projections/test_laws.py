"""Laws of every view, in every option, over any history."""

import itertools
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.events import Event
from projections.registry import VIEWS, AnyView
from tests.histories import histories
from tests.projections.laws import (
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


every_view = pytest.mark.parametrize(
    "view", _all_options(), ids=lambda view: f"{view.name} {view.options!r}"
)


@every_view
@given(events=histories(), data=st.data())
def test_a_view_keeps_its_laws(view: AnyView, events: list[Event], data: st.DataObject) -> None:
    check_rebuilding_gives_equal_bytes(view, events)
    check_places_ascend(view, events)
    cut = data.draw(st.integers(0, len(events)))
    check_resuming_equals_replaying(view, events, cut)
