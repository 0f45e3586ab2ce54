"""An export to a bucket that is killed leaves a dataset that reads right; the next one goes on."""

import subprocess
import sys
from random import Random

import httpx2
import pytest

from agentlog.extensions.dataset.export import TABLES
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.command_line import environment
from tests.extensions.dataset.datasets import check_files, spread_over_days
from tests.extensions.dataset.places.buckets import BucketExporter
from tests.extensions.dataset.test_export_killed import check_reads_right
from tests.infrastructure.appends import STORY, calls, reply

KILLED = "tests.extensions.dataset.killed"


def export_until(exporter: BucketExporter, url: str, steps: int, *options: str) -> int:
    """Export in a process that is killed at a step; return how it ended."""
    arguments = (url, exporter.where, exporter.tenant, str(steps), *options)
    return subprocess.run(
        [sys.executable, "-m", KILLED, *arguments], env=environment(), check=False
    ).returncode


@pytest.mark.parametrize("stride", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_it_may_be_killed_at_any_step(
    threads: Threads,
    bucket_exporter: BucketExporter,
    own_database: Database,
    database_url: str,
    stride: int,
) -> None:
    for number in range(6):
        threads.append(f"t{number}", [*STORY[:5], calls("a"), calls("b")])
    spread_over_days(own_database, events_a_day=20)
    killed = steps = 0
    while export_until(bucket_exporter, database_url, steps) == -9:
        killed += 1
        steps += stride
        if bucket_exporter.objects:
            copy = bucket_exporter.copy()  # all that the manifest names is there
            check_files(copy)
            check_reads_right(copy, TABLES)
            states = {table.position for table in copy.manifest.tables.values()}
            assert len(states) <= 1
            assert max(states, default=0) <= copy.manifest.position
        if killed % 3 == 0:
            threads.append(f"k{killed}", [*STORY[:5], calls("a")])
    assert killed > 1
    bucket_exporter()
    bucket_exporter.check_equal()


def test_it_may_be_killed_in_the_middle_of_an_upload(
    threads: Threads,
    bucket_exporter: BucketExporter,
    database_url: str,
    endpoint: str,
) -> None:
    text = "".join(map(chr, Random(4).choices(range(0x4E00, 0x9F00), k=5_000_000)))  # noqa: S311 - any will do
    threads.append("t", [reply(text)])
    assert export_until(bucket_exporter, database_url, 1, "reads") == -9
    assert not any(path.startswith("events/") for path in bucket_exporter.objects)
    bucket_exporter()
    bucket_exporter.check_equal()
    uploads = httpx2.get(f"{endpoint}/{bucket_exporter.bucket}?uploads").text
    assert "events/day=" in uploads  # for the bucket's lifecycle rule to abort
