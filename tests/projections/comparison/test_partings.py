"""Partings: the prefix tree of histories, listed."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.comparison.alignment import Branch, Parting, partings

histories = st.lists(st.text("ab", max_size=5), max_size=8)


def test_histories_part_where_they_first_differ() -> None:
    assert partings(["abcde", "abcdf", "abx", "ab", "abcde"]) == [
        Parting(
            2,
            [
                Branch([0, 1, 4], ended=False),
                Branch([2], ended=False),
                Branch([3], ended=True),
            ],
        ),
        Parting(4, [Branch([0, 4], ended=False), Branch([1], ended=False)]),
    ]


def test_equal_histories_do_not_part() -> None:
    assert partings(["ab", "ab"]) == partings(["ab"]) == partings([]) == []


@given(histories)
def test_each_two_part_once_and_where_they_differ(members: Sequence[str]) -> None:
    for m, one in enumerate(members):
        for n, other in enumerate(members[:m]):
            apart = [
                parting.equal
                for parting in partings(members)
                if (ways := [m in branch.members for branch in parting.branches])
                != [n in branch.members for branch in parting.branches]
                and any(ways)
                and any(n in branch.members for branch in parting.branches)
            ]
            pairs = enumerate(zip(one, other, strict=False))
            shared = next((k for k, (x, y) in pairs if x != y), min(len(one), len(other)))
            assert apart == ([] if one == other else [shared])


def test_a_thousand_histories_may_part_one_after_another() -> None:
    parted = partings(["a" * n for n in range(1000)])
    assert [parting.equal for parting in parted] == list(range(999))
