"""What JSON is refused for is named with its place, however much stands around it."""

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.errors import Flaw, InvalidJson
from agentlog.domain.json.places import first_refused, path
from agentlog.domain.json.text import parse
from tests.histories import examples, json_values, texts

LONG = "k" * 99


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("-Infinity", "", "-Infinity is not JSON: use null or a string"),
        ("\ufeff[1, Infinity]", "[1]", "Infinity is not JSON: use null or a string"),
        ('{"messages":[{},{"args":{"x":NaN}}]}', "messages[1].args.x", "NaN is not JSON"),
        ('[[0,"NaN,{[\\"",{"NaN":"]"}],{},[],NaN]', "[3]", "NaN is not JSON"),
        ('{"a":1,"b":2,"a":3}', "a", "the key 'a' stands twice in one object"),
        ('[{"":{"x":1,"x":1}}]', "[0]..x", "the key 'x' stands twice in one object"),
        (r'{"é\u0041":[],"b":{"a":1},"\u00e9A":{}}', "éA", "the key 'éA' stands twice"),
        (r'{"a":{"\ud800":1,"\ud800":2}}', "a.\ufffd", r"the key '\ud800' stands twice"),
        ('{"a":1,"a":[NaN]}', "a", "the key 'a' stands twice"),
        ('{"a":[NaN],"a":1}', "a[0]", "NaN is not JSON"),
        ("[NaN, and no JSON", "[0]", "NaN is not JSON"),
        (f'{{"{LONG}":1,"{LONG}":2}}', LONG, f"the key '{LONG[:64]}' stands twice"),
    ],
)
def test_no_number_and_a_second_key_are_refused_where_they_stand(
    text: str, place: str, reason: str
) -> None:
    with pytest.raises(InvalidJson) as caught:
        parse(text)
    (flaw,) = caught.value.flaws
    assert flaw.place == place
    assert flaw.reason.startswith(reason)


@pytest.mark.parametrize(
    ("text", "place"),
    [("NaN", "m[2]"), ("[NaN]", "m[2][0]"), ('{"a":[NaN]}', "m[2].a[0]"), ('{"":NaN}', "m[2].")],
)
def test_the_place_of_what_is_refused_stands_under_the_place_given(text: str, place: str) -> None:
    with pytest.raises(InvalidJson) as caught:
        parse(text, place="m[2]")
    assert str(caught.value) == f"{place}: NaN is not JSON: use null or a string"


@st.composite
def refused(draw: st.DrawFn) -> tuple[str, str, str]:
    """Draw JSON with a single flaw, the path of it, and what it is."""
    parts: list[str | int] = draw(st.lists(texts | st.integers(0, 3), max_size=6))
    others = draw(st.dictionaries(texts, json_values, max_size=3))
    if draw(st.booleans()) and others:
        twice = draw(st.sampled_from(sorted(others)))
        place, reason = [*parts, twice], f"the key {twice!r} stands twice in one object"
        pairs = [_pair(*pair) for pair in others.items()]
        pairs.insert(draw(st.integers(0, len(pairs))), _pair(twice, draw(json_values)))
        text = f"{{{','.join(pairs)}}}"
    else:
        text = draw(st.sampled_from(["NaN", "Infinity", "-Infinity"]))
        place, reason = parts, f"{text} is not JSON: use null or a string"
    for part in reversed(parts):
        if isinstance(part, int):
            before = [json.dumps(draw(json_values)) for _ in range(part)]
            after = [json.dumps(value) for value in draw(st.lists(json_values, max_size=2))]
            text = f"[{', '.join([*before, text, *after])}]"
        else:
            others = draw(st.dictionaries(texts.filter(part.__ne__), json_values, max_size=2))
            pairs = [_pair(*pair) for pair in others.items()]
            pairs.insert(draw(st.integers(0, len(pairs))), f"{json.dumps(part)} : {text}")
            text = f"{{{', '.join(pairs)}}}"
    return text, path(place), reason


def _pair(key: str, value: Any) -> str:
    return f"{json.dumps(key)}:{json.dumps(value, ensure_ascii=False)}"


@given(drawn=refused())
@examples(20, long=500)
def test_a_flaw_anywhere_is_found_where_it_is(drawn: tuple[str, str, str]) -> None:
    text, place, reason = drawn
    with pytest.raises(InvalidJson) as caught:
        parse(text)
    assert caught.value.flaws == (Flaw(place, reason),)


@pytest.mark.parametrize("last", ["NaN", r'"\ud800"'])
def test_a_place_is_written_once_however_much_was_read_before_it(last: str) -> None:
    key = "k" * 20_000
    text = f'{{"{key}":[' + '["é"],' * 20_000 + f"{last}]}}"
    tracemalloc.start()
    try:
        with pytest.raises(InvalidJson) as caught:
            parse(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.flaws[0].place == f"{key}[20000]"
    assert peak < 30_000_000  # not 20,000 places of 20,000 characters each


def test_many_flaws_cost_no_more_than_one() -> None:
    text = '[{"a":1,"a":[NaN]},' + '{"a":1,"a":[NaN]},' * 50_000 + "0]"
    with pytest.raises(InvalidJson, match=r"^\[0\].a: the key 'a' stands twice"):
        parse(text)


def test_the_first_of_many_lone_surrogates_is_named() -> None:
    with pytest.raises(InvalidJson) as caught:
        parse(r'{"a":1,"b":["x",{"c":"\ud800"},"\ud800"],"d":"\ud800"}')
    assert caught.value.flaws[0].place == "b[1].c"


def test_where_nothing_is_refused_there_is_no_place() -> None:
    with pytest.raises(ValueError, match="nothing in this text is refused"):
        first_refused('{"NaN":[{},"NaN"]}')
