"""The proxy that records, as a process beside this one."""

import secrets
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from agentlog.extensions.runs.api.gateway.__main__ import Order
from agentlog.infrastructure.runtime.supervised_process import SupervisedProcess


class Recorder(NamedTuple):
    """A running proxy: its URL, without a provider's name, and its process."""

    url: str
    process: SupervisedProcess


@contextmanager
def recording(spool: Path, origins: Mapping[str, str], *, most_bytes: int) -> Iterator[Recorder]:
    """Run a proxy on loopback before providers, which writes to a spool, until the block ends.

    Bodies of more than `most_bytes` pass through, and are not kept.
    """
    token = secrets.token_urlsafe(24)
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        order = Order(listener.fileno(), str(spool), token, dict(origins), most_bytes)
        with proxy_process("agentlog.extensions.runs.api.gateway", order, listener) as process:
            yield Recorder(f"http://127.0.0.1:{listener.getsockname()[1]}/{token}", process)


def proxy_process(module: str, order: msgspec.Struct, listener: socket.socket) -> SupervisedProcess:
    """Return the process of a proxy that serves on a socket; it is started anew if it dies."""
    return SupervisedProcess(
        (sys.executable, "-m", module),
        name="the proxy",
        order=msgspec.json.encode(order) + b"\n",
        descriptors=[listener.fileno()],
    )
