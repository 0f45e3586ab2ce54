"""A program that moves a tenant, and kills itself at a step."""

import os
import signal
import sys

from agentlog.extensions.cells.mover import Mover
from agentlog.infrastructure.postgres.database import Database
from tests.extensions.cells.cells import KEY, NEW_ID

if __name__ == "__main__":
    source_url, target_url, tenant, fatal = sys.argv[1:]

    def die_at(step: str, _: int) -> None:
        """Kill this process at the step."""
        if step == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    with (
        Database(source_url, pool_size=2) as source,
        Database(target_url, pool_size=2) as target,
    ):
        Mover(source, tenant, KEY, NEW_ID).move(target, die_at)
