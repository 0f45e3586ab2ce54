"""Fresh message ids: ULIDs, each greater than the one before as far as one process can tell."""

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from ulid import ULID

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
_PAIRS = [high + low for high in _DIGITS for low in _DIGITS]
_COUNTED_BITS = 20  # the last four digits


class _Run(NamedTuple):
    """Ids of one millisecond: they begin alike, and count up from a random number.

    So the standard has it for ids of the same millisecond (github.com/ulid/spec, monotonicity).
    """

    milliseconds: int
    beginning: str
    numbers: "count[int]"


class Ulids:
    """Makes ids; any number of threads may call it. To count costs a tenth of making each anew.

    `clock` returns milliseconds since the epoch, `random_bits` so many bits as an integer.
    """

    def __init__(self, clock: Callable[[], int], random_bits: Callable[[int], int]) -> None:
        self._clock = clock
        self._random_bits = random_bits
        self._run = self._new_run(0)

    def __call__(self) -> str:
        """Return a new id."""
        run, now = self._run, self._clock()
        while True:
            if now > run.milliseconds:
                run = self._run = self._new_run(now)
            number = next(run.numbers)  # no two threads get the same
            if number < 1 << _COUNTED_BITS:
                return f"{run.beginning}{_PAIRS[number >> 10]}{_PAIRS[number & 1023]}"
            now = run.milliseconds + 1

    def _new_run(self, milliseconds: int) -> _Run:
        noise = self._random_bits(80)
        # from the lower half, so that there are enough to come
        numbers = count(noise & (1 << _COUNTED_BITS - 1) - 1)
        beginning = str(ULID(milliseconds.to_bytes(6) + noise.to_bytes(10)))[:22]
        return _Run(milliseconds, beginning, numbers)
