"""Shortened JSON: bounded, whole where it is short, digits and characters as they were."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.shortened import MOST_ENTRIES, MOST_KEY, MOST_VALUES, beginnings
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonObject, object_of

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=30,
)


@given(values)
def test_what_is_short_is_the_value_itself(value: Any) -> None:
    assert beginnings(value, 8) is value


@given(values)
def test_every_text_is_a_beginning(value: Any) -> None:
    def check(whole: Any, part: Any) -> None:
        match whole:
            case str():
                assert part == whole[:3]
            case list():
                for item, other in zip(whole, part, strict=True):
                    check(item, other)
            case dict():
                assert list(part) == list(whole)
                check(list(whole.values()), list(part.values()))
            case _:
                assert part is whole

    check(value, beginnings(value, 3))


def test_arrays_and_objects_have_their_first_entries() -> None:
    table: JsonObject = {f"k{number}": number for number in range(60)}
    assert beginnings(list(range(60)), 1) == list(range(MOST_ENTRIES))
    assert list(object_of(beginnings(table, 1))) == list(table)[:MOST_ENTRIES]


def test_a_nested_value_is_bounded_as_a_whole() -> None:
    def count(value: Any) -> int:
        return 1 + sum(map(count, value)) if isinstance(value, list) else 1

    deep: Any = "x"
    for _ in range(5):
        deep = [deep] * 20
    assert count(beginnings(deep, 1)) == MOST_VALUES


def test_an_entry_with_a_very_long_key_is_left_out() -> None:
    assert beginnings({"k" * MOST_KEY: 1, "k" * (MOST_KEY + 1): 2}, 9) == {"k" * MOST_KEY: 1}


def test_numbers_keep_their_digits() -> None:
    text = b'{"sum":1.10,"big":1e400,"id":12345678901234567890123}'
    assert print_bytes(beginnings(parse(text), 1)) == text
