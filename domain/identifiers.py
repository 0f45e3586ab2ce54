"""Thread ids and message ids: syntax, and ids derived from given parts."""

import re
from hashlib import sha256

from domain.errors import InvalidThreadId

THREAD_ID_PATTERN = r"^[A-Za-z0-9._:~-]{1,128}$"
MESSAGE_ID_PATTERN = r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$"

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

DIGIT_PAIRS = [high + low for high in _DIGITS for low in _DIGITS]
"""Two digits of Crockford's base 32, as in ULIDs, for each value of ten bits."""

_THREAD_ID = re.compile(THREAD_ID_PATTERN.removesuffix("$") + r"\Z")
_MESSAGE_ID = re.compile(MESSAGE_ID_PATTERN.removesuffix("$") + r"\Z")


def check_thread_id(text: str) -> str:
    """Return `text`, or raise `InvalidThreadId`."""
    if not is_thread_id(text):
        raise InvalidThreadId(text)
    return text


def is_thread_id(text: str) -> bool:
    """Return whether `text` is a valid thread id."""
    # clients remove dot segments from URL paths
    return _THREAD_ID.match(text) is not None and text not in {".", ".."}


def is_message_id(text: str) -> bool:
    """Return whether `text` is a ULID in capitals."""
    return _MESSAGE_ID.match(text) is not None


def derived_message_id(*parts: str | int) -> str:
    """Return a ULID derived from these parts: always the same, so that imports can be repeated."""
    digest = sha256("\x00".join(map(str, parts)).encode()).digest()
    # not by a ULID library: several times slower, for each message of an import
    number = int.from_bytes(digest[:10])
    return _NO_TIME + "".join([DIGIT_PAIRS[number >> bits & 1023] for bits in _BITS_BELOW])


_NO_TIME = "0" * 10
_BITS_BELOW = range(70, -1, -10)
