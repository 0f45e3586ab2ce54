"""A program that forks a thread, and says so just before."""

import sys

from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.forks.forker import Forker
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import TENANT, Clock, Ids

if __name__ == "__main__":
    with Database(sys.argv[1], pool_size=4) as database:
        ids = Ids()
        forker = Forker(
            database,
            database,
            LogReader(database, tenant=TENANT),
            Eraser(database, Writer(database, clock=Clock(), new_id=ids)),
            tenant=TENANT,
            clock=wall_clock,
            new_id=ids,
        )
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        forker.fork("t", as_thread="f")
