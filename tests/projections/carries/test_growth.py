"""Lists taken out of a carry and told from earlier ones: put together they are what they were."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import print_bytes
from agentlog.projections.carries.growth import Growth, grown, growth, with_lists, without_lists
from agentlog.projections.carries.persistent_list import PrintedList

counts = st.integers(0, 100)


@dataclass(frozen=True, slots=True)
class Carry:
    name: str
    lines: PrintedList = field(default_factory=PrintedList)
    notes: PrintedList = field(default_factory=PrintedList)


def _appended(items: PrintedList, *more: int) -> PrintedList:
    for value in more:
        items = items.append(print_bytes(value))
    return items


def _run(items: Sequence[int]) -> bytes:
    return print_bytes(list(items))[1:-1]


@given(before=counts, more=counts)
def test_what_a_list_has_beyond_an_earlier_one_is_what_was_appended(before: int, more: int) -> None:
    earlier = PrintedList.of(range(before))
    added = range(before, before + more)
    assert _appended(earlier, *added).beyond(earlier) == (before, _run(added))
    assert PrintedList.of(range(before + more)).beyond(earlier) == (before, _run(added))
    read = PrintedList().extend(before, _run(range(before))) if before else PrintedList()
    assert _appended(read, *added).beyond(earlier) == (before, _run(added))
    assert _appended(earlier, *added).beyond(read) == (before, _run(added))


@given(before=st.integers(1, 100), changed=st.data(), more=counts)
def test_a_list_that_is_no_continuation_has_all_of_its_items_beyond(
    before: int, changed: st.DataObject, more: int
) -> None:
    at = changed.draw(st.integers(0, before - 1))
    # the last item also as the beginning of a longer number
    items = [-1 if index == at else index for index in range(before + more)]
    longer = [*range(before - 1), int(f"{before - 1}5"), *range(more)]
    earlier = PrintedList.of(range(before))
    for other in (items, longer, items[: before - 1]):
        assert PrintedList.of(other).beyond(earlier) == (0, _run(other))


@given(steps=st.lists(st.tuples(counts, counts), max_size=4))
def test_a_carry_is_its_rest_with_the_lists_that_its_steps_add_up_to(
    steps: list[tuple[int, int]],
) -> None:
    carry = Carry("start")
    lists: dict[str, PrintedList] = {}
    for lines, notes in steps:
        later = Carry("later", _appended(carry.lines, *range(lines)), PrintedList.of(range(notes)))
        by = growth(carry, later)
        lists = {n: grown(lists.get(n, PrintedList()), step) for n, step in (by or {}).items()}
        carry = later
        assert without_lists(carry) == Carry("later")
        made = with_lists(Carry("later"), lists)
        assert list(made.lines) == list(carry.lines)
        assert list(made.notes) == list(carry.notes)


def test_a_step_that_does_not_begin_at_the_end_of_a_list_is_refused() -> None:
    with pytest.raises(ValueError, match="3 items, not 2"):
        grown(PrintedList.of(range(3)), Growth(2, 1, b"7"))


def test_a_carry_takes_no_list_that_it_has_not() -> None:
    with pytest.raises(ValueError, match="no lists of Carry: name"):
        with_lists(Carry("start"), {"name": PrintedList()})


@pytest.mark.parametrize("carry", [None, Growth(0, 0, b"")], ids=["nothing", "no lists"])
def test_a_carry_without_lists_stays_as_it_is(carry: object) -> None:
    assert without_lists(carry) is carry
    assert growth(carry, carry) is None
