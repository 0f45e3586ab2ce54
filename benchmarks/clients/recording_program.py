"""A client that asks addresses, and the one in its environment, in turn; prints the seconds.

python -m benchmarks.clients.recording_program TIMES NAME=URL…
"""

import json
import os
import sys
import time
from collections import defaultdict

import httpx2

_TOOLS = [
    {"name": f"tool_{n}", "description": f"{n} " + "What it does. " * 140, "input_schema": {}}
    for n in range(40)
]
"""80 KB, as Claude Code sends."""


def main() -> None:
    """Ask each address so many times, whole and as a stream, in a conversation that grows."""
    times, *pairs = int(sys.argv[1]), *sys.argv[2:]
    addresses = dict(pair.split("=", 1) for pair in pairs)
    addresses["record"] = os.environ["ANTHROPIC_BASE_URL"]
    seconds: dict[str, list[float]] = defaultdict(list)
    messages: dict[str, list[dict[str, str]]] = {name: [] for name in addresses}
    with httpx2.Client(timeout=30) as client:
        for number in range(times + 10):
            for name, url in addresses.items():
                asked = messages[name]
                asked.append({"role": "user", "content": f"{name} {number}: go on"})
                for kind in ("whole", "stream"):
                    body = {"model": "model-1", "max_tokens": 99, "tools": _TOOLS}
                    is_stream = kind == "stream"
                    first, end = _ask(client, url, body | {"messages": asked, "stream": is_stream})
                    if number >= 10:  # the first warm up
                        seconds[f"{kind} {name} first byte"].append(first)
                        seconds[f"{kind} {name} end"].append(end)
                asked.append({"role": "assistant", "content": "some words"})
    print(json.dumps(seconds))


def _ask(client: httpx2.Client, url: str, body: object) -> tuple[float, float]:
    """Return the seconds to the first byte of an answer's body, and to its end."""
    began = time.perf_counter()
    with client.stream("POST", f"{url}/v1/messages", json=body) as response:
        chunks = response.iter_raw()
        next(chunks)
        first = time.perf_counter() - began
        for _ in chunks:
            pass
    return first, time.perf_counter() - began


if __name__ == "__main__":
    main()
