"""A warm process: forks itself for each command of Python that tests run.

It has imported all of agentlog, so that a command begins at once. Its children know nothing of it:
they have the arguments, folder, environment and descriptors of an order, and come back from `serve`
to run it as Python itself would. `tests/forked.py` has the other end of the socket.
"""

import atexit
import gc
import json
import os
import pkgutil
import re
import runpy
import signal
import socket
import sys
import tempfile
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TypedDict

_COLD = re.compile(r"agentlog\.(.*__main__|.*\btesting\b.*|extensions\.dataset\b.*)")
"""Programs and what is for pytest; and what imports pyarrow, which starts a thread."""
_LATE = (
    "uvicorn.lifespan.off",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
)
"""What libraries import once they are used."""


_statuses: list[int] = []
"""The exit status, once it is known."""


class Order(TypedDict):
    """What a child runs: a script and its arguments, or -m, a module and its arguments."""

    words: list[str]
    cwd: str
    env: dict[str, str]


def warm() -> None:
    """Import what commands use, and let children share it: nothing here is ever collected."""
    package = import_module("agentlog")
    for module in pkgutil.walk_packages(package.__path__, "agentlog."):
        if not _COLD.fullmatch(module.name):
            hasattr(import_module(module.name), "_")  # what is imported on use runs now
    for name in _LATE:
        import_module(name)
    if len(threads := [*Path("/proc/self/task").iterdir()]) > 1:
        message = f"imports have started threads, which children do not have: {threads}"
        raise RuntimeError(message)
    gc.collect()
    gc.freeze()


def serve(connection: socket.socket) -> Order | None:
    """Fork for each order until the connection ends; return an order in a child, else None.

    A child is forked twice: the one between ends at once, and who asked, a subreaper meanwhile, is
    the parent then. It has told the child's process id; a zero follows when it has ended.
    """
    while True:
        header, descriptors, _, _ = socket.recv_fds(connection, 8, 3)
        if not header:
            return None
        size = int.from_bytes(header, "big")
        order: Order = json.loads(connection.recv(size, socket.MSG_WAITALL))
        between = os.fork()
        if between == 0:
            child = os.fork()
            if child == 0:
                connection.close()
                for number, descriptor in enumerate(descriptors):
                    os.dup2(descriptor, number)
                    os.close(descriptor)
                return order
            connection.sendall(child.to_bytes(8, "big"))
            os._exit(0)
        os.waitpid(between, 0)
        for descriptor in descriptors:
            os.close(descriptor)
        connection.sendall(bytes(8))


def run(order: Order) -> None:
    """Run an order in this process, as if Python had been started for it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    tempfile.tempdir = None
    encoding, stream = sys.stdout.encoding, partial(os.fdopen, closefd=False)
    sys.stdin = stream(0, "r", encoding=encoding)
    sys.stdout = stream(1, "w", encoding=encoding)
    sys.stderr = stream(2, "w", 1, encoding, "backslashreplace")
    first, *words = order["words"]
    sys.path.insert(0, str(Path.cwd() if first == "-m" else Path(first).parent))
    try:
        _execute(first, words)
        _statuses.append(0)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            _statuses.append(end.code or 0)
        raise


def _execute(first: str, words: list[str]) -> None:
    if first == "-m":
        sys.argv = words
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [first, *words]
        runpy.run_path(first, run_name="__main__")


def leave() -> None:
    """End the process as it ended; the interpreter would first take all modules down, in 0.1 s."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return
    if _statuses:
        os._exit(_statuses[0])


if __name__ == "__main__":
    atexit.register(leave)  # the first: it is called last
    del sys.path[0]  # this folder
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests, which end it
    warm()
    order = serve(socket.socket(fileno=int(sys.argv[1])))
    if order is None:
        os._exit(0)
    run(order)
