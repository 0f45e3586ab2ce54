"""Thread ids and message ids: what they may look like, and how one is made from given parts."""

import re
from hashlib import sha256

from domain.errors import InvalidMessageId, InvalidThreadId

THREAD_ID_PATTERN = r"^[A-Za-z0-9._:~-]{1,128}$"
MESSAGE_ID_PATTERN = r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$"

_THREAD_ID = re.compile(THREAD_ID_PATTERN.removesuffix("$") + r"\Z")
_MESSAGE_ID = re.compile(MESSAGE_ID_PATTERN.removesuffix("$") + r"\Z")

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
PAIRS = [high + low for high in _DIGITS for low in _DIGITS]
"""Two digits of a ULID for each ten bits."""


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
    return "0000000000" + _noise(int.from_bytes(digest[:10], "big"))


def ulid(milliseconds: int, noise: int) -> str:
    """Return the ULID of a time since the epoch, and of 80 bits."""
    time = "".join([PAIRS[milliseconds >> shift & 1023] for shift in (40, 30, 20, 10, 0)])
    return time + _noise(noise)


def _noise(bits: int) -> str:
    high, low = bits >> 40, bits & (1 << 40) - 1
    return (  # a loop takes twice as long
        f"{PAIRS[high >> 30]}{PAIRS[high >> 20 & 1023]}{PAIRS[high >> 10 & 1023]}"
        f"{PAIRS[high & 1023]}{PAIRS[low >> 30]}{PAIRS[low >> 20 & 1023]}"
        f"{PAIRS[low >> 10 & 1023]}{PAIRS[low & 1023]}"
    )
