"""Thread ids and message ids: syntax, new ids, and ids derived from given parts."""

import re
from collections.abc import Callable
from hashlib import sha256
from itertools import count
from typing import NamedTuple
from uuid import UUID

from ulid.base32 import encode_randomness, encode_timestamp

from agentlog.domain.errors import InvalidThreadId

THREAD_ID_PATTERN = r"^[A-Za-z0-9._:~-]{1,128}$"
MESSAGE_ID_PATTERN = r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$"

APPENDED_BY = "appendedBy"
"""The metadata key for the user, or the id of the key, that appended; only the server sets it."""

IMPORT_ID = "importId"
"""The metadata key, of a thread's start only, for the id of the import that made the thread."""

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

DIGIT_PAIRS = [high + low for high in _DIGITS for low in _DIGITS]
"""Two digits of Crockford's base 32, as in ULIDs, for each value of ten bits."""

_THREAD_ID = re.compile(THREAD_ID_PATTERN.removesuffix("$") + r"\Z")
_MESSAGE_ID = re.compile(MESSAGE_ID_PATTERN.removesuffix("$") + r"\Z")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\Z")


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
    return message_id_of(int.from_bytes(digest[:10]))


def bits_id(text: str) -> str | None:
    """Return the ULID with the bits of a ULID, in letters of any case, or UUID; None of others."""
    if text.isascii() and is_message_id(text.upper()):
        return text.upper()
    return message_id_of(UUID(text).int) if _UUID.match(text) else None


def named_message_id(name: str) -> str:
    """Return the id of the message to which its producer gave any name as its id."""
    return bits_id(name) or derived_message_id("id", name)


def message_id_of(number: int) -> str:
    """Return the ULID with these 128 bits, those of a UUID say."""
    # not by a ULID library: several times slower, for each message of an import
    return "".join([DIGIT_PAIRS[number >> bits & 1023] for bits in _BITS_BELOW])


_BITS_BELOW = range(120, -1, -10)

_COUNTED_BITS = 20  # the last four digits of a new id


class _Run(NamedTuple):
    """Ids with the same time and random digits, counting up from a random number.

    The standard's rule for ids of the same millisecond (github.com/ulid/spec, monotonicity).
    """

    milliseconds: int
    noise: str
    beginning: str
    numbers: "count[int]"


class Ulids:
    """Makes ids; thread-safe. Counting costs a tenth of drawing each id anew.

    New random digits are drawn about every half a million ids, not every millisecond.

    `clock` returns milliseconds since the epoch, `random_bits` so many bits as an integer.
    """

    def __init__(self, clock: Callable[[], int], random_bits: Callable[[int], int]) -> None:
        self._clock = clock
        self._random_bits = random_bits
        self._run = self._new_run(0)

    def __call__(self) -> str:
        """Return a new id."""
        run, now = self._run, self._clock()
        if now > run.milliseconds:
            run = self._run = _Run(now, run.noise, _time(now) + run.noise, run.numbers)
        while (number := next(run.numbers)) >= 1 << _COUNTED_BITS:  # no two threads get the same
            run = self._run = self._new_run(run.milliseconds + 1)
        return f"{run.beginning}{DIGIT_PAIRS[number >> 10]}{DIGIT_PAIRS[number & 1023]}"

    def _new_run(self, milliseconds: int) -> _Run:
        bits = self._random_bits(80)
        # from the lower half, so that at least half of the numbers remain
        numbers = count(bits & (1 << _COUNTED_BITS - 1) - 1)
        noise = encode_randomness(bits.to_bytes(10))[:12]
        return _Run(milliseconds, noise, _time(milliseconds) + noise, numbers)


def _time(milliseconds: int) -> str:
    return encode_timestamp(milliseconds.to_bytes(6))
