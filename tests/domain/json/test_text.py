"""JSON in and out: nothing is lost, and what cannot be kept is refused with its place."""

import json
import math
import tracemalloc
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.numbers import WrittenFloat
from agentlog.domain.json.places import path
from agentlog.domain.json.text import (
    MAX_DEPTH,
    is_stored_object,
    parse,
    parse_mended,
    parse_stored,
    print_bytes,
    print_checked,
    print_text,
    print_to_keep,
)
from tests.histories import json_values, numbers, texts

AS_WRITTEN = [
    b"0",
    b"-0",
    b"-0.0",
    b"1.10",
    b"1e400",
    b"-1E+400",
    b"1e-400",
    b"0.1000000000000000055511151231257827",
    b"123456789012345678",
    b"-999999999999999999",
    b"9223372036854775808",
    b"18446744073709551615",
    b"18446744073709551616",
    b"-9223372036854775809",
    b"1" + b"0" * 4299,
    b"1" + b"0" * 4999,
    b"-" + b"9" * 5000,
    rb'"\u0000"',
    rb'"\u0001\b\f\n\r\t\u001f"',
    b'"\x7f"',
    rb'"\"\\/"',
    '"é𝄞\u202e\ufeff\u2028"'.encode(),
    b'{"":{"":[]}}',
    b'{"__proto__":null,"b":1,"a":2}',
    b"[true,false,null]",
    b"[]",
]


@pytest.mark.parametrize("text", AS_WRITTEN, ids=lambda text: text[:24].decode())
def test_bytes_come_out_as_they_went_in(text: bytes) -> None:
    assert print_bytes(parse(text)) == text
    assert print_bytes(parse_stored(text)) == text
    deep = b'{"a":[' + text + b",[" + text + b"]]}"
    assert print_bytes(parse(deep)) == deep


@given(value=json_values)
def test_whatever_is_printed_is_read_back(value: Any) -> None:
    printed = print_bytes(value)
    assert parse(printed) == value
    assert parse_stored(printed) == value
    assert print_bytes(parse(printed)) == printed
    assert print_text(value).encode() == printed
    assert json.loads(printed) == value


@given(strings=st.lists(texts), number=numbers)
def test_a_blank_after_commas_and_colons_makes_no_difference(
    strings: list[str], number: str
) -> None:
    value = [*strings, ", : ,", {": ": ", "}]
    inside, blank = print_text(value), json.dumps(value, ensure_ascii=False)
    text = f'{{"a": {number}, "b": {blank}}}'
    assert print_text(parse(text)) == f'{{"a":{number},"b":{inside}}}'
    with pytest.raises(InvalidJson, match="stands twice"):
        parse(f'{{"a": {blank}, "a": {blank}}}')


@pytest.mark.parametrize("size", [1, 300, 20_000, 10**6])
def test_what_is_kept_takes_no_more_memory_than_its_text(size: int) -> None:
    value = {"a": "x" * size}
    tracemalloc.start()
    try:
        kept = [print_to_keep(value) for _ in range(10)]
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept == [print_bytes(value)] * 10
    assert taken < 10 * (size + 100) + 1000


def test_sorted_keys_make_equal_values_equal_bytes() -> None:
    assert print_bytes(parse('{"b":1,"a":{"d":1,"c":2}}'), sort_keys=True) == (
        b'{"a":{"c":2,"d":1},"b":1}'
    )


@dataclass(frozen=True, slots=True)
class _Carry:
    total: int
    rates: tuple[float, ...]


@pytest.mark.parametrize(
    "total", [1, 2**64, -(2**70), 10**4000], ids=lambda n: f"{n.bit_length()} bits"
)
def test_a_dataclass_prints_as_an_object_however_big_its_numbers(total: int) -> None:
    carry = _Carry(total, (WrittenFloat("1.10"),))
    assert print_bytes(carry) == b'{"total":%d,"rates":[1.10]}' % total
    assert print_bytes([{"a": carry}]) == b'[{"a":{"total":%d,"rates":[1.10]}}]' % total


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "not JSON: Expecting value at line 1, column 1"),
        (b"{", "line 1, column 2"),
        (b'{\n"a": 1,}', "line 2"),
        (b"[1] x", "Extra data at line 1, column 5"),
        (b"01", "Extra data"),
        (b"1.", "Extra data"),
        (b"'a'", "Expecting value"),
        (b'"\x00"', "Invalid control character"),
        (b'"\\x41"', "escape"),
        (b"NaN", "NaN is not JSON: use null or a string"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b'"\xed\xa0\x80"', "not UTF-8 at byte 1"),
        (b'"\xc0\x80"', "not UTF-8 at byte 1"),
        ('"é"'.encode("utf-16"), "not UTF-8 at byte 0"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(text: bytes, reason: str) -> None:
    with pytest.raises(InvalidJson) as caught:
        parse(text, place="messages[2]")
    assert reason in str(caught.value)
    assert str(caught.value).startswith("messages[2]: ")
    assert caught.value.flaws[0].place == "messages[2]"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (r'"\ud800"', ""),
        (r'{"a":[0,{"b":"x\udfff"}]}', "a[1].b"),
        (r'{"a":{"\ud800":1}}', "a"),
        (r'["\ud834\udd1e","\udd1e\ud834"]', "[1]"),
        (r'{"big":18446744073709551616,"a":"\ud800"}', "a"),
        ('"\ud800"', ""),
    ],
)
def test_a_lone_surrogate_is_refused_where_it_stands(text: str, place: str) -> None:
    with pytest.raises(InvalidJson, match=r"lone surrogate.*U\+FFFD") as caught:
        parse(text)
    assert caught.value.flaws[0].place == place


def test_the_place_of_a_surrogate_stands_under_the_place_given() -> None:
    with pytest.raises(InvalidJson) as caught:
        parse(r'{"a":["\ud800"]}', place="line 7")
    assert caught.value.flaws[0].place == "line 7.a[0]"


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert parse(rb'"\ud834\udd1e"') == "𝄞"


def test_big_integers_beside_non_ascii_text_are_no_lone_surrogates() -> None:
    assert parse('["é",18446744073709551616]') == ["é", 2**64]


@pytest.mark.parametrize(
    ("opening", "closing"), [("[", "]"), ('{"a":', "}")], ids=["arrays", "objects"]
)
def test_the_deepest_nesting_that_is_kept_is_128_levels(opening: str, closing: str) -> None:
    inner = "0" if opening != "[" else ""
    deepest = opening * MAX_DEPTH + inner + closing * MAX_DEPTH
    assert MAX_DEPTH == 128
    assert print_text(parse(deepest)) == deepest
    beside = f"[{deepest[1:-1]},[],[]]" if opening == "[" else f'{deepest[:-1]},"b":[],"c":[]}}'
    assert print_text(parse(beside)) == beside  # more brackets than levels
    for levels in (129, 254, 255, 10_000, 100_000):
        with pytest.raises(InvalidJson, match="nested deeper than 128 levels"):
            parse(opening * levels + inner + closing * levels)


def test_many_brackets_side_by_side_are_not_deep() -> None:
    wide = "[" + ",".join(["[]"] * 1000) + "]"
    assert print_text(parse(wide)) == wide
    assert parse('"' + "[{" * 1000 + '"') == "[{" * 1000


def test_a_byte_order_mark_is_taken_away() -> None:
    assert parse(b"\xef\xbb\xbf[1]") == [1]
    assert parse("\ufeff[1]") == [1]


@pytest.mark.parametrize(
    "value",
    [
        b"bytes",
        {1, 2},
        object(),
        {1: 2},
        [2**64, {3}],
        10**5000,
        parse_stored(b"[" * 500 + b"]" * 500),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_json_value_is_not_printed(value: object) -> None:
    with pytest.raises(InvalidJson):
        print_bytes(value)


def test_what_python_nests_without_end_is_not_printed() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(InvalidJson):
        print_bytes(endless)


@pytest.mark.parametrize(
    ("value", "place", "reason"),
    [
        (math.nan, "", "nan is not JSON: use null or a string"),
        ({"a": [None, (1.0, math.inf)]}, "a[1][1]", "inf is not JSON"),
        (_Carry(2**70, (1.5, -math.inf)), "rates[1]", "-inf is not JSON"),
        ({"a": ["\ud800"]}, "a[0]", "lone surrogate"),
        ({"a": [2**70, "\ud800"]}, "a[1]", "lone surrogate"),
    ],
)
def test_what_only_python_can_say_is_refused_where_it_stands(
    value: object, place: str, reason: str
) -> None:
    with pytest.raises(InvalidJson, match=reason) as caught:
        print_checked(value)
    assert caught.value.flaws[0].place == place


@given(value=json_values)
def test_null_is_printed_beside_any_number(value: Any) -> None:
    assert parse(print_checked([None, WrittenFloat("1e400"), value])) == [None, math.inf, value]


def test_lone_surrogates_can_be_replaced_and_are_counted() -> None:
    value, mended = parse_mended(r'{"\ud800":["a\udfff\ud800",1.10,"\ud834\udd1e"]}')
    assert value == {"\ufffd": ["a\ufffd\ufffd", 1.1, "𝄞"]}
    assert mended == {"lone surrogate replaced by U+FFFD": 3}
    assert print_text(value) == '{"\ufffd":["a\ufffd\ufffd",1.10,"𝄞"]}'


@given(value=json_values)
def test_mending_leaves_sound_text_alone(value: Any) -> None:
    assert parse_mended(print_text(value)) == (value, {})


def test_what_is_no_number_in_json_can_be_a_string() -> None:
    value, mended = parse_mended('{"a":[NaN,NaN,-Infinity,"NaN"],"b":1e999}')
    assert print_text(value) == '{"a":["NaN","NaN","-Infinity","NaN"],"b":1e999}'
    assert mended == {"NaN as a string": 2, "-Infinity as a string": 1}


@pytest.mark.parametrize("text", ["{", "nan", '{"a":1,"a":2}', "[" * 129 + "]" * 129, "[" * 99999])
def test_mending_refuses_every_other_flaw(text: str) -> None:
    with pytest.raises(InvalidJson):
        parse_mended(text)


@given(text=texts)
def test_any_text_is_kept(text: str) -> None:
    assert parse(print_bytes({text: text})) == {text: text}


def test_a_path_reads_as_people_write_it() -> None:
    assert path(("calls", 0, "id")) == "calls[0].id"
    assert path((0, "a")) == "[0].a"
    assert path(()) == ""


@pytest.mark.parametrize("text", [b"{}", b'{"a":1e999}', b'{"a":' + b"7" * 5000 + b"}"])
def test_an_object_is_told_whatever_numbers_it_has(text: bytes) -> None:
    assert is_stored_object(text)


@pytest.mark.parametrize("text", [b"", b"[]", b"5", b"null", b"{", b"{a}", b'{"a":NaN}', b"{}{}"])
def test_what_is_no_object_is_told_too(text: bytes) -> None:
    assert not is_stored_object(text)
