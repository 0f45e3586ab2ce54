"""Laws of the alignment of two histories."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.comparison import alignment
from agentlog.projections.comparison.alignment import Block, TooFarApart, align
from agentlog.projections.comparison.steps import ItemDigest

steps = st.builds(
    lambda kind, said: ItemDigest(kind, (), bytes([said])),
    st.sampled_from("xyz"),
    st.integers(0, 2),
)
histories = st.lists(steps, max_size=14)


def _longest(a: Sequence[ItemDigest], b: Sequence[ItemDigest]) -> int:
    """Return the length of a longest common subsequence, by the textbook's table."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = row[:]
        for n, y in enumerate(b, 1):
            row[n] = before[n - 1] + 1 if x == y else max(before[n], row[n - 1])
    return row[-1]


@given(histories, histories)
def test_blocks_cover_both_sides_exactly_and_in_order(
    a: list[ItemDigest], b: list[ItemDigest]
) -> None:
    blocks = align(a, b)
    assert [n for block in blocks for n in block.a] == list(range(len(a)))
    assert [n for block in blocks for n in block.b] == list(range(len(b)))
    at = (0, 0)
    for block in blocks:
        assert (block.a.start, block.b.start) == at
        at = block.a.stop, block.b.stop


@given(histories, histories)
def test_equal_items_are_equal_and_as_many_as_can_be(
    a: list[ItemDigest], b: list[ItemDigest]
) -> None:
    equal = 0
    for block in align(a, b):
        pairs = [(a[n], b[m]) for n, m in zip(block.a, block.b, strict=False)]
        match block.op:
            case "equal":
                assert len(block.a) == len(block.b)
                assert all(x == y for x, y in pairs)
                equal += len(pairs)
            case "changed":
                assert len(block.a) == len(block.b)
                assert all(x.type == y.type and x != y for x, y in pairs)
            case "only_a" | "only_b":
                assert not pairs
    assert equal == _longest(a, b)


@given(histories)
def test_a_history_is_equal_to_itself(a: list[ItemDigest]) -> None:
    whole = range(len(a))
    assert align(a, a) == ([Block("equal", whole, whole)] if a else [])


@given(histories, st.integers(0, 14), steps)
def test_an_inserted_step_shifts_nothing(
    a: list[ItemDigest], place: int, inserted: ItemDigest
) -> None:
    b = [*a[:place], inserted, *a[place:]]
    others = [block for block in align(a, b) if block.op != "equal"]
    assert [(block.op, len(block.b)) for block in others] == [("only_b", 1)]


@given(histories, histories)
def test_the_sides_may_be_exchanged(a: list[ItemDigest], b: list[ItemDigest]) -> None:
    mirrored = {"equal": "equal", "changed": "changed", "only_a": "only_b", "only_b": "only_a"}

    def pairs(
        x: list[ItemDigest], y: list[ItemDigest]
    ) -> set[tuple[str, tuple[int, ...], tuple[int, ...]]]:
        return {(block.op, tuple(block.a), tuple(block.b)) for block in align(x, y)}

    assert pairs(a, b) == {(mirrored[op], x, y) for op, y, x in pairs(b, a)}


def test_between_equal_items_those_of_one_kind_are_pairs() -> None:
    first, second = ItemDigest("said", (), b"1"), ItemDigest("said", (), b"2")
    search, book = ItemDigest("called", ("search",), b"3"), ItemDigest("called", ("book",), b"4")
    assert [(block.op, block.a, block.b) for block in align([first, search], [second, book])] == [
        ("changed", range(1), range(1)),
        ("only_a", range(1, 2), range(1, 1)),
        ("only_b", range(2, 2), range(1, 2)),
    ]


def test_what_cannot_be_aligned_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "MOST_PAIRS", 15)
    a = [ItemDigest("x", (), bytes([n])) for n in range(4)]
    b = [ItemDigest("x", (), bytes([n])) for n in range(4, 8)]
    assert align(a, [*a, *b]) == align(a, [*a, *b])
    with pytest.raises(TooFarApart, match="4 and 4 items"):
        align(a, b)
