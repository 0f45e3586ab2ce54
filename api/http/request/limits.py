"""Limits on the contents and the number of requests.

Each refusal names the setting, where there is one. The limit of a body in bytes is in
`codec.bodies`, the timeouts of clients are in `server.connection`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from agentlog.domain.errors import AgentlogError, InvalidInput
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.runtime.request_work import RequestWork
from agentlog.infrastructure.settings import Settings

_SIGNS = b"[]{}:,"
_MESSAGES, _MARK = b'"messages"', b"m"  # the mark occurs in no number and no literal
_NO_PARTS = bytes(set(range(256)) - set(_SIGNS + b'"'))
_NO_SIGNS = bytes(set(range(256)) - set(_SIGNS + _MARK))
_IN_AN_OBJECT = 2  # levels


class TooManyMessages(InvalidInput, kind="too large"):
    """The append has more messages than the service takes at once."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"more than the {most} messages that one append may have: send them in several, or "
            "raise AGENTLOG_MAX_BATCH_MESSAGES"
        )


class TooManyParts(InvalidInput, kind="too large"):
    """The body has more brackets, colons, commas and strings than the service takes at once."""

    def __init__(
        self,
        most: int,
        *,
        what: str = "brackets, colons, commas and strings that the JSON of one body or line",
    ) -> None:
        super().__init__(
            f"more than the {most} {what} may have: send it in several, or send what is large as a "
            "string of JSON"
        )


class TooManyRequests(AgentlogError, kind="too many"):
    """The key, or the address where there is none, asks too often.

    `wait_seconds`: seconds until the next request is allowed.
    """

    def __init__(self, wait_seconds: float, *, per_second: float) -> None:
        super().__init__(
            f"more than {per_second:g} requests a second (AGENTLOG_RATE_PER_SECOND): ask again in "
            f"{math.ceil(wait_seconds)} s, or send many messages in one request"
        )
        self.wait_seconds = wait_seconds


class TooManyStreams(AgentlogError, kind="too many"):
    """The key, or the address where there is none, has as many streams open as it may."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"{most} streams are open already (AGENTLOG_MAX_STREAMS_PER_KEY): close one, or follow "
            "GET /v1/log/events, one stream of all threads"
        )


class StreamsExhausted(AgentlogError, kind="unavailable"):
    """The service has as many streams open as it may."""

    def __init__(self, most: int) -> None:
        super().__init__(f"{most} streams are open in all: ask again when others have ended")


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits for clients; `rate_per_second` 0: unlimited.

    `max_read_…` are of all that one request reads of the log, which ends where its client leaves.
    """

    max_batch_messages: int = 10_000
    max_json_parts: int = 500_000
    rate_per_second: float = 0.0
    max_streams: int = 10_000
    max_streams_per_key: int = 5_000
    max_read_rows: int = 1_000_000
    max_read_bytes: int = 256 * 2**20
    max_read_seconds: float = 60.0

    @property
    def burst(self) -> int:
        """The number of requests allowed at once: those of two seconds."""
        return max(1, math.ceil(2 * self.rate_per_second))

    def work(self, is_gone: Callable[[], bool]) -> RequestWork:
        """Return what counts one request's reads; `is_gone`: whether its client has left."""
        return RequestWork(
            most_rows=self.max_read_rows,
            most_bytes=self.max_read_bytes,
            most_seconds=self.max_read_seconds,
            is_gone=is_gone,
        )

    def json_in(self, text: bytes) -> JsonValue:
        """Return the value of a body or a line.

        Raises:
            TooManyParts, TooManyMessages: found before it is parsed.
            InvalidJson: it is not JSON, or nested too deep.
        """
        match exceeded(text, parts=self.max_json_parts, messages=self.max_batch_messages):
            case "parts":
                raise TooManyParts(self.max_json_parts)
            case "messages":
                raise TooManyMessages(self.max_batch_messages)
            case None:
                pass
        return parse(text)

    def batch(self, drafts: list[JsonValue]) -> list[JsonValue]:
        """Return the messages, or raise `TooManyMessages`."""
        if len(drafts) > self.max_batch_messages:
            raise TooManyMessages(self.max_batch_messages)
        return drafts


USUAL = RequestLimits()
"""The limits where no setting says otherwise."""


def limits_from(settings: Settings) -> RequestLimits:
    """Return the limits in the settings."""
    return RequestLimits(
        max_batch_messages=settings.max_batch_messages,
        rate_per_second=settings.rate_per_second,
        max_streams_per_key=settings.max_streams_per_key,
    )


def exceeded(text: bytes, *, parts: int, messages: int) -> Literal["parts", "messages"] | None:
    """Return the limit that a JSON text exceeds, or None, before it is parsed.

    The cost of parsing depends on the number of values more than on bytes: 15 MB in one string are
    cheap, 15 MB of empty arrays take half a gigabyte. This makes a few passes over the bytes, none
    of which holds the interpreter lock for long.

    Parts are brackets, colons, commas and strings. Messages are the items of the outermost array,
    or of that under the key `messages` of the outermost object; a key that is spelled with escapes
    is not found. In a text that is not JSON, all before its first flaw counts.
    """
    candidates = text.translate(None, _NO_PARTS)
    if len(candidates) <= parts and candidates.count(b",") < messages:
        return None  # even if all of them count
    text = text.replace(rb"\\", b"").replace(rb"\"", b"")  # no quote is escaped from here on
    strings = text.count(b'"') // 2
    if strings > parts:
        return "parts"
    outside = b"".join(text.replace(_MESSAGES, _MARK).split(b'"')[::2])
    signs = outside.translate(None, _NO_SIGNS)
    if strings + len(signs) - signs.count(_MARK) > parts:
        return "parts"
    return "messages" if _has_more_messages(signs, messages) else None


def _has_more_messages(signs: bytes, most: int) -> bool:
    if signs.count(b",") < most:
        return False
    depth, counted, items = 0, -1, 0
    for sign in signs.replace(b"m:[", b"M").decode():  # one letter marks the array of messages
        if sign in "[{M":
            depth += 1
            if (depth == 1 and sign == "[") or (depth == _IN_AN_OBJECT and sign == "M"):
                counted, items = depth, 1
        elif sign in "]}":
            if depth == counted:
                counted = -1
            depth -= 1
        elif sign == "," and depth == counted:
            items += 1
            if items > most:
                return True
    return False
