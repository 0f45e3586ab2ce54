"""An answer's headers and its body in one packet, where both are there at once.

uvicorn writes them one after the other: two system calls for each answer, and two packets, of which
the client reads the first in vain.
"""

import asyncio
from typing import Any

_BEGINNING = b"HTTP/1.1 "
_SMALL = 64 * 2**10


class JoinedTransport:
    """A transport that holds back headers until the next write, or until the loop is at it again.

    Nothing waits for longer than that: a stream's headers leave although its first item is not
    there yet. What is no write goes to the transport itself.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held = b""

    def write(self, data: bytes) -> None:
        """Write, behind what is held back."""
        if self._held:
            held, self._held = self._held, b""
            if len(data) > _SMALL:  # where a copy costs more than a packet
                self._transport.write(held)
            else:
                data = held + data
        elif data.startswith(_BEGINNING):
            self._held = data
            self._loop.call_soon(self._flush)
            return
        self._transport.write(data)

    def close(self) -> None:
        """Close it when all is written."""
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a transport has
        return getattr(self._transport, name)

    def _flush(self) -> None:
        if self._held:
            held, self._held = self._held, b""
            self._transport.write(held)
