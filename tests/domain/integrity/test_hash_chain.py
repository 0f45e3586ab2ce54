"""The hash chain: one golden link, and everything it covers."""

from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.integrity.hash_chain import GENESIS, digest, link

FACTS: dict[str, Any] = {
    "tenant": "acme",
    "thread_id": "t1",
    "version": 1,
    "position": 12,
    "type_name": "reply",
    "message_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "recorded_at": datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC),
    "body_digest": digest(b"{}"),
    "metadata_digest": digest(b""),
    "left": None,
}


def test_the_link_is_what_it_was_when_the_first_log_was_written() -> None:
    assert link(GENESIS, **FACTS).hex() == (
        "7093718008ae973f8602d4505f1b97a71d34b2fa4174d8389e8007916c0a1b56"
    )


def test_the_link_is_sha_256_over_each_fact_with_its_length() -> None:
    parts = [
        b"agentlog-chain-1",
        bytes(32),
        b"acme",
        b"t1",
        b"1",
        b"12",
        b"reply",
        b"01ARZ3NDEKTSV4RRFFQ69G5FAV",
        b"1767323045678901",
        sha256(b"{}").digest(),
        sha256(b"").digest(),
    ]
    written = b"".join(str(len(part)).encode() + b":" + part for part in parts)
    assert link(GENESIS, **FACTS) == sha256(written).digest()
    left = digest(b"1") + digest(b"2")
    assert link(GENESIS, **{**FACTS, "left": left}) == sha256(written + b"64:" + left).digest()


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("tenant", "acme2"),
        ("thread_id", "t2"),
        ("version", 2),
        ("position", 13),
        ("type_name", "log"),
        ("message_id", "01ARZ3NDEKTSV4RRFFQ69G5FAW"),
        ("recorded_at", datetime(2026, 1, 2, 3, 4, 5, 678_902, tzinfo=UTC)),
        ("body_digest", digest(b"{ }")),
        ("metadata_digest", digest(b"{}")),
        ("left", digest(b"")),
    ],
)
def test_every_field_changes_the_link(field: str, other: Any) -> None:
    assert link(GENESIS, **{**FACTS, field: other}) != link(GENESIS, **FACTS)


def test_the_test_above_names_every_field() -> None:
    mark = next(m for m in test_every_field_changes_the_link.pytestmark)
    assert {case[0] for case in mark.args[1]} == set(FACTS)


def test_the_link_before_changes_the_link() -> None:
    assert link(digest(b"x"), **FACTS) != link(GENESIS, **FACTS)


def test_what_moves_from_one_field_to_the_next_changes_the_link() -> None:
    one = link(GENESIS, **{**FACTS, "tenant": "ab", "thread_id": "c"})
    other = link(GENESIS, **{**FACTS, "tenant": "a", "thread_id": "bc"})
    assert one != other


@given(
    microseconds=st.integers(0, 253_402_300_799_999_999),
    minutes=st.integers(-23 * 60, 23 * 60),
)
def test_time_counts_to_the_microsecond_in_any_zone(microseconds: int, minutes: int) -> None:
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    facts = {**FACTS, "recorded_at": at}
    try:
        elsewhere = at.astimezone(timezone(timedelta(minutes=minutes)))
    except OverflowError:  # beyond the years that Python counts
        return
    assert link(GENESIS, **{**FACTS, "recorded_at": elsewhere}) == link(GENESIS, **facts)
    next_one = at + timedelta(microseconds=1) if at.year < 9999 else at - timedelta(microseconds=1)
    assert link(GENESIS, **{**FACTS, "recorded_at": next_one}) != link(GENESIS, **facts)
