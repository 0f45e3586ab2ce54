"""Lists taken out of a carry and told from earlier ones: put together they are what they were."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.growth import Growth, growth, with_lists, without_lists
from projections.persistent import Chunks

counts = st.integers(0, 100)


@dataclass(frozen=True, slots=True)
class Carry:
    name: str
    lines: Chunks[int] = field(default_factory=Chunks)
    notes: Chunks[int] = field(default_factory=Chunks)


def _appended(items: Chunks[int], *more: int) -> Chunks[int]:
    for each in more:
        items = items.append(each)
    return items


@given(count=counts)
def test_a_list_made_at_once_is_the_one_made_by_appending(count: int) -> None:
    made = Chunks.of(range(count))
    assert made == _appended(Chunks(), *range(count))
    assert (made.size, list(made)) == (count, list(range(count)))


@given(before=counts, more=counts)
def test_what_a_list_has_beyond_an_earlier_one_is_what_was_appended(before: int, more: int) -> None:
    earlier = Chunks.of(range(before))
    added = tuple(range(before, before + more))
    assert _appended(earlier, *added).beyond(earlier) == (before, added)
    assert Chunks.of(range(before + more)).beyond(earlier) == (before, added)


@given(before=st.integers(1, 100), changed=st.data(), more=counts)
def test_a_list_that_is_no_continuation_has_all_of_its_items_beyond(
    before: int, changed: st.DataObject, more: int
) -> None:
    at = changed.draw(st.integers(0, before - 1))
    items = [-1 if index == at else index for index in range(before + more)]
    assert Chunks.of(items).beyond(Chunks.of(range(before))) == (0, tuple(items))
    assert Chunks.of(items[: before - 1]).beyond(Chunks.of(range(before)))[0] == 0


@given(steps=st.lists(st.tuples(counts, counts), max_size=4))
def test_a_carry_is_its_rest_with_the_lists_that_its_steps_add_up_to(
    steps: list[tuple[int, int]],
) -> None:
    carry = Carry("start")
    lists: dict[str, list[int]] = {"lines": [], "notes": []}
    for lines, notes in steps:
        later = Carry("later", _appended(carry.lines, *range(lines)), Chunks.of(range(notes)))
        for name, grown in (growth(carry, later) or {}).items():
            lists[name][grown.kept :] = grown.added
        if growth(carry, later) is None:
            lists = {"lines": [], "notes": []}
        carry = later
        value = with_lists({"name": carry.name}, lists)
        assert value == {
            "name": "later",
            "lines": {"full": carry.lines.full, "tail": carry.lines.tail},
            "notes": {"full": carry.notes.full, "tail": carry.notes.tail},
        }
        assert without_lists(carry) == Carry("later")


@pytest.mark.parametrize("carry", [None, Growth(0, ())], ids=["nothing", "no lists"])
def test_a_carry_without_lists_stays_as_it_is(carry: object) -> None:
    assert without_lists(carry) is carry
    assert growth(carry, carry) is None
