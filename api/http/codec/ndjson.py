"""Splits a stream of bytes into numbered lines."""

from collections.abc import AsyncIterator

from agentlog.api.http.request.errors import BodyTooLarge
from agentlog.domain.errors import AgentlogError

NumberedLine = tuple[int, bytes | AgentlogError]


async def numbered_lines(
    chunks: AsyncIterator[bytes], *, longest: int
) -> AsyncIterator[list[NumberedLine]]:
    """Yield the lines that each chunk completes, without blank ones, numbered from 1.

    Lines are not delayed until the next chunk, so a client may wait for the answer to a line before
    it sends the next. A line longer than `longest` bytes is yielded as an error; the rest of it is
    skipped, so memory stays bounded, and the lines after it are read.
    """
    number, held, skipping = 1, bytearray(), False
    async for chunk in chunks:
        lines: list[NumberedLine] = []
        first, *rest = chunk.split(b"\n")
        held += first
        for following in rest:
            if not skipping and held.strip():
                lines.append((number, _checked(bytes(held), longest)))
            number, held, skipping = number + 1, bytearray(following), False
        if len(held) > longest:
            if not skipping:
                lines.append((number, BodyTooLarge(longest)))
            held, skipping = bytearray(), True
        if lines:
            yield lines
    if held.strip() and not skipping:
        yield [(number, _checked(bytes(held), longest))]


def _checked(line: bytes, longest: int) -> bytes | AgentlogError:
    return line if len(line) <= longest else BodyTooLarge(longest)
