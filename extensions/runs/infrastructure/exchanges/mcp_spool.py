"""Lines of a spool that hold MCP exchanges, which proxies of their own processes write.

Several processes append to one spool: each writes a line at once, after a line break of its own, so
that what another had half written when it was killed ends there.
"""

import os
from collections import Counter
from pathlib import Path

import msgspec
from msgspec.structs import replace

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse, parse_or, print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, object_of, text_at
from agentlog.extensions.runs.projections.mcp_exchange import End, McpExchange
from agentlog.projections.masking.mask import Mask
from agentlog.projections.masking.rule import parse_mask


class McpBeginning(msgspec.Struct, tag="mcp-begun"):
    """A client asks; what it asks is as it was sent."""

    name: str
    server: str
    method: str
    params: msgspec.Raw
    at: int


class McpEnding(msgspec.Struct, tag="mcp-ended"):
    """How a request ended; `field` says what `answer` is: `result` or `error`, None for neither."""

    name: str
    end: End
    duration_ms: float
    field: str | None = None
    answer: msgspec.Raw = msgspec.Raw(b"null")


_ROOM = 8
"""Levels of nesting that the log's own objects around a value have, and more."""
_encode = msgspec.json.Encoder().encode


class SpoolAppender:
    """Appends lines to a spool; that one cannot be written is kept in `error`.

    What the rule in the spool's first line masks is masked before it is written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        self.error: OSError | None = None
        with path.open("rb") as file:
            rule = text_at(object_of(parse_or(file.readline())), "mask")
        self.mask = None if rule is None else parse_mask(rule)

    def write(self, line: msgspec.Struct) -> None:
        """Write a line."""
        if self.mask is not None and isinstance(line, McpBeginning):
            line = replace(line, params=_masked(self.mask, line.params))
        elif self.mask is not None and isinstance(line, McpEnding):
            line = replace(line, answer=_masked(self.mask, line.answer))
        rest = memoryview(b"\n" + _encode(line) + b"\n")
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            self.error = self.error or error

    def sync(self) -> None:
        """Wait until all is on disk."""
        try:
            os.fsync(self._file)
        except OSError as error:
            self.error = self.error or error

    def keep_mcp(self, exchange: McpExchange) -> None:
        """Write an MCP exchange that is over."""
        self.write(
            McpBeginning(
                exchange.name,
                exchange.server,
                exchange.method,
                msgspec.Raw(print_bytes(exchange.params)),
                exchange.started_at,
            )
        )
        ending = McpEnding(exchange.name, exchange.end, exchange.duration_ms or 0.0)
        for field, answer in exchange.answer.items():
            ending.field, ending.answer = field, msgspec.Raw(print_bytes(answer))
        self.write(ending)


def _masked(mask: Mask, text: msgspec.Raw) -> msgspec.Raw:
    return msgspec.Raw(print_bytes(mask.structured(_value(text), Counter())))


def mcp_exchange(beginning: McpBeginning, ending: McpEnding | None) -> McpExchange:
    """Return the exchange of its lines."""
    answer: JsonObject = {}
    if ending is not None and ending.field is not None:
        answer[ending.field] = _value(ending.answer)
    return McpExchange(
        name=beginning.name,
        server=beginning.server,
        method=beginning.method,
        params=_value(beginning.params),
        started_at=beginning.at,
        end="recorder_died" if ending is None else ending.end,
        duration_ms=None if ending is None else ending.duration_ms,
        answer=answer,
    )


def _value(text: msgspec.Raw) -> JsonValue:
    """Return the value of a JSON text, or the text itself where the log takes no such value."""
    try:
        value = parse(b"[" * _ROOM + bytes(text) + b"]" * _ROOM)
    except InvalidJson:
        return bytes(text).decode(errors="backslashreplace")
    for _ in range(_ROOM):
        (value,) = array_of(value)
    return value
