"""JSON responses with long arrays, decompressed and sent in pieces."""

import asyncio
from collections.abc import Iterator, Sequence

from fastapi import Response
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from domain.json.printed import PrintedArray, Text
from domain.json.text import JsonValue, print_bytes

_ENOUGH = 2**20
"""Bytes to send at once: enough to outweigh the thread switch for a piece."""


class _InPieces(Response):
    """A response of known length whose body is made while it is sent.

    The first piece is made ahead: most responses have no other.
    """

    def __init__(self, texts: Sequence[Text]) -> None:
        self.status_code = 200
        self.background = None
        self._length = sum(map(len, texts))
        self.raw_headers = [
            (b"content-length", b"%d" % self._length),
            (b"content-type", b"application/json"),
        ]
        self._pieces = _joined(texts)
        self._first = next(self._pieces)

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})
        left = self._length
        piece: bytes | None = self._first
        while piece is not None:
            left -= len(piece)
            coming = self._coming() if left > 0 else None
            await send({"type": "http.response.body", "body": piece, "more_body": left > 0})
            piece = None if coming is None else await coming

    def _coming(self) -> asyncio.Future[bytes | None]:
        """Make the next piece in a thread, while another is sent: decompression takes long."""
        return asyncio.get_running_loop().run_in_executor(None, next, self._pieces, None)


def pieces_answer(value: JsonValue) -> Response:
    """Return `value` as a JSON response."""
    return _InPieces(list(_texts(value)))


def _texts(value: JsonValue) -> Iterator[Text]:
    """Yield what `print_bytes` returns, parts already printed unchanged."""
    match value:
        case PrintedArray():
            yield from value.pieces
        case dict() if value:
            for number, (key, each) in enumerate(value.items()):
                yield b"%b%b:" % (b"," if number else b"{", print_bytes(key))
                yield from _texts(each)
            yield b"}"
        case _:
            yield print_bytes(value)


def _joined(texts: Sequence[Text]) -> Iterator[bytes]:
    """Yield the same bytes in larger pieces."""
    piece: list[bytes] = []
    size = 0
    for text in texts:
        piece.append(bytes(text))
        size += len(piece[-1])
        if size >= _ENOUGH:
            yield b"".join(piece)
            piece, size = [], 0
    if piece:
        yield b"".join(piece)
