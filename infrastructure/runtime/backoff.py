"""Pauses between tries."""

from random import uniform


def pause_seconds(failures: int, *, first: float, most: float) -> float:
    """Return how long to wait after some failures: doubled by each, a tenth more or less."""
    return min(first * 2.0 ** min(failures, 16), most) * uniform(0.9, 1.1)  # noqa: S311 - not secret
