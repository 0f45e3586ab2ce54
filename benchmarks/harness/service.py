"""The service in a process of its own, and a client that keeps its connection."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue

_ADDRESS = re.compile(r"listens on http://([^:]+):(\d+)")
_AGENTLOG = Path(sys.executable).with_name("agentlog")


class Client:
    """One connection to the service."""

    def __init__(self, connection: HTTPConnection) -> None:
        self._connection = connection

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{self._connection.host}:{self._connection.port}"

    def reconnect(self) -> None:
        """Have the next request open a connection: the service closes idle ones."""
        self._connection.close()

    def get(self, path: str) -> bytes:
        """Return the body of the answer."""
        return self._ask("GET", path, None, 200)

    def post(self, path: str, value: JsonValue) -> bytes:
        """Send a value, which must make something, and return the body of the answer."""
        return self._ask("POST", path, print_bytes(value), 201)

    def _ask(self, method: str, path: str, body: bytes | None, expected: int) -> bytes:
        self._connection.request(method, path, body)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != expected:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:500]!r}")
        return content


@dataclass(frozen=True, slots=True)
class Served:
    """Where `agentlog serve` listens, and its process."""

    host: str
    port: int
    pid: int

    def memory(self) -> int:
        """Return the bytes that the process has resident."""
        told = Path(f"/proc/{self.pid}/statm")
        if told.exists():
            return int(told.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        asked = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(self.pid)],  # noqa: S607 - wherever a system has it
            capture_output=True,
            check=True,
        )
        return int(asked.stdout) * 1024

    def processor_seconds(self) -> float:
        """Return the processor time that the process has used, where there is a /proc."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @contextmanager
    def client(self) -> Iterator[Client]:
        """Yield a client with a connection of its own."""
        with closing(HTTPConnection(self.host, self.port)) as connection:
            yield Client(connection)


@contextmanager
def served(url: str, **settings: str) -> Iterator[Served]:
    """Yield where `agentlog serve` listens, on a database, with settings as the environment's."""
    command = [str(_AGENTLOG), "serve", "--port", "0"]
    with subprocess.Popen(
        command, env={**_environment(url), **settings}, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            host, port = _address(process)
            yield Served(host, port, process.pid)
        finally:
            process.terminate()


@contextmanager
def serving(url: str, **settings: str) -> Iterator[Client]:
    """Yield a client of `agentlog serve` on a database, with settings as the environment's."""
    with served(url, **settings) as where, where.client() as client:
        yield client


def run_agentlog(arguments: Sequence[str], *, url: str | None) -> None:
    """Run a command to its end; it must succeed. Without `url` on the embedded PostgreSQL."""
    subprocess.run(
        [str(_AGENTLOG), *arguments], env=_environment(url), check=True, capture_output=True
    )


def _address(process: subprocess.Popen[str]) -> tuple[str, int]:
    line = process.stdout.readline() if process.stdout else ""
    match = _ADDRESS.search(line)
    if match is None:
        raise RuntimeError(f"agentlog serve did not say where it listens: {line!r}")
    return match[1], int(match[2])


def _environment(url: str | None) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("AGENTLOG_")}
    given = {} if url is None else {"AGENTLOG_DATABASE_URL": url}
    return {**plain, **given, "COLUMNS": "200"}
