"""Verdicts over arms of runs, and minimal sets."""

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.extensions.runs.projections.attribution.verdicts import Arm, minimal_set, verdict


@pytest.mark.parametrize(
    ("arm", "low", "high"),
    [  # as statsmodels' proportion_confint(method="wilson") has them
        (Arm(0, 4), 0.0, 0.48990),
        (Arm(4, 4), 0.51010, 1.0),
        (Arm(3, 3), 0.43850, 1.0),
        (Arm(1, 5), 0.03622, 0.62446),
        (Arm(0, 0), 0.0, 1.0),
    ],
)
def test_intervals_are_wilsons(arm: Arm, low: float, high: float) -> None:
    assert arm.interval == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    ("changed", "control", "expected"),
    [
        (Arm(4, 4), Arm(0, 4), "caused"),
        (Arm(3, 3), Arm(0, 3), "undecided"),
        (Arm(5, 5), Arm(0, 5), "caused"),
        (Arm(5, 5), Arm(5, 5), "not_shown"),
        (Arm(0, 5), Arm(5, 5), "not_shown"),
        (Arm(3, 5), Arm(1, 5), "undecided"),
        (Arm(0, 2), Arm(2, 5), "undecided"),
        (Arm(0, 0), Arm(0, 0), "undecided"),
    ],
)
def test_verdicts(changed: Arm, control: Arm, expected: str) -> None:
    assert verdict(changed, control, wanted=4) == expected


@given(st.integers(1, 30), st.data())
def test_an_equal_rate_is_never_a_cause(runs: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, runs))
    assert verdict(Arm(passed, runs), Arm(passed, runs), wanted=4) != "caused"


@given(st.integers(1, 9), st.data())
def test_a_minimal_set_has_the_effect_and_nothing_to_leave_out(
    size: int, data: st.DataObject
) -> None:
    needed = data.draw(st.sets(st.integers(0, size - 1), min_size=1))
    asked: list[tuple[int, ...]] = []

    def has_effect(items: Sequence[int]) -> bool:
        asked.append(tuple(items))
        return needed <= {*items}

    assert minimal_set(range(size), has_effect) == sorted(needed)
    assert len(asked) == len({*asked})


@given(st.integers(2, 6), st.data())
def test_of_several_causes_one_is_returned(size: int, data: st.DataObject) -> None:
    sets = data.draw(
        st.lists(st.sets(st.integers(0, size - 1), min_size=1), min_size=1, max_size=3)
    )

    def has_effect(items: Sequence[int]) -> bool:
        return any(needed <= {*items} for needed in sets)

    left = minimal_set(range(size), has_effect)
    assert has_effect(left)
    assert not any(has_effect(part) for part in combinations(left, len(left) - 1))
