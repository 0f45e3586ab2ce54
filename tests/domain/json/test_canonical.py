"""Canonical JSON: equal bytes exactly for equal values."""

from decimal import Decimal as Exact

import pytest
from hypothesis import given

from agentlog.domain.json.canonical import canonical_bytes
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from tests.histories import json_values, numbers


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "1.0"),
        ("1", "10e-1"),
        ("0", "-0.0"),
        ("1.10", "1.1"),
        ("0.0000001", "1e-7"),
        ("1e400", "10e399"),
        ("123456789012345678901234567890", "123456789012345678901234567890.0"),
        ('{"a":1,"b":[2.0]}', '{"b":[2],"a":1.00}'),
    ],
)
def test_one_value_has_one_form(one: str, other: str) -> None:
    assert canonical_bytes(parse(one)) == canonical_bytes(parse(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "true"), ("1", '"1"'), ("0", "null"), ("1.1", "1.10000000000000000001"), ("[]", "{}")],
)
def test_other_values_have_other_forms(one: str, other: str) -> None:
    assert canonical_bytes(parse(one)) != canonical_bytes(parse(other))


@given(numbers)
def test_a_number_keeps_its_value_and_its_form_is_stable(text: str) -> None:
    canonical = canonical_bytes(parse(text))
    assert canonical_bytes(parse(canonical)) == canonical
    if len(text) < 20:
        exponent = text.lower().partition("e")[2]
        if abs(int(exponent or 0)) < 10**6:
            assert Exact(canonical.decode()) == Exact(text)


@given(json_values)
def test_the_form_of_any_value_is_stable(value: JsonValue) -> None:
    canonical = canonical_bytes(value)
    assert canonical_bytes(parse(canonical)) == canonical


def test_an_exponent_beyond_all_numbers_is_kept() -> None:
    assert canonical_bytes(parse("1e99999999999999999999")) == b"1e99999999999999999999"
