"""Numbers come out as they were written, whatever their size."""

import copy
import math
import pickle

from hypothesis import given

from agentlog.domain.json.numbers import WrittenFloat
from agentlog.domain.json.text import parse, print_text
from tests.histories import numbers


@given(number=numbers)
def test_every_number_keeps_its_digits(number: str) -> None:
    assert print_text(parse(number)) == number
    assert print_text(parse(f"[{number},[{number}]]")) == f"[{number},[{number}]]"


def test_a_decimal_is_the_nearest_float_and_can_be_copied() -> None:
    value = parse("1.10")
    assert (value, value.text) == (1.1, "1.10")
    assert isinstance(value, WrittenFloat)
    assert math.isinf(parse("1e400"))
    for copied in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):  # noqa: S301 - our own bytes
        assert (copied, copied.text) == (value, "1.10")


def test_integers_within_reach_are_integers() -> None:
    assert parse("123456789012345678901234567890") == 123456789012345678901234567890
    assert type(parse("7")) is int
