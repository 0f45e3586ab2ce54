"""Slots for queries: bounded in all and for each tenant, and never all of them one tenant's."""

from collections import Counter
from contextlib import ExitStack

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from agentlog.infrastructure.analysts.errors import QueriesExhausted, TooManyQueries
from agentlog.infrastructure.analysts.slots import Slots


def _take(slots: Slots, *tenants: str) -> tuple[Counter[str], ExitStack]:
    """Have tenants take slots in turn; return how many each has, and what gives them back."""
    had: Counter[str] = Counter()
    held = ExitStack()
    for tenant in tenants:
        try:
            held.enter_context(slots.taken(tenant))
        except (TooManyQueries, QueriesExhausted):
            continue
        had[tenant] += 1
    return had, held


def test_a_tenant_takes_as_many_as_it_may_and_gives_them_back() -> None:
    slots = Slots(most=4, most_in_all=16)
    for _ in range(2):
        had, held = _take(slots, *["a"] * 9)
        assert had == {"a": 4}
        with pytest.raises(TooManyQueries), slots.taken("a"):
            pass
        held.close()


def test_a_query_that_fails_gives_its_slot_back() -> None:
    slots = Slots(most=1, most_in_all=1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), slots.taken("a"):
            raise ZeroDivisionError


def test_no_tenant_takes_all_however_many_it_may() -> None:
    slots = Slots(most=100, most_in_all=16)
    had, _ = _take(slots, *["a"] * 100)
    assert had == {"a": 8}
    had, _ = _take(slots, *["b"] * 100)
    assert had == {"b": 4}


def test_of_eleven_tenants_that_want_four_each_gets_one_before_any_gets_three() -> None:
    tenants = [f"tenant {number}" for number in range(11)]
    had, _ = _take(Slots(), *tenants * 4)
    assert set(had) == set(tenants)
    assert max(had.values()) == 2


def test_a_tenant_without_any_is_told_apart_from_one_that_has_enough() -> None:
    slots = Slots(most=4, most_in_all=2)
    with slots.taken("a"):
        with pytest.raises(TooManyQueries), slots.taken("a"):
            pass
        with slots.taken("b"), pytest.raises(QueriesExhausted), slots.taken("c"):
            pass
        with slots.taken("c"):
            pass


@drawn(st.lists(st.sampled_from("abcdef")), st.integers(1, 9), st.integers(1, 9))
def test_never_more_than_may_be(asked: list[str], most: int, most_in_all: int) -> None:
    had, held = _take(Slots(most=most, most_in_all=most_in_all), *asked)
    assert had.total() <= most_in_all
    assert max(had.values(), default=0) <= most
    assert not asked or had
    held.close()
