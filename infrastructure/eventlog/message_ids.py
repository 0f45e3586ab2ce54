"""Message ids: ULIDs, each greater than the one before within one process."""

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from ulid.base32 import encode_randomness, encode_timestamp

from domain.identifiers import DIGIT_PAIRS

_COUNTED_BITS = 20  # the last four digits


class _UlidRun(NamedTuple):
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
            run = self._run = _UlidRun(now, run.noise, _time(now) + run.noise, run.numbers)
        while (number := next(run.numbers)) >= 1 << _COUNTED_BITS:  # no two threads get the same
            run = self._run = self._new_run(run.milliseconds + 1)
        return f"{run.beginning}{DIGIT_PAIRS[number >> 10]}{DIGIT_PAIRS[number & 1023]}"

    def _new_run(self, milliseconds: int) -> _UlidRun:
        bits = self._random_bits(80)
        # from the lower half, so that at least half of the numbers remain
        numbers = count(bits & (1 << _COUNTED_BITS - 1) - 1)
        noise = encode_randomness(bits.to_bytes(10))[:12]
        return _UlidRun(milliseconds, noise, _time(milliseconds) + noise, numbers)


def _time(milliseconds: int) -> str:
    return encode_timestamp(milliseconds.to_bytes(6))
