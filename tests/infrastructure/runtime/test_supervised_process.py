"""A child ends with its parent, whatever it waits for."""

import subprocess
import sys

from tests.waiting import WAIT_SECONDS

CHILD = """
import sys, threading
from agentlog.infrastructure.runtime.supervised_process import end_with_parent

end_with_parent(sys.stdin.buffer, lambda: print("stop", flush=True), grace_seconds=0.1)
print("up", flush=True)
threading.Event().wait()
"""


def test_a_child_that_waits_for_something_else_ends_with_its_parent() -> None:
    command = [sys.executable, "-c", CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == b"up\n"
        assert child.poll() is None
        child.stdin.close()
        assert child.wait(WAIT_SECONDS / 2) == 1
        assert child.stdout.read() == b"stop\n"
