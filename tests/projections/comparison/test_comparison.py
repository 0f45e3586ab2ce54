"""Rows of a comparison: differences with some context, equal items folded."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.comparison.comparison import AlignedRow, Divergence
from agentlog.projections.comparison.rows import detail
from tests.histories import drafts
from tests.projections.comparison.stepping import KERNEL, compared

SAID = [{"type": "reply", "text": f"word {n}"} for n in range(12)]


@given(st.lists(drafts, max_size=8), st.lists(drafts, max_size=8), st.integers(0, 3))
def test_rows_cover_both_sides_exactly(
    a: list[dict[str, Any]], b: list[dict[str, Any]], context: int
) -> None:
    comparison = compared(a, b)
    rows = list(comparison.rows(context=context))
    assert [n for row in rows for n in row.a] == list(range(len(a)))
    assert [n for row in rows for n in row.b] == list(range(len(b)))
    assert all(row.folded or max(len(row.a), len(row.b)) == 1 for row in rows)
    assert sum(comparison.counts.values()) == sum(max(len(row.a), len(row.b)) for row in rows)
    for row in rows:
        assert detail(KERNEL, comparison, row).row is row


@given(st.lists(drafts, max_size=8), st.integers(0, 8))
def test_one_inserted_message_is_one_row(said: list[dict[str, Any]], place: int) -> None:
    new = {"type": "reply", "text": "that nobody else says"}
    comparison = compared(said, [*said[:place], new, *said[place:]])
    assert comparison.counts == {"equal": len(said), "changed": 0, "only_a": 0, "only_b": 1}
    equal = min(place, len(said))
    assert comparison.divergence == Divergence(equal, equal if equal < len(said) else None, equal)


def test_equal_histories_have_no_divergence_and_one_row() -> None:
    comparison = compared(SAID, SAID)
    assert comparison.divergence is None
    assert list(comparison.rows(context=3)) == [
        AlignedRow("equal", range(12), range(12), folded=True)
    ]
    assert compared([], []).divergence is None
    assert list(compared([], []).rows(context=3)) == []


@pytest.mark.parametrize(
    ("context", "sizes"), [(0, [6, 1, 5]), (2, [4, 1, 1, 1, 1, 1, 3]), (6, [1] * 12)]
)
def test_differences_have_as_much_context_as_is_asked(context: int, sizes: list[int]) -> None:
    other = [*SAID[:6], {"type": "reply", "text": "another word"}, *SAID[7:]]
    rows = list(compared(SAID, other).rows(context=context))
    assert [len(row.a) for row in rows] == sizes
    assert [row.op for row in rows].count("changed") == 1


def test_a_pair_shows_both_items_and_the_words_that_differ() -> None:
    a = [{"type": "reply", "text": f"{'so ' * 100}your parcel is late\x1b[2J"}]
    b = [{"type": "reply", "text": f"{'so ' * 100}your parcel is here"}]
    comparison = compared(a, b)
    (row,) = comparison.rows(context=1)
    shown = detail(KERNEL, comparison, row)
    assert shown.a is not None
    assert shown.b is not None
    assert (shown.a.place, shown.a.type, shown.a.tools) == ("1.0", "reply", ())
    assert shown.a.hint.endswith("your parcel is late\ufffd[2J")
    assert shown.b.hint.endswith("your parcel is here")
    assert shown.b.item["text"] == b[0]["text"]
    assert shown.changes is not None
    assert shown.changes[0].edits is not None
    (edit,) = shown.changes[0].edits
    assert (edit.removed, edit.added) == ("late\x1b[2J", "here")
