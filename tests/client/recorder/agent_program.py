"""An agent that records, as a process of its own; prints the id of each message once it is kept.

python -m tests.client.recorder.agent_program URL FOLDER THREAD COUNT ENDING

ENDING: `killed` waits to be killed after the last message, `ended` ends as programs do, `worker`
records in a process of multiprocessing, `forked` in a child of os.fork after the parent did,
`full` has a disk that takes no more than 8 KB.
"""

import logging
import multiprocessing
import os
import resource
import sys
import time

from agentlog_client import Recorder


def main() -> None:
    """Record."""
    url, folder, thread, count, ending = sys.argv[1:]
    logging.basicConfig()
    if ending == "worker":
        process = multiprocessing.get_context("fork").Process(
            target=_record_all, args=(url, folder, thread, int(count))
        )
        process.start()
        process.join()
        return
    if ending == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
    recorder = _record_all(url, folder, thread, int(count))
    if ending == "forked":
        child = os.fork()
        if child:
            os.waitpid(child, 0)
        for number in range(int(count)):
            _print(recorder.reply(f"{'parent' if child else 'child'} {number}"))
    if ending == "killed":
        time.sleep(120)


def _record_all(url: str, folder: str, thread: str, count: int) -> Recorder:
    recorder = Recorder(thread, url=url, spool=folder)
    for number in range(count):
        _print(recorder.reply(f"{thread} {number}"))
    return recorder


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
