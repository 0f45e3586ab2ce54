"""Lines come whole, in order and numbered, however the bytes are cut."""

import asyncio
from collections.abc import AsyncIterator

from hypothesis import given
from hypothesis import strategies as st

from agentlog.api.http.request.errors import BodyTooLarge
from agentlog.api.http.routes.log import NumberedLine, numbered_lines


def lines_of(*chunks: bytes, longest: int = 100) -> list[list[NumberedLine]]:
    async def stream() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    async def gather() -> list[list[NumberedLine]]:
        return [lines async for lines in numbered_lines(stream(), longest=longest)]

    return asyncio.run(gather())


@given(
    lines=st.lists(st.binary(max_size=5).filter(lambda line: b"\n" not in line), max_size=6),
    size=st.integers(1, 7),
)
def test_the_cuts_make_no_difference(lines: list[bytes], size: int) -> None:
    body = b"\n".join(lines)
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    expected = [(n, line) for n, line in enumerate(lines, 1) if line.strip()]
    assert [line for batch in lines_of(*chunks) for line in batch] == expected


def test_a_line_comes_as_soon_as_it_is_complete() -> None:
    assert lines_of(b"a\nb", b"c\n", b"\nd") == [[(1, b"a")], [(2, b"bc")], [(4, b"d")]]


def test_a_line_too_long_is_told_once_and_the_next_ones_are_read() -> None:
    whole, cut = b"x" * 9, [b"x" * 4, b"x" * 4, b"x" * 4, b"x\nok\n"]
    for chunks in ([whole + b"\nok\n"], cut):
        (one, error), following = [line for batch in lines_of(*chunks, longest=8) for line in batch]
        assert one == 1
        assert isinstance(error, BodyTooLarge)
        assert following == (2, b"ok")
