"""The spool of a recording: a file that holds its exchanges until the log has them.

A line of JSON when an attempt begins, and one when it ends, which is on disk before the next thing
happens. A line that was half-written when its process ended is passed over, and an attempt without
an end ended with its recorder. MCP exchanges stand among them.
"""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict

from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.infrastructure.exchanges.mcp_spool import (
    McpBeginning,
    McpEnding,
    SpoolAppender,
    mcp_exchange,
)
from agentlog.extensions.runs.projections.mcp_exchange import McpExchange
from agentlog.extensions.runs.projections.written.streams import written_stream
from agentlog.infrastructure.runtime.file_lock import FileLock
from agentlog.projections.exchanges.exchange import End, Exchange
from agentlog.projections.exchanges.masking import masked_exchange
from agentlog.projections.exchanges.requests import Api

SUFFIX = ".spool"
_UNLOCKED = ".new"


class _Beginning(
    msgspec.Struct,
    tag="begun",
    rename={"request": "body", "request_headers": "headers", "started_at": "at"},
):
    """What of an exchange is known when it begins."""

    attempt: int
    method: str
    path: str
    request: bytes
    request_headers: dict[str, str]
    started_at: int
    session: str | None = None
    agent: str | None = None
    thread: str | None = None
    known: int | None = None
    author: str | None = None
    left_out: dict[str, int] = {}


class _Ending(msgspec.Struct, tag="ended", rename={"response": "body"}):
    """What of an exchange is known at its end."""

    attempt: int
    end: End
    duration_ms: float | None
    status: int | None
    headers: dict[str, str]
    response: bytes
    chunks: list[tuple[int, float]]
    left_out: dict[str, int] = {}
    replayed: str | None = None
    mask: str | None = None


class _Recorder(msgspec.Struct, tag="recorder"):
    """A recorder began: the one before is gone."""


class Header(msgspec.Struct, tag="run"):
    """The first line: which run it is, and its thread."""

    run: str
    thread_id: str
    name: str | None = None
    values: dict[str, str] = {}
    """Texts of the machine that requests may hold: current folder, home, user, host."""
    fork: dict[str, Any] = {}
    """Of a replay that is kept: its origin and its changes, as the run's message has them."""
    tenant: str | None = None
    """Of an exchange of a gateway's, which has no run: whose it is."""
    mask: str | None = None
    """The rule by which the lines are masked."""


_Line = _Beginning | _Ending | _Recorder | Header | McpBeginning | McpEnding
_decode = msgspec.json.Decoder(_Line).decode
_encode = msgspec.json.Encoder().encode


class SpoolWriter(SpoolAppender):
    """Writes exchanges to a spool that a parent created; attempts are counted on."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        before = SpoolReader(path)
        for _ in before.read():
            pass
        self._attempts = before.attempts
        self.write(_Recorder())

    def begin(self, exchange: Exchange) -> None:
        """Write that an attempt begins."""
        self.write(msgspec.convert(self._masked(exchange), _Beginning, from_attributes=True))

    def _masked(self, exchange: Exchange) -> Exchange:
        return (
            exchange
            if self.mask is None
            else masked_exchange(self.mask, exchange, stream_of=_stream)
        )

    def end(self, exchange: Exchange) -> Path | None:
        """Write how an attempt ended, wait until it is on disk, and return the spool."""
        self.write(msgspec.convert(self._masked(exchange), _Ending, from_attributes=True))
        self.sync()
        return self.path

    def keep(self, exchange: Exchange) -> None:
        """Write an exchange that is over."""
        self.begin(exchange)
        self.end(exchange)

    def next_attempt(self) -> int:
        """Return the number of the next attempt."""
        self._attempts += 1
        return self._attempts

    def close(self) -> None:
        """Close the file: nothing more is written."""
        os.close(self._file)


@dataclass(slots=True)
class SpoolReader:
    """Reads a spool as it grows."""

    path: Path
    header: Header | None = None
    attempts: int = 0
    _place: int = 0
    _open: dict[int, _Beginning] = field(default_factory=dict)
    _open_mcp: dict[str, McpBeginning] = field(default_factory=dict)

    def read(self) -> Iterator[Exchange | McpExchange]:
        """Yield the exchanges that ended since the last call, in the order of their ends."""
        with self.path.open("rb") as file:
            file.seek(self._place)
            for text in file:
                if not text.endswith(b"\n"):
                    break  # it is being written
                self._place += len(text)
                yield from self._taken(text)

    def unfinished(self) -> Iterator[Exchange | McpExchange]:
        """Yield what no end is known of: all recorders are gone."""
        yield from self._unfinished_attempts()
        asked, self._open_mcp = self._open_mcp, {}
        for beginning in asked.values():
            yield mcp_exchange(beginning, None)

    def _unfinished_attempts(self) -> Iterator[Exchange]:
        begun, self._open = self._open, {}
        for beginning in begun.values():
            yield _exchange(beginning, None)

    def _taken(self, text: bytes) -> Iterator[Exchange | McpExchange]:
        try:
            line: _Line = _decode(text)
        except (msgspec.DecodeError, RecursionError):
            return  # blank, or half-written by a recorder that is gone
        match line:
            case Header():
                self.header = line
            case _Recorder():
                yield from self._unfinished_attempts()
            case _Beginning(attempt=attempt):
                self.attempts = max(self.attempts, attempt)
                self._open[attempt] = line
            case _Ending(attempt=attempt):
                beginning = self._open.pop(attempt, None)
                if beginning is not None:
                    yield _exchange(beginning, line)
            case McpBeginning(name=name):
                self._open_mcp[name] = line
            case McpEnding(name=name):
                asked = self._open_mcp.pop(name, None)
                if asked is not None:
                    yield mcp_exchange(asked, line)


def _stream(answer: JsonObject, api: Api) -> bytes:
    return written_stream(answer, api, with_usage=True)


def create_spool(folder: Path, header: Header, *, suffix: str = SUFFIX) -> Path:
    """Create the spool of a run, for its own user alone, and return its path."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{header.run}{suffix}"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(_encode(header) + b"\n")
    return path


def create_held_spool(folder: Path, header: Header) -> tuple[Path, FileLock]:
    """Create a spool that is locked from its beginning; return its path and its lock."""
    path = create_spool(folder, header, suffix=_UNLOCKED)
    lock = FileLock(path)
    lock.try_exclusive()
    return path.rename(path.with_suffix(SUFFIX)), lock


@contextmanager
def own_spool(folder: Path, header: Header) -> Iterator[Path]:
    """Create the spool of a run, which no other process uploads until the block ends."""
    path = create_spool(folder, header)
    lock = held_spool(path)
    with nullcontext() if lock is None else closing(lock):  # another may just look at it
        yield path


def held_spool(path: Path) -> FileLock | None:
    """Return the lock of a spool, by which one process uploads it; None if another has it."""
    lock = FileLock(path)
    if lock.try_exclusive():
        return lock
    lock.close()
    return None


def _exchange(beginning: _Beginning, ending: _Ending | None) -> Exchange:
    begun = Exchange(**asdict(beginning), end="recorder_died")
    return begun if ending is None else replace(begun, **asdict(ending))
