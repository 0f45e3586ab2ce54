"""Clients of streams, and a client that appends, as programs of their own: raw sockets, asyncio.

follow host port count path output    open so many streams, `{}` in the path being the number of
                                      each; say "ready", listen until standard input ends, and
                                      write what came to a file: a line each, time, number and id
append host port threads rate seconds append at that rate to threads in turn; print a JSON list of
                                      thread, version, position and the time of the answer
"""

import asyncio
import json
import re
import sys
import time
from pathlib import Path
from typing import cast

import uvloop
from typing_extensions import override

_ID = re.compile(rb"^id: (\S+)$", re.MULTILINE)
_CONNECTIONS = 16
_OPENING = 100


class _Listening(asyncio.Protocol):
    """Notes what comes, and when; reads it afterwards."""

    def __init__(self, request: bytes) -> None:
        self.came: list[tuple[float, bytes]] = []
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._request = request

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's is no subclass, but does the same
        cast(asyncio.WriteTransport, transport).write(self._request)

    @override
    def data_received(self, data: bytes) -> None:
        self.came.append((time.monotonic(), data))
        if not self.opened.done():
            if not data.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(data.decode(errors="replace"))
            self.opened.set_result(None)


async def _follow(host: str, port: str, count: str, path: str, output: str) -> None:
    loop = asyncio.get_running_loop()
    opened: list[_Listening] = []
    for start in range(0, int(count), _OPENING):
        numbers = range(start, min(start + _OPENING, int(count)))
        made = await asyncio.gather(*(_open(host, int(port), path.format(n)) for n in numbers))
        await asyncio.gather(*(follower.opened for follower in made))
        opened += made
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    with Path(output).open("w") as file:  # noqa: ASYNC230 - nothing else runs any more
        for number, follower in enumerate(opened):
            for when, data in follower.came:
                file.writelines(
                    f"{when} {number} {match.decode()}\n" for match in _ID.findall(data)
                )


async def _open(host: str, port: int, path: str) -> _Listening:
    request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    _, protocol = await asyncio.get_running_loop().create_connection(
        lambda: _Listening(request), host, port
    )
    return protocol


async def _append(host: str, port: str, threads: str, rate: str, seconds: str) -> None:
    turns: asyncio.Queue[int | None] = asyncio.Queue()
    answered: list[tuple[str, int, int, float]] = []
    callers = [
        asyncio.create_task(_caller(host, int(port), turns, answered)) for _ in range(_CONNECTIONS)
    ]
    began = time.monotonic()
    for number in range(int(float(rate) * float(seconds))):
        await asyncio.sleep(max(0.0, began + number / float(rate) - time.monotonic()))
        turns.put_nowait(number % int(threads))
    for _ in callers:
        turns.put_nowait(None)
    await asyncio.gather(*callers)
    print(json.dumps(answered))


async def _caller(
    host: str,
    port: int,
    turns: "asyncio.Queue[int | None]",
    answered: list[tuple[str, int, int, float]],
) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    body = json.dumps({"type": "reply", "text": "It is on its way. " * 10}).encode()
    while (number := await turns.get()) is not None:
        path = f"/v1/threads/followed-{number}/messages"
        head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", answer)
        if length is None:
            raise RuntimeError(answer.decode())
        value = json.loads(await reader.readexactly(int(length[1])))
        answered.append((value["threadId"], value["version"], value["position"], time.monotonic()))
    writer.close()


if __name__ == "__main__":
    act = {"follow": _follow, "append": _append}[sys.argv[1]]
    uvloop.run(act(*sys.argv[2:]))
