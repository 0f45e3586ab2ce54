"""`agentlog serve` as a process, with that of its projections, to be killed and started again."""

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import httpx2

from tests.clients import TLS
from tests.command_line import AGENTLOG, environment
from tests.waiting import WAIT_SECONDS


class ServiceProcess:
    """One service on one address, whichever process runs it now."""

    def __init__(self, url: str, log: IO[str], settings: dict[str, str]) -> None:
        self._settings = {**environment(url), "AGENTLOG_PROJECTIONS": "on", **settings}
        self._log = log
        self.port = 0
        self._process: subprocess.Popen[str] | None = None
        self.address = ""
        """As in http://127.0.0.1:8080; the same after each start."""

    @property
    def pid(self) -> int:
        """Of the process that runs now."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, on the port that it had before, and wait until it listens."""
        self._process = subprocess.Popen(
            [AGENTLOG, "serve", "--port", str(self.port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=self._settings,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        match = re.match(r"agentlog listens on (http://\S+:(\d+)), with \S", line)
        assert match is not None, line or self.said()
        self.address, self.port = match[1], int(match[2])

    def end(self, order: signal.Signals) -> int:
        """Send it a signal, wait until it and its projections are gone, and return its status."""
        assert self._process is not None
        children = _children(self.pid)
        self._process.send_signal(order)
        status = self._process.wait(timeout=WAIT_SECONDS)
        if self._process.stdout is not None:
            self._process.stdout.close()
        until = time.monotonic() + WAIT_SECONDS
        while left := [pid for pid in children if _memory(pid)]:
            assert time.monotonic() < until, f"left behind by the service: {left}"
            time.sleep(0.01)
        return status

    def memory(self) -> tuple[int, int]:
        """Return the bytes that are resident, of the service and of its projections."""
        return _memory(self.pid), sum(map(_memory, _children(self.pid)))

    def said(self) -> str:
        """Return what it wrote on standard error."""
        self._log.seek(0)
        return self._log.read()

    def get(self, path: str, **query: Any) -> Any:
        """Return a JSON answer, asked for again while the service cannot give it."""
        until = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                answer = httpx2.get(
                    self.address + path,
                    params=query,
                    timeout=WAIT_SECONDS,
                    trust_env=False,
                    verify=TLS,
                )
                if answer.status_code == httpx2.codes.OK:
                    return answer.json()
                problem = f"{answer.status_code}: {answer.text}"
            except httpx2.TransportError as error:
                problem = repr(error)
            assert time.monotonic() < until, f"{path}: {problem}"
            time.sleep(0.05)

    def post(self, path: str, body: object = None) -> Any:
        """Return the answer to what is posted once, and taken."""
        answer = httpx2.post(
            self.address + path, json=body, timeout=WAIT_SECONDS, trust_env=False, verify=TLS
        )
        assert answer.is_success, answer.text
        return answer.json()


@contextmanager
def own_service(url: str, **settings: str) -> Iterator[ServiceProcess]:
    """Yield a service over a database; it does not outlive the block."""
    with tempfile.TemporaryFile("w+") as log:
        service = ServiceProcess(url, log, settings)
        try:
            service.start()
            yield service
        finally:
            if service._process is not None and service._process.poll() is None:
                service.end(signal.SIGKILL)


def _children(pid: int) -> list[int]:
    """Return the processes that a process has started and that have not ended; Linux knows."""
    children: list[int] = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended
            children += map(int, file.read_text().split())
    return children


def _memory(pid: int) -> int:
    """Return the bytes that are resident, 0 where the process has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
