"""A client of many connections, for where wrk is not there; a program of its own.

Each connection posts the next line of a file as soon as it was answered, to threads in turn.
It prints one line of JSON, as `http_load.lua` does. Being Python it takes more of the machine than
wrk, so the service has less.
"""

import asyncio
import json
import sys
import time
from itertools import count
from pathlib import Path
from statistics import quantiles

_LENGTH = b"content-length:"


async def _connection(  # noqa: PLR0913, PLR0917 - what each connection shares
    host: str,
    port: int,
    prefix: str,
    threads: int,
    bodies: list[bytes],
    numbers: "count[int]",
    until: float,
) -> tuple[list[float], int]:
    """Return the seconds of each request, and how many were not answered by 200 or 201."""
    reader, writer = await asyncio.open_connection(host, port)
    taken: list[float] = []
    failed = 0
    while time.perf_counter() < until:
        number = next(numbers)
        body = bodies[number % len(bodies)]
        path = f"/v1/threads/{prefix}-{number % threads}/messages"
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        began = time.perf_counter()
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line[len(_LENGTH) :])
            for line in answer.lower().split(b"\r\n")
            if line.startswith(_LENGTH)
        )
        await reader.readexactly(length)
        taken.append(time.perf_counter() - began)
        failed += answer.split(b" ", 2)[1] not in {b"200", b"201"}
    writer.close()
    return taken, failed


async def _load(arguments: list[str]) -> dict[str, float]:
    host, port, connections, seconds, prefix, threads, path = arguments
    bodies = Path(path).read_bytes().splitlines()  # noqa: ASYNC240 - before anything runs
    numbers = count()
    began = time.perf_counter()
    until = began + float(seconds)
    ended = await asyncio.gather(
        *(
            _connection(host, int(port), prefix, int(threads), bodies, numbers, until)
            for _ in range(int(connections))
        )
    )
    every = [sample for taken, _ in ended for sample in taken]
    percentiles = quantiles(every, n=100)
    return {
        "requests": len(every),
        "seconds": time.perf_counter() - began,
        "p50": percentiles[49],
        "p99": percentiles[98],
        "failed": sum(failed for _, failed in ended),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_load(sys.argv[1:]))))
