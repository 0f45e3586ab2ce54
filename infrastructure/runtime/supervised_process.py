"""A process beside this one, started anew when it ends by itself.

It ends with its parent, even if that is killed: it reads its standard input until that closes.
"""

import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO, Self

from typing_extensions import override

from agentlog.infrastructure.runtime.background import Background
from agentlog.infrastructure.runtime.backoff import pause_seconds

logger = logging.getLogger("agentlog")

_GRACE_SECONDS = 10.0


class SupervisedProcess(Background):
    """Runs a command in a child process until the block ends.

    `name` says what it is in logs. Each child gets `order` on its standard input first, and has the
    `descriptors` of this process.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        name: str,
        environment: Mapping[str, str] | None = None,
        order: bytes = b"",
        descriptors: Sequence[int] = (),
    ) -> None:
        super().__init__(name)
        self.status: int | None = None
        """The exit status of the last child."""
        self._command = command
        self._name = name
        self._environment = environment
        self._order = order
        self._descriptors = descriptors
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the current child."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    @override
    def __enter__(self) -> Self:
        self._begin()
        return self

    @override
    def close(self) -> None:
        """End the child, and wait for its end."""
        self._closed.set()
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
        super().close()

    @override
    def _work(self) -> None:
        failures = 0
        while not self._closed.is_set():
            try:
                self.status = self._run()
            except OSError as error:  # memory or processes may be short for a while
                logger.warning("the process of %s cannot be started: %s", self._name, error)
            else:
                if self._closed.is_set():
                    return
                logger.warning(
                    "the process of %s ended with %s, starting it again", self._name, self.status
                )
            self._closed.wait(pause_seconds(failures, first=0.5, most=30.0))
            failures += 1

    def _run(self) -> int:
        # a session of its own: Ctrl-C reaches only the parent, which ends it after its work
        with subprocess.Popen(  # noqa: S603 - our own program
            self._command,
            stdin=subprocess.PIPE,
            env=self._environment,
            start_new_session=True,
            pass_fds=self._descriptors,
        ) as process:
            self._process = process
            if process.stdin is not None and self._order:
                process.stdin.write(self._order)
                process.stdin.flush()
            while process.poll() is None:
                if not self._closed.wait(0.1):
                    continue
                if process.stdin is not None:
                    process.stdin.close()
                try:
                    process.wait(_GRACE_SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
            return process.returncode


def end_with_parent(
    parent: BinaryIO, stop: Callable[[], None], *, grace_seconds: float = _GRACE_SECONDS
) -> None:
    """Call `stop` in a child when the input from its parent ends; end what goes on after that.

    A parent that lives kills a child that waits, for a lock or a standby; one that was killed
    cannot.
    """

    def wait() -> None:
        while parent.read(4096):
            pass
        stop()
        time.sleep(grace_seconds)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
