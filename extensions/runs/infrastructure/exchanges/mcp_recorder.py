"""Puts on record what passes between an MCP client and its server."""

import secrets
import time
from collections.abc import Iterator
from itertools import count
from threading import Lock
from typing import NamedTuple

import msgspec

from agentlog.extensions.runs.infrastructure.exchanges.mcp_spool import (
    McpBeginning,
    McpEnding,
    SpoolAppender,
)
from agentlog.extensions.runs.projections.json_rpc import JsonRpcMessage, messages_in
from agentlog.extensions.runs.projections.mcp_exchange import End

_CANCELLED = "notifications/cancelled"
_NULL = msgspec.Raw(b"null")


class _Cancelled(msgspec.Struct):
    """The parameters of a notification that a request is cancelled."""

    requestId: msgspec.Raw = _NULL  # noqa: N815 - MCP's name


class _Asked(NamedTuple):
    name: str
    began: float


class McpRecorder:
    """Writes the requests of a client, and their answers, to a spool; both sides may come at once.

    Notifications, and what a server asks its client, are not kept.
    """

    def __init__(self, spool: SpoolAppender, server: str) -> None:
        self._spool = spool
        self._server = server
        self._lock = Lock()
        self._process = secrets.token_hex(8)
        self._numbers = count(1)
        self._asked: dict[bytes | None, _Asked] = {}
        self._unread = 0

    def from_client(self, line: bytes) -> None:
        """Take a line that the client sent."""
        with self._lock:
            for message in self._messages(line):
                if message.is_request:
                    self._begin(message)
                elif message.method == _CANCELLED:
                    self._cancel(message)

    def from_server(self, line: bytes) -> None:
        """Take a line that the server sent."""
        with self._lock:
            for message in self._messages(line):
                if message.method is not None:
                    continue
                if bytes(message.error):
                    self._end(message.key, "complete", "error", message.error)
                else:
                    self._end(message.key, "complete", "result", message.result)

    def finish(self, end: End) -> None:
        """Say how requests ended that have no answer."""
        with self._lock:
            for key in [*self._asked]:
                self._end(key, end)

    def problems(self) -> Iterator[str]:
        """Yield what could not be recorded, a line each."""
        if self._unread:
            yield f"{self._server}: {self._unread} lines were no JSON-RPC: passed on, not recorded"
        if self._spool.error is not None:
            yield f"{self._server}: not all was recorded: {self._spool.error}"

    def _messages(self, line: bytes) -> list[JsonRpcMessage]:
        if not line.strip():
            return []
        messages = messages_in(line)
        if messages is None:
            self._unread += 1
        return [*(messages or ())]

    def _begin(self, message: JsonRpcMessage) -> None:
        asked = _Asked(f"{self._process}-{next(self._numbers)}", time.monotonic())
        self._asked[message.key] = asked
        params = message.params if bytes(message.params) else _NULL
        at = time.time_ns() // 1_000_000
        self._spool.write(McpBeginning(asked.name, self._server, message.method or "", params, at))

    def _cancel(self, message: JsonRpcMessage) -> None:
        try:
            request = msgspec.json.decode(message.params, type=_Cancelled).requestId
        except msgspec.DecodeError:
            return
        self._end(JsonRpcMessage(id=request).key, "cancelled")

    def _end(
        self, key: bytes | None, end: End, field: str | None = None, answer: msgspec.Raw = _NULL
    ) -> None:
        asked = self._asked.pop(key, None)
        if asked is None:
            return
        elapsed = round((time.monotonic() - asked.began) * 1000, 3)
        value = answer if bytes(answer) else _NULL
        self._spool.write(McpEnding(asked.name, end, elapsed, field, value))
