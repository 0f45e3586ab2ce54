"""Rates: a bucket of tokens for each caller, by any clock."""

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.api.http.middleware.rate_limit import Rate


def test_a_burst_goes_through_and_then_one_each_interval() -> None:
    rate = Rate(2, burst=3)
    assert [rate.wait("a", 10.0) for _ in range(4)] == [0, 0, 0, 0.5]
    assert rate.wait("a", 10.25) == 0.25
    assert rate.wait("a", 10.5) == 0
    assert rate.wait("a", 10.5) == 0.5


def test_who_waits_as_long_as_told_is_let_through() -> None:
    rate = Rate(0.1, burst=1)
    assert rate.wait("a", 0.0) == 0
    seconds = rate.wait("a", 4.0)
    assert seconds == pytest.approx(6)
    assert rate.wait("a", 4.0 + seconds) == 0


def test_one_caller_takes_nothing_from_another() -> None:
    rate = Rate(1, burst=1)
    assert rate.wait("a", 0.0) == 0
    assert rate.wait("a", 0.0) > 0
    assert rate.wait("b", 0.0) == 0


def test_a_refusal_costs_nothing() -> None:
    rate = Rate(1, burst=1)
    rate.wait("a", 0.0)
    for _ in range(100):
        assert rate.wait("a", 0.5) == 0.5
    assert rate.wait("a", 1.0) == 0


def test_callers_who_have_gone_are_forgotten() -> None:
    rate = Rate(1000, burst=1)
    for number in range(100_000):
        rate.wait(number, number / 1000)
    assert len(rate) < 5000


@given(
    st.lists(st.integers(0, 400), min_size=1, max_size=200),
    st.integers(1, 20),
    st.integers(1, 10),
)
def test_it_lets_through_what_a_bucket_of_tokens_does(
    pauses: list[int], per_second: int, burst: int
) -> None:
    # in ticks of which an interval is a whole number, so that nothing is rounded
    interval = 64
    rate = Rate(1 / interval, burst=burst)
    tokens, last, now = burst * interval, 0, 0
    taken: deque[int] = deque()
    for pause in pauses:
        now += pause * per_second
        tokens, last = min(burst * interval, tokens + now - last), now
        passes = tokens >= interval
        assert (rate.wait("a", float(now)) == 0) is passes
        if passes:
            tokens -= interval
            taken.append(now)
