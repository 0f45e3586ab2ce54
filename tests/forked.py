"""Commands of Python as forks of a warm process, which begin at once (on Linux).

What Python and its libraries decide as they start has a real start: a command whose environment
has other options or encodings than that of the tests.
"""

import atexit
import ctypes
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, AnyStr

_PROGRAM = Path(__file__).with_name("fork_server.py")
_PR_SET_CHILD_SUBREAPER = 36
_READ_AT_START = ("PYTHON", "LANG", "LC_", "LD_", "COVERAGE_", "PSYCOPG_")
"""Beginnings of the names of settings that are read before a command begins."""


class ForkedPython(subprocess.Popen[AnyStr]):
    """`Popen` of a command of `sys.executable`, or of a script that it runs.

    The process is a child of this one like any other: waited for, killed, in its group.
    """

    def _execute_child(self, *popen: Any) -> None:
        """Ask for a fork where the library makes one."""
        command, cwd, env, pipes = popen[0], popen[5], popen[6], popen[10:16]
        environment = dict(os.environ if env is None else env)
        if sys.platform != "linux" or _read_at_start(environment) != _OF_TESTS:
            super()._execute_child(*popen)  # type: ignore[misc] # private, as what follows
            return
        order = {
            "words": [os.fspath(word) for word in command][command[0] == sys.executable :],
            "cwd": os.fspath(cwd or Path.cwd()),
            "env": environment,
        }
        streams = [number if fd == -1 else fd for number, fd in enumerate(pipes[0:1] + pipes[3::2])]
        self.pid = _warm_process().fork(json.dumps(order).encode(), streams)
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


class _WarmProcess:
    """The process that forks for this one; it ends with it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, _PROGRAM, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            )
        atexit.register(self._end)

    def fork(self, order: bytes, streams: Sequence[int]) -> int:
        """Return the process id of a new child of this process, which carries out the order."""
        with self._lock, _adopting_orphans():
            socket.send_fds(self._connection, [len(order).to_bytes(8, "big")], list(streams))
            self._connection.sendall(order)
            pid = self._connection.recv(8, socket.MSG_WAITALL)
            assert self._connection.recv(8, socket.MSG_WAITALL), "the warm process has ended"
        return int.from_bytes(pid, "big")

    def _end(self) -> None:
        self._connection.close()
        self._process.wait()


@cache
def _warm_process() -> _WarmProcess:
    return _WarmProcess()


@contextmanager
def _adopting_orphans() -> Iterator[None]:
    """Be the parent of processes below this one whose own parent ends."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """Return those settings of an environment, but for folders that are searched anyway."""
    named = {name: environment[name] for name in environment if name.startswith(_READ_AT_START)}
    searched = named.pop("PYTHONPATH", "").split(os.pathsep)
    return named | dict.fromkeys({*searched} - {*sys.path, ""}, "searched")


_OF_TESTS = _read_at_start(os.environ)
"""Those of the tests, whose environment a test may change."""
