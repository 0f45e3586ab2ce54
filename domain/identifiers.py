"""Thread ids and message ids: what they may look like, and how one is made from given parts."""

import re
from hashlib import sha256

from domain.errors import InvalidMessageId, InvalidThreadId

THREAD_ID_PATTERN = r"^[A-Za-z0-9._:~-]{1,128}$"
MESSAGE_ID_PATTERN = r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$"

_BASE_32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = tuple(first + second for first in _BASE_32 for second in _BASE_32)
_SHIFTS = range(120, -1, -10)  # of 26 digits, two at a time

_THREAD_ID = re.compile(THREAD_ID_PATTERN.removesuffix("$") + r"\Z")
_MESSAGE_ID = re.compile(MESSAGE_ID_PATTERN.removesuffix("$") + r"\Z")


def check_thread_id(text: str) -> str:
    """Return `text`, or raise `InvalidThreadId`."""
    if not _THREAD_ID.match(text) or text in {".", ".."}:  # a URL path would swallow dots
        raise InvalidThreadId(text)
    return text


def check_message_id(text: str) -> str:
    """Return `text`, or raise `InvalidMessageId`."""
    if not _MESSAGE_ID.match(text):
        raise InvalidMessageId(text)
    return text


def is_message_id(text: str) -> bool:
    """Tell whether `text` is a ULID in capitals."""
    return _MESSAGE_ID.match(text) is not None


def derived_message_id(*parts: str | int) -> str:
    """Return the ULID that these parts always give, so that an import can be run twice."""
    digest = sha256("\x00".join(map(str, parts)).encode()).digest()
    return message_id_at(0, digest[:10])


def message_id_at(timestamp: int, randomness: bytes) -> str:
    """Return the ULID of a time, in milliseconds since the epoch, and 10 random bytes.

    As the ulid package writes it, in a fifth of the time: every message needs one.
    """
    number = timestamp << 80 | int.from_bytes(randomness)
    return "".join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])
