"""Answers in pieces: the body that there would be as a whole, bit by bit."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message
from typing_extensions import override

from agentlog.api.http.codec.responses import pieces_answer
from agentlog.domain.json.printed import PrintedArray
from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.domain.json.values import JsonValue
from tests.histories import json_values, texts

_HALF = 2**19
"""Bytes: two of it are enough for a piece."""


def _sent(
    value: JsonValue, told: list[str] | None = None
) -> tuple[dict[bytes, bytes], list[bytes]]:
    """Return headers and pieces of the answer; tell what happens besides."""
    happened = [] if told is None else told
    messages: list[Message] = []

    async def send(message: Message) -> None:
        happened.append("sent")
        messages.append(message)

    async def work() -> None:
        while True:
            happened.append("another's turn")
            await asyncio.sleep(0)

    async def answer() -> None:
        answering = pieces_answer(value)
        other = asyncio.create_task(work())
        await answering({"type": "http"}, None, send)
        other.cancel()

    asyncio.run(answer())
    start, *rest = messages
    assert (start["type"], start["status"]) == ("http.response.start", 200)
    assert {message["type"] for message in rest} == {"http.response.body"}
    assert [bool(message.get("more_body")) for message in rest] == [True] * (len(rest) - 1) + [
        False
    ]
    return dict(start["headers"]), [message["body"] for message in rest]


class Noted:
    """A text that says when it is asked for."""

    def __init__(self, text: bytes, told: list[str]) -> None:
        self._text, self._told = text, told

    def __len__(self) -> int:
        return len(self._text)

    def __bytes__(self) -> bytes:
        self._told.append("asked for")
        return self._text


@given(
    fields=st.dictionaries(texts, json_values, max_size=4),
    inner=st.dictionaries(texts, json_values, max_size=4),
    items=st.lists(json_values, max_size=70),
)
def test_the_pieces_are_the_body_and_the_headers_say_how_long_it_is(
    fields: dict[str, JsonValue], inner: dict[str, JsonValue], items: list[JsonValue]
) -> None:
    array = PrintedArray.of(list(map(print_bytes, items)))
    for value, plain in (
        (
            {**fields, "inner": {"items": array, **inner}},
            {**fields, "inner": {"items": items, **inner}},
        ),
        ({"first": array, **fields, "last": array}, {"first": items, **fields, "last": items}),
        (array, items),
        (fields, fields),
        ([array, fields], [items, fields]),
    ):
        headers, pieces = _sent(value)
        assert b"".join(pieces) == print_bytes(plain)
        assert headers == {
            b"content-length": b"%d" % len(print_bytes(plain)),
            b"content-type": b"application/json",
        }


@pytest.mark.parametrize("sizes", [[], [10], [10] * 3000, [_HALF], [_HALF - 10], [4 * _HALF, 10]])
def test_a_long_array_leaves_in_pieces_that_are_enough(sizes: Sequence[int]) -> None:
    items = [b'"%b"' % (b"x" * size) for size in sizes]
    _, pieces = _sent({"items": PrintedArray.of(items)})
    body = b"".join(pieces)
    assert parse_stored(body) == {"items": [parse_stored(item) for item in items]}
    assert all(len(piece) >= 2 * _HALF for piece in pieces[:-1])
    assert len(pieces) <= 1 + len(body) // (2 * _HALF)


def test_what_is_not_there_yet_is_asked_for_while_what_was_before_it_leaves() -> None:
    told: list[str] = []
    half = b'"%b"' % (b"x" * _HALF)
    _sent(PrintedArray([Noted(half, told) for _ in range(12)]), told)
    assert told[:3] == ["asked for", "asked for", "sent"]  # a problem could be answered before
    asked = [told[:place].count("asked for") for place, step in enumerate(told) if step == "sent"]
    assert len(asked) == 8
    assert all(count <= 2 * number + 2 for number, count in enumerate(asked))


def test_others_have_their_turn_before_a_long_answer_has_left() -> None:
    told: list[str] = []
    half = b'"%b"' % (b"x" * _HALF)
    _sent(PrintedArray([half for _ in range(12)]), told)
    places = [place for place, step in enumerate(told) if step == "sent"]
    assert all("another's turn" in told[one:other] for one, other in pairwise(places[1:]))


class Broken(Noted):
    """A text that cannot be had."""

    @override
    def __bytes__(self) -> bytes:
        raise ValueError("broken")


def test_what_fails_at_once_fails_before_there_is_an_answer() -> None:
    with pytest.raises(ValueError, match="broken"):
        pieces_answer(PrintedArray([Broken(b"1", [])]))
