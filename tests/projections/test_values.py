"""What rows take from events: times, texts, figures and sums."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given

from agentlog.domain.events import Event
from agentlog.domain.json.numbers import WrittenFloat
from agentlog.projections.values import (
    count_held,
    count_sum,
    figure_held,
    figure_sum,
    sent_at,
)
from tests.projections.readmodels.stories import stories

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
BIGGEST = 2**63 - 1


@given(events=stories)
def test_the_time_found_without_reading_a_message_is_the_one_that_it_has(
    events: list[Event],
) -> None:
    for event in events:
        raw = event.raw
        if isinstance(raw, dict) and "timestamp" in raw:
            assert sent_at(event) == EPOCH + timedelta(milliseconds=raw["timestamp"])
        else:
            assert sent_at(event) is None


@pytest.mark.parametrize(
    ("body", "milliseconds"),
    [
        (b'{"timestamp":7,"id":"x"}', 7),
        (b'{"id":"00000000000000000000000001","timestamp":7}', 7),
        (b'{"id":"00000000000000000000000001","timestamp":7.5}', None),
        (b'{"id":"00000000000000000000000001","timestamp":-7}', None),
        (b'{"id":"00000000000000000000000001","timestamp":300000000000000}', None),
        (b'{"id":"00000000000000000000000001","timestamp":true}', None),
        (b'{"payload":{"id":"00000000000000000000000001","timestamp":7}}', None),
        (b"[7]", None),
    ],
)
def test_a_time_is_found_wherever_it_stands_or_is_none(
    body: bytes, milliseconds: int | None
) -> None:
    sent = sent_at(Event("t", 1, "vendor.thing", body, "id"))
    expected = None if milliseconds is None else EPOCH + timedelta(milliseconds=milliseconds)
    assert sent == expected


def test_a_figure_is_none_where_a_column_does_not_hold_it() -> None:
    assert [count_held(number) for number in (BIGGEST, BIGGEST + 1, None)] == [BIGGEST, None, None]
    figures = [
        figure_held(number) for number in (2, WrittenFloat("1.10"), WrittenFloat("-1e400"), None)
    ]
    assert figures == [2.0, 1.1, None, None]
    assert [type(figure) for figure in figures[:2]] == [float, float]


def test_a_sum_begins_with_the_first_figure_and_leaves_out_what_would_break_it() -> None:
    assert count_sum(None, None) is None
    assert [count_sum(None, 0), count_sum(1, None), count_sum(1, 2)] == [0, 1, 3]
    assert [count_sum(None, 2**63), count_sum(1, BIGGEST)] == [None, 1]
    assert figure_sum(None, None) is None
    assert [figure_sum(None, 0), figure_sum(0.5, 1)] == [0.0, 1.5]
    assert [figure_sum(None, WrittenFloat("1e400")), figure_sum(1e308, 1e308)] == [None, 1e308]
