"""A folder for all temporary files of a test process, removed with the process however it ends.

What the process has started and left behind is ended then, by a script that outlives it: see
`clean_up.sh`.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CLEAN_UP = Path(__file__).with_name("clean_up.sh")
_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
_ROOM_BYTES = 4 * 2**30


@contextmanager
def temporary_files() -> Iterator[None]:
    """Make TMPDIR a new folder, of this process and of those that it starts.

    It is in memory where there is room for databases: each is some 450 files, and to make and
    remove them costs several times as much on a disk.
    """
    roomy = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ROOM_BYTES
    folder = Path(tempfile.mkdtemp(prefix="agentlog-test-", dir=_MEMORY if roomy else None))
    folder.chmod(0o755)
    before = tempfile.gettempdir()
    with subprocess.Popen(
        [_CLEAN_UP, folder],
        stdin=subprocess.PIPE,
        start_new_session=True,
        env={"PATH": os.environ["PATH"]},
    ):
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        yield
        os.environ["TMPDIR"] = tempfile.tempdir = before
