"""Work summed upward in a tree of workers."""

from dataclasses import replace
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.work import NONE, ThreadWork, with_workers

works = st.builds(
    partial(replace, NONE),
    threads=st.just(1),
    failed=st.integers(0, 1),
    tool_calls=st.integers(0, 9),
    failures=st.integers(0, 9),
    total_tokens=st.none() | st.integers(0, 99),
    cost_usd=st.none() | st.integers(0, 64).map(lambda number: number / 64),
)


@st.composite
def trees(draw: st.DrawFn) -> list[tuple[int, ThreadWork]]:
    """Threads, each before its workers; the first is that above all."""
    tree = [(0, draw(works))]
    for _ in range(draw(st.integers(0, 12))):
        tree.append((draw(st.integers(1, tree[-1][0] + 1)), draw(works)))
    return tree


def test_a_sum_that_none_reports_is_unknown() -> None:
    assert NONE.plus(NONE).total_tokens is None
    assert NONE.plus(replace(NONE, total_tokens=0)).total_tokens == 0


def test_each_worker_counts_for_the_one_above_it_and_for_no_other() -> None:
    cents = [replace(NONE, threads=1, cost_usd=usd) for usd in (0.5, 0.25, 0.125, 1.0)]
    tree = list(zip((0, 1, 2, 1), cents, strict=True))
    assert [whole.cost_usd for whole in with_workers(tree)] == [1.875, 0.375, 0.125, 1.0]
    assert [whole.threads for whole in with_workers(tree)] == [4, 2, 1, 1]


@given(trees())
def test_the_whole_of_the_first_is_the_sum_of_all(tree: list[tuple[int, ThreadWork]]) -> None:
    total = NONE
    for _, own in tree:
        total = total.plus(own)
    assert with_workers(tree)[0] == total


@given(trees())
def test_a_whole_is_that_of_the_subtree_alone(tree: list[tuple[int, ThreadWork]]) -> None:
    for place, whole in enumerate(with_workers(tree)):
        depth, _ = tree[place]
        rest = [under for under, _ in tree[place + 1 :]]
        length = next((n for n, under in enumerate(rest) if under <= depth), len(rest))
        subtree = tree[place : place + 1 + length]
        assert with_workers([(under - depth, own) for under, own in subtree])[0] == whole
