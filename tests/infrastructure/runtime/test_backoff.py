"""Pauses grow with failures, up to a bound, and differ a little."""

import pytest

from agentlog.infrastructure.runtime.backoff import pause_seconds


@pytest.mark.parametrize(
    ("failures", "expected"), [(0, 0.5), (1, 1.0), (3, 4.0), (6, 30.0), (100_000, 30.0)]
)
def test_a_pause_doubles_with_each_failure_up_to_a_bound(failures: int, expected: float) -> None:
    pauses = {pause_seconds(failures, first=0.5, most=30.0) for _ in range(10)}
    assert len(pauses) > 1
    assert all(0.9 * expected <= pause <= 1.1 * expected for pause in pauses)
