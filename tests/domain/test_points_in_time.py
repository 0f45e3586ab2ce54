"""Points of a history: every form, and what is none."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidMoment
from agentlog.domain.points_in_time import (
    AtMessage,
    AtPosition,
    AtTime,
    AtVersion,
    Moment,
    parse_moment,
)

TEN = datetime(2026, 11, 21, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("0", AtVersion(0)),
        ("12", AtVersion(12)),
        ("007", AtVersion(7)),
        ("9223372036854775807", AtVersion(2**63 - 1)),
        ("@0", AtPosition(0)),
        ("@345", AtPosition(345)),
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", AtMessage("01ARZ3NDEKTSV4RRFFQ69G5FAV")),
        ("01234567890123456789012345", AtMessage("01234567890123456789012345")),
        ("01arz3ndektsv4rrffq69g5fav", AtMessage("01ARZ3NDEKTSV4RRFFQ69G5FAV")),
        ("01563e3a-b5d3-d676-4c61-efb99302bd5b", AtMessage("01ARZ3NDEKTSV4RRFFQ69G5FAV")),
        ("2026-11-21T10:00:00Z", AtTime(TEN)),
        ("2026-11-21t10:00:00z", AtTime(TEN)),
        ("2026-11-21 10:00:00Z", AtTime(TEN)),
        ("2026-11-21T11:30:00+01:30", AtTime(TEN)),
        ("2026-11-21T05:00:00-05:00", AtTime(TEN)),
        ("2026-11-21T10:00:00.5Z", AtTime(TEN + timedelta(milliseconds=500))),
        ("2026-11-21T10:00:00.000001Z", AtTime(TEN + timedelta(microseconds=1))),
        ("2026-11-21T10:00:00.0000019999Z", AtTime(TEN + timedelta(microseconds=1))),
        ("2024-02-29T00:00:00Z", AtTime(datetime(2024, 2, 29, tzinfo=UTC))),
    ],
)
def test_each_form_names_its_point(text: str, moment: Moment) -> None:
    assert parse_moment(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@",
        "@@1",
        "-1",
        "+1",
        "1.0",
        "1e3",
        " 1",
        "1\n",
        "١٢",
        "²",
        "9223372036854775808",
        "@9223372036854775808",
        "1" * 5000,
        "latest",
        "01arz3ndekt\u017fv4rrffq69g5fav",
        "01563e3a-b5d3-d676-4c61-efb99302bd5",
        "@01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "2026-11-21",
        "2026-11-21T10:00Z",
        "2026-11-21T10:00:00",
        "2026-11-21T10:00:00Z\n",
        "2026-11-21T10:00:00.Z",
        "2026-11-21T10:00:00 Z",
        "2026-11-21T10:00:00+0100",
        "2026-13-21T10:00:00Z",
        "2026-02-29T10:00:00Z",
        "2026-11-21T24:00:01Z",
        "2026-11-21T10:00:60Z",
        "2026-11-21T10:00:00+25:00",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "٢٠٢٦-11-21T10:00:00Z",
    ],
)
def test_what_names_no_point_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(InvalidMoment) as caught:
        parse_moment(text)
    assert caught.value.text == text
    for form in ("version", "position", "message id", "RFC 3339"):
        assert form in str(caught.value)
    assert len(str(caught.value)) < 300


@given(
    time=st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)),  # noqa: DTZ001 - hypothesis wants naive bounds
    minutes=st.integers(-23 * 60, 23 * 60),
)
def test_a_time_is_the_same_in_every_zone(time: datetime, minutes: int) -> None:
    there = time.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert parse_moment(there.isoformat()) == AtTime(there.astimezone(UTC))


@given(number=st.integers(0, 2**63 - 1))
def test_every_version_and_position_is_read_back(number: int) -> None:
    assert parse_moment(str(number)) == AtVersion(number)
    assert parse_moment(f"@{number}") == AtPosition(number)


@given(text=st.text(max_size=40))
def test_any_text_is_a_point_or_refused(text: str) -> None:
    try:
        moment = parse_moment(text)
    except InvalidMoment:
        return
    assert isinstance(moment, AtVersion | AtPosition | AtMessage | AtTime)
