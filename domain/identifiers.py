"""Thread ids and message ids: what they may look like, and how one is made from given parts."""

import re
from hashlib import sha256

from domain.errors import InvalidMessageId, InvalidThreadId

THREAD_ID_PATTERN = r"^[A-Za-z0-9._:~-]{1,128}$"
MESSAGE_ID_PATTERN = r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$"

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

DIGIT_PAIRS = [high + low for high in _DIGITS for low in _DIGITS]
"""What ten bits are in Crockford's base 32, in which ULIDs are written."""

_THREAD_ID = re.compile(THREAD_ID_PATTERN.removesuffix("$") + r"\Z")
_MESSAGE_ID = re.compile(MESSAGE_ID_PATTERN.removesuffix("$") + r"\Z")


def check_thread_id(text: str) -> str:
    """Return `text`, or raise `InvalidThreadId`."""
    if not is_thread_id(text):
        raise InvalidThreadId(text)
    return text


def check_message_id(text: str) -> str:
    """Return `text`, or raise `InvalidMessageId`."""
    if not _MESSAGE_ID.match(text):
        raise InvalidMessageId(text)
    return text


def is_thread_id(text: str) -> bool:
    """Tell whether `text` is one."""
    # a URL path would swallow dots
    return _THREAD_ID.match(text) is not None and text not in {".", ".."}


def is_message_id(text: str) -> bool:
    """Tell whether `text` is a ULID in capitals."""
    return _MESSAGE_ID.match(text) is not None


def derived_message_id(*parts: str | int) -> str:
    """Return the ULID that these parts always give, so that an import can be run twice."""
    digest = sha256("\x00".join(map(str, parts)).encode()).digest()
    # by hand: a library for ULIDs takes several times as long, for each message of an import
    number = int.from_bytes(digest[:10])
    return _NO_TIME + "".join([DIGIT_PAIRS[number >> bits & 1023] for bits in _BITS_BELOW])


_NO_TIME = "0" * 10
_BITS_BELOW = range(70, -1, -10)
