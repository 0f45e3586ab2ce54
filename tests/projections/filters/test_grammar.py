"""The grammar of filters: what is printed parses as the same, and errors name the place."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.filters.expression import (
    ALL,
    And,
    Expression,
    Not,
    Or,
    Term,
    evaluate,
    print_filter,
)
from agentlog.projections.filters.grammar import InvalidFilterText, parse_filter
from agentlog.projections.filters.terms import TERMS, Place, terms_of
from agentlog.projections.search.message_texts import types_of_role
from tests.projections.filters.drawn import expressions

PLACES: list[Place] = [*get_args(Place)]


@pytest.mark.parametrize("place", PLACES)
@given(data=st.data())
def test_what_is_printed_parses_as_the_same(place: Place, data: st.DataObject) -> None:
    expression = data.draw(expressions(list(terms_of(place)), place))
    assert parse_filter(print_filter(expression), place) == expression


@given(text=st.text(alphabet="()-\"$:<>=*\\ .anortd5k[]'?@", max_size=40) | st.text(max_size=30))
def test_any_text_is_a_filter_or_refused_with_its_place(text: str) -> None:
    for place in PLACES:
        expression = parsed(text, place)
        if isinstance(expression, InvalidFilterText):
            assert 1 <= expression.at <= len(text) + 1
        else:
            assert parse_filter(print_filter(expression), place) == expression


def parsed(text: str, place: Place) -> Expression | InvalidFilterText:
    try:
        return parse_filter(text, place)
    except InvalidFilterText as error:
        return error


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("", ALL),
        ("parcel", Term("words", value="parcel")),
        ('text:"exact phrase"', Term("text", value="exact phrase")),
        ("took>5s", Term("took", ">", 5000)),
        ("took >= 2m", Term("took", ">=", 120_000)),
        ("tokens>10k", Term("tokens", ">", 10_000)),
        ("cost>$0.5", Term("cost", ">", 0.5)),
        ("failed", Term("failed", "")),
        ('"failed"', Term("words", value="failed")),
        ("tool:book*", Term("tool", value="book", is_prefix=True)),
        ("-open", Not(Term("open", ""))),
        ("not open", Not(Term("open", ""))),
        ("tool:a tool:b", And((Term("tool", value="a"), Term("tool", value="b")))),
        ("tool:a and tool:b", And((Term("tool", value="a"), Term("tool", value="b")))),
        ("tool:a OR tool:b", Or((Term("tool", value="a"), Term("tool", value="b")))),
        (
            "tool:a or failed and open",
            Or((Term("tool", value="a"), And((Term("failed", ""), Term("open", ""))))),
        ),
        ("$.args.amount > 1000", Term("$", ">", 1000, "$.args.amount")),
        ('$.a[?@.b == "x y"]', Term("$", "", key='$.a[?@.b == "x y"]')),
    ],
)
def test_filters_are_read_within_a_thread(text: str, expression: Expression) -> None:
    assert parse_filter(text, "thread") == expression


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        ("toool:x", 1, "no term 'toool'"),
        ("failed and", 11, "a term is missing"),
        ("failed and or open", 12, "'or' joins terms"),
        ("failed status:open", 8, "'status' is a term of lists of threads"),
        ("took>5", 6, "took is compared with a time"),
        ("tokens:many", 8, "tokens is compared with a number"),
        ("(failed", 8, 'a ")" is missing'),
        ("failed)", 7, "a parenthesis closes"),
        ("failed or", 10, "a term is missing"),
        ("tool:", 6, "a value is missing"),
        ('tool:"a', 6, "a quote is not closed"),
        ("tool>a", 1, "tool has no order"),
        ("failed:yes", 1, "failed has no value"),
        ("$", 1, "a JSONPath names a field"),
        (":x", 1, "a term begins with"),
        ("and", 1, "'and' joins terms"),
        ("(" * 50, 21, "nested deeper"),
        ("x " * 200, 201, "more than 100 terms"),
        ("x" * 2001, 2001, "longer than"),
    ],
)
def test_an_error_names_the_place_and_what_is_allowed(text: str, at: int, reason: str) -> None:
    with pytest.raises(InvalidFilterText) as refused:
        parse_filter(text, "thread")
    assert refused.value.reason.startswith(reason)
    assert refused.value.at == at


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("failed open", None),
        ("failed succeeded", False),
        ("failed or open", True),
        ("succeeded or open", None),
        ("-open", None),
        ("-succeeded", True),
    ],
)
def test_what_is_not_known_decides_only_where_nothing_else_does(
    text: str,
    value: bool | None,  # noqa: FBT001 - of a table
) -> None:
    known = {"failed": True, "succeeded": False, "open": None}
    assert evaluate(parse_filter(text, "thread"), lambda term: known[term.name]) is value


@pytest.mark.parametrize(
    ("text", "place"), [("status:opne", "list"), ("status:open*", "list"), ("role:me", "message")]
)
def test_a_term_of_few_values_takes_no_other(text: str, place: Place) -> None:
    with pytest.raises(InvalidFilterText, match="is one of"):
        parse_filter(text, place)


def test_every_role_is_one_of_messages() -> None:
    assert all(types_of_role(role) for role in TERMS["role"].values)
