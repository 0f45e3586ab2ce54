"""A process that appends, for tests that need several; run as a module by `python -m`.

url name threads count    append messages to threads shared with others; report what came of it
url name forever          append one message at a time, printing the id of each once it is kept
"""

import json
import random
import sys
import time

from ulid import ULID

from agentlog.infrastructure.appending.append_request import Appended
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import calls, reply, request, results


def main(url: str, name: str, *how: str) -> None:
    """Append as the command line says."""
    with Database(url, pool_size=2) as database:
        writer = Writer(database, clock=_milliseconds, new_id=_new_id)
        if how == ("forever",):
            _append_forever(writer, name)
        else:
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            sys.stdin.readline()
            sys.stdout.write(json.dumps(_append_to_shared(writer, name, *map(int, how))))


def _append_to_shared(writer: Writer, name: str, threads: int, count: int) -> dict[str, list[str]]:
    """Race with others for the versions and the call ids of the same threads."""
    chance = random.Random(name)  # noqa: S311 - which thread is next is no secret
    outcomes: dict[str, list[str]] = {"kept": [], "refused": []}
    known = dict.fromkeys(range(threads), 0)
    for number in range(count):
        thread = chance.randrange(threads)
        ids = [_new_id() for _ in range(3)]
        mine = request(
            f"shared-{thread}",
            calls(f"{name}-{number}", id=ids[0]),
            results(f"{name}-{number}", id=ids[1]),
            reply(name * 50, id=ids[2]),
            # every second one insists on the version that this process saw last
            expected_version=known[thread] if number % 2 else None,
        )
        unfounded = request(f"shared-{thread}", results(f"nobody asked {number}"))
        outcome, refused = writer.append_many([mine, unfounded])
        if isinstance(outcome, Appended):
            known[thread] = outcome.version
            outcomes["kept"] += ids
        else:
            known[thread] = getattr(outcome, "actual", 0)
            outcomes["refused"] += [type(outcome).__name__]
        outcomes["refused"] += [type(refused).__name__]
    return outcomes


def _append_forever(writer: Writer, name: str) -> None:
    while True:
        (receipt,) = writer.append(request(name, reply("x" * 2000))).messages
        sys.stdout.write(f"{receipt.id}\n")
        sys.stdout.flush()


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


def _new_id() -> str:
    return str(ULID())


if __name__ == "__main__":
    main(*sys.argv[1:])
