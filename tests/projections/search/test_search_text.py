"""Search texts: an index of words misses nothing that stands in a text, and a match is literal."""

import sys

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agentlog.projections.search.search_text import Part, folded, parts_of, words_in

ODD = "aAbZ09_-.'\"\\ \n\x00ßẞİ\u0131Σς\u03c3é日本กำ한\u0301\u200b\u00a0😀\U0001d504"
texts = st.text(st.sampled_from(ODD) | st.characters(exclude_categories=["Cs"]), max_size=30)
long_texts = st.builds(lambda one, times, end: one * times + end, texts, st.integers(1, 20), texts)


def is_of_word(sign: str) -> bool:
    """Say whether a character is of a word with its neighbours; for what is drawn here."""
    return sign.isalnum() and not "\u0e00" <= sign <= "\u0eff" and sign not in "日本"


def has(words: set[str], part: Part) -> bool:
    """Say what the index says of a text with these words."""
    return all(
        any(token.startswith(word) for token in words) if beginning else word in words
        for word, beginning in part.words
    )


def test_every_character_is_one_in_lower_case() -> None:
    for number in range(sys.maxunicode + 1):
        low = folded(chr(number))
        assert len(low) == 1
        assert folded(low) == low


@given(texts, texts)
def test_neighbours_make_no_difference_to_case(one: str, other: str) -> None:
    assert folded(one + other) == folded(one) + folded(other)


@given(long_texts, st.data())
def test_what_stands_in_a_text_from_the_beginning_of_a_word_is_found(
    text: str, data: st.DataObject
) -> None:
    starts = [
        at
        for at, sign in enumerate(text)
        if not (at and is_of_word(text[at - 1]) and is_of_word(sign))
    ]
    assume(starts)
    start = data.draw(st.sampled_from(starts))
    end = data.draw(st.integers(start + 1, len(text)))
    cased = data.draw(st.sampled_from(["lower", "upper", "strip"]))
    piece = getattr(text[start:end], cased)()
    assume(len(piece) == end - start)
    assume(folded(piece) == folded(text[start:end]))
    part = Part(piece, whole=False)
    assert has(words_in(text), part)
    assert (start, end) in list(_overlapping(part, text))
    ends_word = end == len(text) or not (is_of_word(text[end - 1]) and is_of_word(text[end]))
    whole = Part(piece, whole=True)
    assert not ends_word or has(words_in(text), whole)
    assert ((start, end) in list(_overlapping(whole, text))) is ends_word


def _overlapping(part: Part, text: str) -> list[tuple[int, int]]:
    """Return all matches; those that a search shows do not overlap."""
    low = folded(text)
    return [next(part.matches(low, at), (0, 0)) for at in range(len(text))]


@given(texts, texts.filter(bool), st.booleans())
def test_every_match_is_literal_and_begins_a_word(text: str, piece: str, whole: bool) -> None:  # noqa: FBT001 - drawn
    for begin, end in Part(piece, whole).matches(folded(text)):
        assert folded(text[begin:end]) == folded(piece)
        assert not (begin and is_of_word(text[begin - 1]) and is_of_word(text[begin]))


@pytest.mark.parametrize(
    ("search", "parts"),
    [
        ("", []),
        ("  \n", []),
        ("mia_li_3668", [("mia_li_3668", True)]),
        ("one  two one", [("one", True), ("two", True)]),
        ("one* two", [("one", False), ("two", True)]),
        ('"gift card" paid', [("gift card", True), ("paid", True)]),
        ('"user_id": "x"', [('"user_id":', True), ("x", True)]),
        ('say "never', [("say", True), ('"never', True)]),
        ('""', [('""', True)]),
    ],
)
def test_parts_are_between_spaces_or_quotes(search: str, parts: list[tuple[str, bool]]) -> None:
    assert [(part.text, part.whole) for part in parts_of(search)] == parts


@pytest.mark.parametrize(
    ("search", "text", "expected"),
    [
        ("mia_li_3668", '{"user_id": "mia_li_3668"}', True),
        ("mia_li_366", "mia_li_3668", False),
        ("mia_li_366*", "mia_li_3668", True),
        ("mia_li", "xmia_li, mia, li", False),
        ("3668", "mia_li_3668", True),
        ('"mia_li_366"', "mia_li_3668", False),
        ("fund", "refund", False),
        ("REFUND", "Refunded", False),
        ("REFUND*", "Refunded", True),
        ("本", "日本", True),
        ("a-b", "a b, a-b", True),
        ("ΣΟΦΟΣ", "σοφος και σοφός, Σοφος", True),
    ],
)
def test_a_part_stands_as_it_is_in_whole_words(
    search: str,
    text: str,
    expected: bool,  # noqa: FBT001 - a column of the table
) -> None:
    (part,) = parts_of(search)
    assert any(part.matches(folded(text))) is expected


def test_long_words_are_found_in_pieces() -> None:
    text = "x" * 1000
    assert words_in(text) == {"x" * 64, "x" * (1000 % 64)}
    for length in (1, 63, 64, 65, 128, 999, 1000):
        assert has(words_in(text), Part("x" * length, whole=False))
    assert has(words_in(text), Part(text, whole=True))
