"""A request's bytes are cut at the elements of its arrays, and joined again exactly."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.exchanges.pieces import cut, without_identity

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
BODIES = st.dictionaries(st.text(), VALUES)


@given(body=BODIES, indent=st.sampled_from([None, 0, 3]), is_ascii=st.booleans())
def test_elements_of_arrays_are_pieces(
    *, body: dict[str, Any], indent: int | None, is_ascii: bool
) -> None:
    text = json.dumps(body, indent=indent, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    pieces = cut(text)
    assert b"".join(pieces) == text
    elements = [element for value in body.values() if isinstance(value, list) for element in value]
    assert pieces == [text] or [json.loads(piece) for piece in pieces[1::2]] == elements


@given(st.binary())
def test_any_bytes_are_joined_again(body: bytes) -> None:
    assert b"".join(cut(body)) == body


@pytest.mark.parametrize(
    ("body", "pieces"),
    [
        (b'{"a": [1 , 1], "b":[1]}', [b'{"a": [', b"1", b" , ", b"1", b'], "b":[', b"1", b"]}"]),
        (b'{"[1]":"[1]","b":[1]}', [b'{"[1]":"[1]","b":[', b"1", b"]}"]),
        (b'{"a":[1],"a":[2]}', [b'{"a":[1],"a":[2]}']),
        (b'[{"a":1}]', [b'[{"a":1}]']),
        (b"", []),
    ],
)
def test_cuts_are_at_elements_alone(body: bytes, pieces: list[bytes]) -> None:
    assert cut(body) == pieces


DEEP = b"[" * 2000 + b"]" * 2000


@given(body=BODIES, indent=st.sampled_from([None, 3]), place=st.integers(0, 5))
def test_who_asks_is_left_out_of_any_body(
    body: dict[str, Any], indent: int | None, place: int
) -> None:
    fields = [*{**body, "user": "ann", "inner": {"user": "kept"}}.items()]
    fields.insert(place, ("odd", "ODD"))
    text = json.dumps(dict(fields), indent=indent).encode("utf-8", "surrogatepass")
    plain = without_identity(text, "chat")
    assert json.loads(plain)["user"] is None
    for odd in (DEEP, b"NaN", b'1,"odd":2', b'"\xff"'):
        hidden = without_identity(text.replace(b'"ODD"', odd), "chat")
        assert hidden == plain.replace(b'"ODD"', odd)
        assert b"".join(cut(hidden)) == hidden
