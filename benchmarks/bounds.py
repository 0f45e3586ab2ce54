"""The table of `docs/why/reliability.md`: each parser with the worst of many hostile shapes.

python -m benchmarks.bounds
"""

import random
import time
from contextlib import suppress
from functools import partial

from agentlog.domain.errors import InvalidInput
from tests.bounds.counted import peak_bytes_of
from tests.bounds.entry_point import EntryPoint
from tests.bounds.entry_points import ENTRY_POINTS

_SHAPES = 60
_CHARACTERS = 64 * 2**10


def main() -> None:
    """Print the table."""
    print("| input | limit | 64 KB: worst s | worst MB |\n|---|---|--:|--:|")
    for name, point in ENTRY_POINTS.items():
        texts = list(_texts(point))
        slowest = max(texts, key=lambda text: _seconds(point, text))
        seconds = min(_seconds(point, slowest) for _ in range(3))
        most = max(peak_bytes_of(partial(_read, point, text)) for text in texts[:20])
        print(f"| {name} | {point.limit} | {seconds:.2f} | {most / 2**20:.0f} |", flush=True)


def _texts(point: EntryPoint) -> list[str]:
    """Return texts in which a few pieces are repeated between a beginning and an end."""
    drawn = random.Random(1)  # noqa: S311 - the same each time
    bodies = []
    for number in range(_SHAPES):
        begin, repeated, end = (
            "".join(drawn.choices(point.pieces, k=drawn.randint(0, 3))) for _ in range(3)
        )
        if number % 2:
            begin, end = point.frame
        count = _CHARACTERS // max(1, len(repeated))
        bodies.append(begin + repeated * count + end)
    return bodies


def _read(point: EntryPoint, text: str) -> None:
    with suppress(InvalidInput):
        point.read(text)


def _seconds(point: EntryPoint, text: str) -> float:
    began = time.process_time()
    _read(point, text)
    return time.process_time() - began


if __name__ == "__main__":
    main()
