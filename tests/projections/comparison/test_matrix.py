"""Matrices: steps of many histories in columns."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.comparison.matrix import columns, separation, variants
from agentlog.projections.comparison.steps import ItemDigest


def history(text: str) -> list[ItemDigest]:
    """Return a step for each letter: its kind is the letter, capitals say something else."""
    return [ItemDigest("tool_calls", (letter.lower(),), letter.encode()) for letter in text]


histories = st.lists(st.text("abcABC", max_size=8).map(history), max_size=6)


def kinds(members: Sequence[Sequence[ItemDigest]]) -> str:
    """Return the kinds of the columns."""
    return "".join(column.kind[1][0] for column in columns(members))


def test_an_inserted_step_has_a_column_of_its_own() -> None:
    members = [history("abd"), history("abcd"), history("d")]
    assert kinds(members) == "abcd"
    assert [column.steps for column in columns(members)] == [
        {0: 0, 1: 0},
        {0: 1, 1: 1},
        {1: 2},
        {0: 2, 1: 3, 2: 0},
    ]


@given(histories)
def test_each_step_stands_once_in_a_column_of_its_kind_and_in_order(
    members: Sequence[Sequence[ItemDigest]],
) -> None:
    aligned = columns(members)
    for number, steps in enumerate(members):
        placed = [column.steps[number] for column in aligned if number in column.steps]
        assert placed == list(range(len(steps)))
    for column in aligned:
        assert column.steps
        for number, index in column.steps.items():
            assert members[number][index][:2] == column.kind


@given(st.text("abcABC", max_size=8).map(history), st.integers(1, 5))
def test_equal_histories_have_the_columns_of_one(steps: list[ItemDigest], times: int) -> None:
    aligned = columns([steps] * times)
    assert len(aligned) == len(steps)
    assert all(variants(column, [steps] * times) == [list(range(times))] for column in aligned)


@given(histories)
def test_the_ways_of_a_column_are_all_of_its_histories_those_of_most_first(
    members: Sequence[Sequence[ItemDigest]],
) -> None:
    for column in columns(members):
        ways = variants(column, members)
        assert sorted(number for way in ways for number in way) == sorted(column.steps)
        assert [len(way) for way in ways] == sorted(map(len, ways), reverse=True)
        for way in ways:
            assert len({members[number][column.steps[number]].digest for number in way}) == 1


@pytest.mark.parametrize(
    ("ways", "parted"),
    [
        ([[0, 1], [2, 3]], 1.0),
        ([[0, 2], [1, 3]], 0.0),
        ([[0, 1, 2], [3]], 0.5),
        ([], 0.0),
    ],
)
def test_groups_part_by_the_greatest_difference_of_their_shares(
    ways: list[list[int]], parted: float
) -> None:
    assert separation(ways, [0, 1], [2, 3]) == parted
    assert separation(ways, [], [2, 3]) is None
    assert separation(ways, [0, 1], []) is None
