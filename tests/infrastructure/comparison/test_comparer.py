"""Comparisons of stored threads: at moments, of one position, long ones, bounded."""

import pytest

from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.comparison import comparer as module
from agentlog.infrastructure.comparison.comparer import (
    Comparer,
    ComparisonTooLong,
    SideAsked,
    parse_side,
)
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from agentlog.projections.comparison.comparison import Divergence
from agentlog.projections.registry import choose_view
from tests.infrastructure.appends import reply

KERNEL = choose_view("kernel")


@pytest.fixture
def comparer(views: Views) -> Comparer:
    """The comparer under test."""
    return Comparer(views)


def test_a_side_is_a_thread_perhaps_at_a_moment() -> None:
    assert parse_side("a") == SideAsked("a")
    assert parse_side("a@3") == SideAsked("a", AtVersion(3))


def test_what_is_appended_later_is_not_compared(threads: Threads, comparer: Comparer) -> None:
    for thread_id in ("a", "b"):
        threads.append(thread_id, [reply("one")])
    as_of = comparer.compare([SideAsked("a"), SideAsked("b")], KERNEL).as_of
    threads.append("a", [reply("two")])
    then = comparer.compare([SideAsked("a"), SideAsked("b")], KERNEL, as_of=as_of)
    assert [side.version for side in then.sides] == [1, 1]
    assert then.parting is None
    now = comparer.compare([SideAsked("a"), SideAsked("b")], KERNEL)
    assert now.as_of == as_of + 1
    assert now.comparisons[0].divergence == Divergence(1, 1, None)


def test_long_threads_with_edits_all_over_are_aligned(threads: Threads, comparer: Comparer) -> None:
    said = [reply(f"word {n}") for n in range(10_000)]
    other = [reply(f"other {n}") if n % 40 == 7 else draft for n, draft in enumerate(said)]
    other[5000:5000] = [{"type": "log", "text": "between"}]
    for thread_id, drafts in (("a", said), ("b", other)):
        for begin in range(0, len(drafts), 1000):
            threads.append(thread_id, drafts[begin : begin + 1000])
    (comparison,) = comparer.compare([SideAsked("a"), SideAsked("b")], KERNEL).comparisons
    assert comparison.counts == {"equal": 9750, "changed": 250, "only_a": 0, "only_b": 1}


def test_more_events_than_are_read_at_once_are_refused(
    threads: Threads, comparer: Comparer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_EVENTS", 3)
    threads.append("a", [reply("one"), reply("two")])
    compared = comparer.compare([SideAsked("a"), SideAsked("a", AtVersion(1))], KERNEL)
    assert [side.version for side in compared.sides] == [2, 1]
    with pytest.raises(ComparisonTooLong, match="4 events together"):
        comparer.compare([SideAsked("a"), SideAsked("a")], KERNEL)
