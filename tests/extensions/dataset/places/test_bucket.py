"""A dataset in a bucket is what its manifest names: whole for readers, whoever else exports."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import obstore
import pytest

from agentlog.extensions.dataset.errors import DatasetOvertaken
from agentlog.extensions.dataset.export import Exported
from agentlog.extensions.dataset.manifest import NAME
from agentlog.extensions.dataset.places import bucket as bucket_module
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.command_line import agentlog
from tests.extensions.dataset.datasets import all_rows, check_equal, spread_over_days
from tests.extensions.dataset.places.buckets import BucketExporter
from tests.infrastructure.appends import STORY, calls, reply, results
from tests.infrastructure.erasure.conftest import redactor_on
from tests.waiting import until

DOCUMENT = Path(__file__).parents[4] / "extensions" / "dataset" / "docs" / "parquet.md"
SECRET = "Zarquon-4711"  # noqa: S105 - what is to be erased


def test_an_export_goes_on_where_the_last_one_stopped(
    threads: Threads, bucket_exporter: BucketExporter, own_database: Database
) -> None:
    for number in range(10):
        threads.append(f"t{number}", [*STORY[:5], calls("a")])
    spread_over_days(own_database, events_a_day=20)
    assert bucket_exporter().events == 60
    bucket_exporter.check_equal()
    before = bucket_exporter.objects
    assert (bucket_exporter().events, bucket_exporter.objects) == (0, before)
    threads.append("t0", [results("a")])
    assert bucket_exporter().events == 1
    bucket_exporter.check_equal()
    after = bucket_exporter.objects
    kept = {path for path in before if after.get(path) == before[path]}
    assert {path for path in before if path.startswith(("events/", "messages/"))} <= kept
    assert {path.split("/")[0] for path in before.keys() - kept} >= {"threads", "tool_calls"}


def test_the_whole_bucket_may_be_the_place(
    threads: Threads, bucket_exporter: BucketExporter
) -> None:
    threads.append("t", STORY)
    whole = replace(bucket_exporter, prefix="")
    whole()
    whole.check_equal()


def test_replaced_files_stay_for_readers_until_the_grace_has_passed(
    threads: Threads, bucket_exporter: BucketExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads.append("t", [calls("a")])
    bucket_exporter()
    old = bucket_exporter.manifest
    threads.append("t", [results("a")])
    waits: list[float] = []

    def read_meanwhile(seconds: float) -> None:
        waits.append(seconds)
        check_equal(bucket_exporter.copy())
        assert len(bucket_exporter.copy(old).manifest.files()) > 1

    monkeypatch.setattr(bucket_module, "sleep", read_meanwhile)
    bucket_exporter(grace_seconds=30)
    assert len(waits) == 1
    assert 0 < waits[0] <= 30
    bucket_exporter.check_equal()
    with pytest.raises(FileNotFoundError):
        bucket_exporter.copy(old)


def test_of_two_exports_at_once_one_is_told_wherever_they_meet(
    threads: Threads, bucket_exporter: BucketExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads.append("t", [*STORY[:5], calls("a")])
    overtaken = steps = 0
    while True:
        exporter = replace(bucket_exporter, prefix=f"step-{steps}")
        if steps % 2:
            exporter(["events", "messages"])
            threads.append("t", [reply("more")])
        left = steps

        def at_step(put: Callable[..., Any], exporter: BucketExporter) -> Callable[..., Any]:
            def run(*arguments: Any, **options: Any) -> Any:
                nonlocal left
                left -= 1
                if left == -1:
                    exporter()  # all of another export, between two requests of this one
                return put(*arguments, **options)

            return run

        with monkeypatch.context() as patched:
            patched.setattr(obstore, "put", at_step(obstore.put, exporter))
            try:
                exporter()
            except DatasetOvertaken:
                overtaken += 1
        check_equal(exporter.copy())
        assert exporter().events == 0
        if left >= 0:
            break
        steps += 1
    assert overtaken > steps / 2 > 3


def test_exports_in_parallel_end_with_one_dataset(
    threads: Threads, bucket_exporter: BucketExporter
) -> None:
    def attempt(_: int) -> Exported | DatasetOvertaken:
        try:
            return bucket_exporter()
        except DatasetOvertaken as error:
            return error

    for number in range(3):
        threads.append(f"t{number}", STORY)
        with ThreadPoolExecutor(3) as pool:
            outcomes = list(pool.map(attempt, range(3)))
        assert any(isinstance(outcome, Exported) for outcome in outcomes)
        check_equal(bucket_exporter.copy())


def test_what_was_lost_or_damaged_is_written_again(
    threads: Threads, bucket_exporter: BucketExporter
) -> None:
    for text in "abc":
        threads.append("t", [reply(text), calls(text)])
        bucket_exporter()
    damaged = bucket_exporter.manifest.events[1].path
    obstore.put(bucket_exporter.store, damaged, b"no Parquet")
    (lost,) = (path for path in bucket_exporter.objects if path.startswith("tool_calls/"))
    obstore.delete(bucket_exporter.store, lost)
    bucket_exporter()
    bucket_exporter.check_equal()


def test_files_that_no_manifest_names_are_removed_once_it_is_newer(
    threads: Threads, bucket_exporter: BucketExporter
) -> None:
    threads.append("t", [reply("a")])
    bucket_exporter()
    unnamed, other = "events/day=2026-01-01/unnamed.parquet", "events/notes.txt"
    for path in (unnamed, other):
        obstore.put(bucket_exporter.store, path, b"of a killed export")
    bucket_exporter()
    assert unnamed in bucket_exporter.objects  # an export at work might name it yet
    put = obstore.head(bucket_exporter.store, unnamed)["last_modified"]

    def is_past() -> bool:
        obstore.put(bucket_exporter.store, other, b"mine")
        return obstore.head(bucket_exporter.store, other)["last_modified"] > put

    until(is_past)  # moto's times are seconds
    threads.append("t", [reply("b")])
    bucket_exporter()
    bucket_exporter()
    assert unnamed not in bucket_exporter.objects
    assert bucket_exporter.read(other) == b"mine"


def test_nothing_in_the_bucket_says_what_was_erased(
    threads: Threads, bucket_exporter: BucketExporter, own_database: Database
) -> None:
    for number in range(20):
        threads.append(f"t{number}", [reply("plain")])
    threads.start("t", {"goal": SECRET})
    threads.append("t", [reply(SECRET, metadata={"actor": SECRET})])
    spread_over_days(own_database, events_a_day=9)
    bucket_exporter()
    before = bucket_exporter.objects
    assert SECRET in all_rows(bucket_exporter.copy().folder)
    redactor_on(own_database, threads).redact("t", None, "why")
    bucket_exporter(["messages"])
    assert bucket_exporter.objects.keys() == {NAME, *bucket_exporter.manifest.files()}
    assert SECRET not in all_rows(bucket_exporter.copy().folder)
    assert any(bucket_exporter.objects.get(path) == before[path] for path in before)
    bucket_exporter()
    bucket_exporter.check_equal()


def test_a_request_that_was_tried_again_may_meet_itself(
    threads: Threads, bucket_exporter: BucketExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads.append("t", STORY)
    bucket_exporter(["events"])
    put = obstore.put

    def put_twice(store: Any, path: str, *arguments: Any, **options: Any) -> Any:
        if path == NAME:
            put(store, path, *arguments, **options)  # whose answer was lost
        return put(store, path, *arguments, **options)

    monkeypatch.setattr(obstore, "put", put_twice)
    bucket_exporter()
    bucket_exporter.check_equal()


def test_the_command_line_exports_to_a_bucket(
    threads: Threads, bucket_exporter: BucketExporter, database_url: str
) -> None:
    threads.append("t", [reply("a")])
    place = ("export", "dataset", "-O", bucket_exporter.where)
    outcome = agentlog(*place, url=database_url)
    assert (outcome.code, bucket_exporter.manifest.tenant) == (0, "default")
    assert f"{bucket_exporter.where} is as of position 1" in outcome.err
    missing = agentlog(*place[:-1], "s3://no-bucket/x", url=database_url)
    assert (missing.code, missing.err.count("\n")) == (2, 1)
    assert "s3://no-bucket/x cannot be written: The specified bucket does not exist" in missing.err


def test_a_reader_finds_the_files_as_the_document_says(
    threads: Threads, bucket_exporter: BucketExporter, endpoint: str
) -> None:
    threads.append("t", [*STORY[:5], calls("a", "b")])
    bucket_exporter()
    _, _, rest = DOCUMENT.read_text().partition("The files of a table, by the manifest:\n\n")
    code = dedent(rest.partition("\n## ")[0])
    code = code.replace("BUCKET/PREFIX", bucket_exporter.where.removeprefix("s3://"))
    code = code.replace("S3FileSystem()", f"S3FileSystem(endpoint_override={endpoint!r})")
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - ours
    assert names["calls"].num_rows == 2
    assert {"tool", "day"} <= set(names["calls"].column_names)
    paths = {path.removeprefix(f"{names['root']}/") for path in names["events"]}
    assert paths == {file.path for file in bucket_exporter.manifest.events}
