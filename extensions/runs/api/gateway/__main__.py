"""The process of a proxy: serves on the socket of its parent, and ends with it.

The parent starts it anew on the same socket if it dies. Its order comes on standard input: other
users of the machine see the arguments of processes, and the order has the token. The end of the
input says that the parent is gone.
"""

import socket
import sys
from pathlib import Path
from typing import BinaryIO

import msgspec

from agentlog.extensions.runs.api.gateway.door import Bounds, Door
from agentlog.extensions.runs.api.gateway.proxy import Proxy, serve, server_of
from agentlog.extensions.runs.infrastructure.exchanges.spool import SpoolWriter

SPOOL_FAILED = 3
"""Exit code: what went through could not all be written."""


class Order(msgspec.Struct):
    """What a proxy does: its socket's descriptor, its spool, where requests go, what is kept."""

    descriptor: int
    spool: str
    token: str
    upstreams: dict[str, str]
    max_body_bytes: int


def main(orders: BinaryIO) -> int:
    """Serve until the parent ends or says so; return the exit code."""
    order = msgspec.json.decode(orders.readline(), type=Order)
    listener = socket.socket(fileno=order.descriptor)
    port = listener.getsockname()[1]
    spool = SpoolWriter(Path(order.spool))
    door = Door(token=order.token, host=f"127.0.0.1:{port}", names=order.upstreams)
    server = server_of(Proxy(lambda _: spool, order.upstreams, door, Bounds(order.max_body_bytes)))
    serve(server, listener, orders)
    return 0 if spool.error is None else SPOOL_FAILED


if __name__ == "__main__":
    sys.exit(main(sys.stdin.buffer))
