"""A program that exports, and is killed by the kernel at its n-th step on the file system."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.dataset.datasets import Exporter

_left = int(sys.argv[4])


def _counted(step: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: Any, **options: Any) -> Any:
        global _left  # noqa: PLW0603 - a program of one purpose
        _left -= 1
        if _left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return step(*arguments, **options)

    return run


if __name__ == "__main__":
    os.fsync = _counted(os.fsync)
    Path.rename = _counted(Path.rename)  # type: ignore[method-assign]
    Path.unlink = _counted(Path.unlink)  # type: ignore[method-assign]
    with Database(sys.argv[1], pool_size=4) as database:
        Exporter(database, Path(sys.argv[2]), sys.argv[3])()
