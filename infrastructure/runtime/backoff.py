"""Pauses between tries."""

from random import SystemRandom

_uniform = SystemRandom().uniform  # not of the generator that others may seed


def pause_seconds(failures: int, *, first: float, most: float) -> float:
    """Return how long to wait after some failures: doubled by each, a tenth more or less."""
    return min(first * 2.0 ** min(failures, 16), most) * _uniform(0.9, 1.1)
