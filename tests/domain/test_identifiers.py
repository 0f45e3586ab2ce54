"""Ids: what they may look like, and how one is made."""

import re
from hashlib import sha256

import pytest
import ulid
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidThreadId
from agentlog.domain.identifiers import (
    check_thread_id,
    derived_message_id,
    is_message_id,
)

ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.mark.parametrize("text", ["a", "goal:2026_01.v~2-b", "A" * 128, "...", ULID])
def test_a_thread_id_is_taken_as_it_is(text: str) -> None:
    assert check_thread_id(text) == text


@pytest.mark.parametrize("text", ["", "A" * 129, ".", "..", "a b", "a/b", "é", "a\n", "a\x00"])
def test_other_thread_ids_are_refused_with_the_characters_to_use(text: str) -> None:
    with pytest.raises(InvalidThreadId, match="use 1 to 128 of the characters") as caught:
        check_thread_id(text)
    assert caught.value.thread_id == text


@pytest.mark.parametrize("text", [ULID, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "0" * 26])
def test_a_message_id_is_a_ulid(text: str) -> None:
    assert is_message_id(text)


@pytest.mark.parametrize(
    "text", ["", ULID.lower(), ULID[1:], ULID + "0", "8" + ULID[1:], ULID[:-1] + "U", ULID + "\n"]
)
def test_other_message_ids_are_refused(text: str) -> None:
    assert not is_message_id(text)


def test_a_derived_id_is_the_same_in_every_year() -> None:
    assert derived_message_id("tau", 1, "x") == "0000000000AKPRAZD8PE4DZQWZ"


@given(parts=st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.integers()))
def test_a_derived_id_is_a_ulid_at_the_beginning_of_time(parts: list[str | int]) -> None:
    derived = derived_message_id(*parts)
    assert re.match(r"0{10}[0-9A-HJKMNP-TV-Z]{16}\Z", derived)
    assert derived != derived_message_id(*parts, "more")


@given(parts=st.lists(st.integers(), max_size=3))
def test_a_derived_id_is_the_ulid_of_the_digest_of_its_parts(parts: list[int]) -> None:
    digest = sha256("\x00".join(map(str, parts)).encode()).digest()
    assert derived_message_id(*parts) == str(ulid.ULID(bytes(6) + digest[:10]))
