"""A program that exports, and is killed by the kernel at its n-th step on the files.

In a bucket a step is what comes before a request, or after its answer; with `reads`, a read
of a file that is being sent in parts.
"""

import io
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import obstore
from typing_extensions import override

from agentlog.infrastructure.postgres.database import Database
from tests.extensions.dataset.datasets import export

PART_BYTES = 5 * 2**20
"""What a read asks for where a file is sent in parts."""

_left = int(sys.argv[4])


def _count() -> None:
    global _left  # noqa: PLW0603 - a program of one purpose
    _left -= 1
    if _left < 0:
        os.kill(os.getpid(), signal.SIGKILL)


def _counted(step: Callable[..., Any], *, after: bool = False) -> Callable[..., Any]:
    def run(*arguments: Any, **options: Any) -> Any:
        _count()
        outcome = step(*arguments, **options)
        if after:
            _count()
        return outcome

    return run


class _Sent(io.BytesIO):
    @override
    def read(self, size: int | None = -1) -> bytes:
        if size == PART_BYTES:
            _count()
        return super().read(size)


if __name__ == "__main__":
    if sys.argv[5:] == ["reads"]:
        tempfile.TemporaryFile = _Sent  # type: ignore[assignment]
    else:
        obstore.put = _counted(obstore.put, after=True)
        obstore.delete = _counted(obstore.delete, after=True)
    os.fsync = _counted(os.fsync)
    Path.rename = _counted(Path.rename)  # type: ignore[method-assign]
    Path.unlink = _counted(Path.unlink)  # type: ignore[method-assign]
    with Database(sys.argv[1], pool_size=4) as database:
        export(database, sys.argv[2], tenant=sys.argv[3])
