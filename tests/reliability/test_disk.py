"""A disk that is full: what cannot be kept is not acknowledged, and room is all that it takes."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from tests.reliability.followers import Follower
from tests.reliability.ledger import Ledger
from tests.reliability.load import Load
from tests.reliability.outcomes import Tried
from tests.reliability.postgres import own_postgres
from tests.reliability.proof import prove
from tests.reliability.service import own_service
from tests.waiting import WAIT_SECONDS

MEGABYTES = 256
SPARE = 200 * 2**10
"""Bytes that may be left when the disk is filled."""
REFUSALS = 6


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of its own, in memory, which the test fills."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small file system")
    disk = folder / "disk"
    disk.mkdir()
    options = f"size={MEGABYTES}m,mode=755"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "agentlog-test", disk],
        check=False,
        capture_output=True,
        text=True,
    )
    if mounted.returncode != 0:
        pytest.skip(f"a small file system cannot be mounted: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


def test_a_full_disk_acknowledges_nothing_that_is_not_kept(
    tried: Tried,
    soak: bool,  # noqa: FBT001 - a fixture
    small_disk: Path,
    ledger: Ledger,
) -> None:
    rounds = 12 if soak else 1
    row = tried(
        "Disk full",
        made=f"PostgreSQL on a tmpfs of {MEGABYTES} MB, filled but for {SPARE // 1024} KiB under "
        f"load {rounds} times, every other time at the end of a WAL segment; freed after "
        f"{REFUSALS} refusals",
        holds="no acknowledgement of what is not kept; 503 meanwhile; once there is room all goes "
        "on (PostgreSQL gives up where its WAL finds no room: then whoever keeps it up starts it)",
    )
    settings = {"min_wal_size": "32MB", "max_wal_size": "48MB", "checkpoint_timeout": "30s"}
    ballast = small_disk / "ballast"
    starts = refused = 0
    with (
        own_postgres(small_disk / "data", settings) as postgres,
        own_service(postgres.url) as service,
    ):
        with Load(service.address, ledger, clients=4) as load:
            ledger.wait_for(40)
            reader = Follower(service.address, load.threads[0])
            reader.start()
            for number in range(rounds):
                _fill(ballast)
                if number % 2:
                    with suppress(psycopg.OperationalError):  # there is no room for the next
                        postgres.execute("SELECT pg_switch_wal()")
                refused += _wait_for_refusals(ledger)
                ballast.unlink()
                if not postgres.runs:
                    postgres.start()
                    starts += 1
                ledger.wait_for(40)
        proven = prove(postgres.url, service, ledger, [reader])
        assert service.end(signal.SIGTERM) == 0
    row.came = (
        f"{refused} refusals; PostgreSQL had to be started {starts} times; {proven}. "
        f"Answers and breaks: {ledger.told}"
    )


def _fill(ballast: Path) -> None:
    """Take all the room that there is, but for less than `SPARE`; others take some meanwhile."""
    size = 0
    with ballast.open("wb") as file, suppress(OSError):
        while True:
            os.posix_fallocate(file.fileno(), size, SPARE)
            size += SPARE


def _wait_for_refusals(ledger: Ledger) -> int:
    before, until = ledger.outcomes["503"], time.monotonic() + WAIT_SECONDS
    while (refused := ledger.outcomes["503"] - before) < REFUSALS:
        assert time.monotonic() < until, f"the disk is not full: {ledger.told}"
        time.sleep(0.02)
    return refused
