"""Rate limit of requests per caller (token bucket)."""

from collections.abc import Hashable

_SWEEP = 4096


class Rate:
    """Allows each caller so many requests a second, and `burst` at once.

    A token bucket stored as one number per caller, the time at which it is full again: the generic
    cell rate algorithm (ITU-T I.371). Callers with full buckets are dropped.
    """

    def __init__(self, per_second: float, *, burst: int) -> None:
        self._interval = 1 / per_second
        self._tolerance = self._interval * (burst - 1)
        self._full_at: dict[Hashable, float] = {}
        self._sweep_beyond = _SWEEP

    def wait(self, caller: Hashable, now: float) -> float:
        """Return 0 and count the request, or the seconds by which it is too early.

        `now` is the time in seconds by a monotonic clock.
        """
        full_at = max(self._full_at.get(caller, now), now)
        early = full_at - now - self._tolerance
        if early > 0:
            return early
        self._full_at[caller] = full_at + self._interval
        if len(self._full_at) > self._sweep_beyond:
            self._sweep(now)
        return 0.0

    def __len__(self) -> int:
        """The number of stored callers."""
        return len(self._full_at)

    def _sweep(self, now: float) -> None:
        self._full_at = {who: at for who, at in self._full_at.items() if at > now}
        self._sweep_beyond = max(_SWEEP, 2 * len(self._full_at))
