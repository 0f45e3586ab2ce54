"""A separate process for projections, so that they do not delay appends or reads.

It ends with its parent, even if that is killed: it reads a shared standard input until that closes.
"""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from agentlog.infrastructure.runtime.backoff import pause_seconds

logger = logging.getLogger("agentlog")

_GRACE_SECONDS = 10.0

RUN = ("projections", "run", "--with-parent")
"""The agentlog command that runs projections until its standard input closes."""

_PROGRAM = (sys.executable, "-m", "agentlog")


class ProjectorProcess:
    """Runs projections in a child process, restarted when it ends by itself.

    `url` is of a migrated database.
    """

    def __init__(self, url: str, *, command: Sequence[str] = (*_PROGRAM, *RUN)) -> None:
        self._command = command
        self._environment = {**os.environ, "AGENTLOG_DATABASE_URL": url}
        self._closing = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name="projector", daemon=True)

    @property
    def pid(self) -> int | None:
        """The process id of the current child."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closing.set()
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
        self._thread.join()

    def _keep(self) -> None:
        failures = 0
        while not self._closing.is_set():
            try:
                status = self._run()
            except OSError as error:  # memory or processes may be short for a while
                logger.warning("the process of projections cannot be started: %s", error)
            else:
                if self._closing.is_set():
                    return
                logger.warning(
                    "the process of projections ended with %s, starting it again", status
                )
            self._closing.wait(pause_seconds(failures, first=0.5, most=30.0))
            failures += 1

    def _run(self) -> int:
        # a session of its own: Ctrl-C reaches only the parent, which ends it after its batch
        with subprocess.Popen(  # noqa: S603 - our own program
            self._command, stdin=subprocess.PIPE, env=self._environment, start_new_session=True
        ) as process:
            self._process = process
            while process.poll() is None:
                if not self._closing.wait(0.1):
                    continue
                if process.stdin is not None:
                    process.stdin.close()
                try:
                    process.wait(_GRACE_SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
            return process.returncode
