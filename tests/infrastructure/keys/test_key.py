"""What a key looks like, and what it is refused for."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.access import Principal
from agentlog.infrastructure.keys.key import KEY_PATTERN, RANDOM_BYTES, Key, KeyText, StoredKey
from agentlog.infrastructure.keys.terms import InvalidKeyTerms, expiry_of, name_of, scopes_of

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TEXT = KeyText.made_of(bytes(range(RANDOM_BYTES)))


def record(**changes: Any) -> Key:
    key = Key(TEXT.key_id, "t", "agents", ("read",), NOW, None, None, None, None)
    return replace(key, **changes)


@given(st.binary(min_size=RANDOM_BYTES, max_size=RANDOM_BYTES))
def test_what_is_made_is_read_again(randomness: bytes) -> None:
    made = KeyText.made_of(randomness)
    assert re.fullmatch(KEY_PATTERN, made.reveal())
    assert KeyText.parse(made.reveal()) == made


@given(
    randomness=st.binary(min_size=RANDOM_BYTES, max_size=RANDOM_BYTES),
    cell=st.text("abcdefghijklmnopqrstuvwxyz234567", max_size=4),
)
def test_the_id_of_a_cells_key_begins_with_the_cell_and_keeps_40_bits(
    randomness: bytes, cell: str
) -> None:
    made, of_none = KeyText.made_of(randomness, cell=cell), KeyText.made_of(randomness)
    assert KeyText.parse(made.reveal()) == made
    assert made.key_id == cell + of_none.key_id[: 12 - len(cell)]
    assert (12 - len(cell)) * 5 >= 40
    assert made.secret == of_none.secret


def test_all_256_bits_of_the_secret_count() -> None:
    assert TEXT.secret == bytes(range(8, 40)).hex()
    assert TEXT.digest == sha256(TEXT.secret.encode()).digest()


@given(st.integers(0, RANDOM_BYTES * 8 - 1).filter(lambda bit: not 60 <= bit < 64))
def test_keys_that_differ_in_a_bit_are_different(bit: int) -> None:
    number = int.from_bytes(bytes(range(RANDOM_BYTES))) ^ (1 << (RANDOM_BYTES * 8 - 1 - bit))
    assert KeyText.made_of(number.to_bytes(RANDOM_BYTES)) != TEXT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "agentlog_",
        TEXT.reveal()[:-1],
        TEXT.reveal() + "0",
        TEXT.reveal() + "\n",
        TEXT.reveal().upper(),
        TEXT.reveal().replace("agentlog", "agentlag"),
        TEXT.reveal().replace("_", "-"),
        "agentlog_" + "1" * 12 + "_" + "0" * 64,
        "agentlog_" + "a" * 12 + "_" + "٣" * 64,
    ],
)
def test_what_is_no_key_is_none(text: str) -> None:
    assert KeyText.parse(text) is None


def test_no_printing_shows_the_secret() -> None:
    stored = StoredKey.of(record(), TEXT.digest)
    for shown in (repr(TEXT), str(TEXT), f"{TEXT}", repr(stored), str(stored)):
        assert TEXT.secret not in shown
        assert repr(TEXT.digest) not in shown
    assert TEXT.key_id in str(TEXT)


def test_a_key_opens_to_its_secret_alone() -> None:
    stored = StoredKey.of(record(), TEXT.digest)
    assert stored.flaw(TEXT, now=NOW) is None
    assert stored.principal == Principal("t", frozenset({"read"}), TEXT.key_id)
    other = KeyText(TEXT.key_id, "0" * 64)
    assert stored.flaw(other, now=NOW) == "its secret is another"


def test_a_key_ends_at_its_time_and_not_before() -> None:
    stored = StoredKey.of(record(expires_at=NOW), TEXT.digest)
    assert stored.flaw(TEXT, now=NOW - timedelta(microseconds=1)) is None
    assert stored.flaw(TEXT, now=NOW) == "it has expired"


def test_a_revoked_key_opens_nothing_whenever_that_was() -> None:
    stored = StoredKey.of(record(revoked_at=NOW + timedelta(days=1)), TEXT.digest)
    assert stored.flaw(TEXT, now=NOW) == "it was revoked"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90d", NOW + timedelta(days=90)),
        ("2w", NOW + timedelta(weeks=2)),
        ("12h", NOW + timedelta(hours=12)),
        ("5m", NOW + timedelta(minutes=5)),
        ("2027-01-31T00:00:00Z", datetime(2027, 1, 31, tzinfo=UTC)),
        ("2027-01-31T02:00:00+02:00", datetime(2027, 1, 31, tzinfo=UTC)),
    ],
)
def test_an_end_is_a_span_or_a_time(text: str, expected: datetime) -> None:
    assert expiry_of(text, now=NOW) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "90",
        "0d",
        "-1d",
        "90y",
        "999999w",
        "2027-01-31T00:00:00",
        "2026-11-21T12:00:00Z",
    ],
)
def test_what_is_no_end_or_has_passed_is_refused(text: str) -> None:
    with pytest.raises(InvalidKeyTerms, match="expires: "):
        expiry_of(text, now=NOW)


def test_scopes_stand_once_in_their_order() -> None:
    assert scopes_of(["admin", "read", "read"]) == ("read", "admin")


@pytest.mark.parametrize("texts", [[], ["write"], ["read", "READ"], [""]])
def test_what_is_no_scope_is_refused(texts: list[str]) -> None:
    with pytest.raises(InvalidKeyTerms, match="read, append, redact, admin"):
        scopes_of(texts)


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\x00", "x" * 201])
def test_a_name_says_something_printable(text: str) -> None:
    with pytest.raises(InvalidKeyTerms, match="name: "):
        name_of(text)
    assert name_of(" agents of support ") == "agents of support"
