"""Ids that a message and a thread may have, new or made of foreign ones.

A message's id is a ULID. It and a UUID have 128 bits, so a UUID becomes the ULID with the same
bits, and what is sent again has the same id. Other ids become ULIDs by their hash.
"""

import os
import re
import time
from hashlib import sha256
from uuid import UUID

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [high + low for high in _DIGITS for low in _DIGITS]
_BITS_BELOW = range(120, -1, -10)
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", re.ASCII)
_THREAD_ID = re.compile(r"[A-Za-z0-9._:~-]{1,128}", re.ASCII)
_UNFIT = re.compile(r"[^A-Za-z0-9._:~-]+")
_LONGEST = 128


def new_id() -> str:
    """Return a new ULID, of this moment."""
    return _ulid(time.time_ns() // 1_000_000 << 80 | int.from_bytes(os.urandom(10)))


def message_id(foreign: str | UUID) -> str:
    """Return the message id for a foreign one, always the same.

    A ULID is itself, a UUID the ULID with its bits, any other text a hash.
    """
    if isinstance(foreign, UUID):
        return _ulid(foreign.int)
    if _ULID.fullmatch(foreign.upper()):
        return foreign.upper()
    try:
        return _ulid(UUID(foreign).int)
    except ValueError:
        return derived_id(foreign)


def derived_id(*parts: str | int) -> str:
    """Return the message id derived from these parts, always the same."""
    text = "\x00".join(map(str, parts))
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return _ulid(int.from_bytes(digest[:10]))


def thread_id(foreign: str) -> str:
    """Return a foreign id if it is a thread id, else one like it: no two texts have the same.

    Where it differs, keep the foreign one in the thread's metadata.
    """
    if _THREAD_ID.fullmatch(foreign) and foreign not in {".", ".."}:
        return foreign
    like = _UNFIT.sub("-", foreign).strip(".-")
    digest = sha256(foreign.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{like[: _LONGEST - 17]}-{digest}".lstrip("-")


def _ulid(number: int) -> str:
    return "".join([_PAIRS[number >> bits & 1023] for bits in _BITS_BELOW])
