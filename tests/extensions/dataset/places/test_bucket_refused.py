"""What is no place for a dataset, or cannot be written, is said in a line, and left as it was."""

from dataclasses import replace
from typing import Any

import obstore
import pytest

from agentlog.extensions.dataset.errors import ForeignDataset, InvalidPlace, UnwritableDataset
from agentlog.extensions.dataset.places import bucket as bucket_module
from agentlog.extensions.dataset.places.opening import open_place
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.extensions.dataset.conftest import threads_on
from tests.extensions.dataset.places.buckets import BucketExporter
from tests.infrastructure.appends import reply


def test_a_store_that_disregards_conditions_is_refused(
    threads: Threads, bucket_exporter: BucketExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads.append("t", [reply("a")])
    put = obstore.put

    def put_anyway(store: Any, path: str, content: Any, **options: Any) -> Any:
        return put(store, path, content, **{**options, "mode": "overwrite"})

    monkeypatch.setattr(obstore, "put", put_anyway)
    with pytest.raises(UnwritableDataset, match="disregards If-Match"):
        bucket_exporter()
    assert bucket_exporter.objects == {}


def test_a_prefix_with_other_files_is_refused_and_left_alone(
    bucket_exporter: BucketExporter,
) -> None:
    obstore.put(bucket_exporter.store, "thesis.txt", b"years of work")
    with pytest.raises(ForeignDataset, match="is no dataset of agentlog's"):
        bucket_exporter()
    assert bucket_exporter.objects.keys() == {"thesis.txt"}


def test_another_tenants_dataset_is_refused(
    threads: Threads, bucket_exporter: BucketExporter, own_database: Database
) -> None:
    threads.append("t", [reply("a")])
    threads_on(own_database, "another").append("t", [reply("b")])
    bucket_exporter(["events"])
    with pytest.raises(ForeignDataset, match="a dataset of tenant 'tests', not of 'another'"):
        replace(bucket_exporter, tenant="another")()


@pytest.mark.parametrize(
    "place",
    ["gs://bucket/x", "s3://", "s3://x/y", "s3://key:secret@bucket/x", "s3://bucket/x?versionId=1"],
)
def test_what_is_no_place_is_refused(place: str) -> None:
    with (
        pytest.raises(InvalidPlace, match="name a folder, or s3://BUCKET/PREFIX") as caught,
        open_place(place, tenant="tests", grace_seconds=0),
    ):
        pass
    assert "secret" not in str(caught.value)


def test_a_bucket_that_is_not_there_is_said(bucket_exporter: BucketExporter) -> None:
    with pytest.raises(UnwritableDataset, match="bucket does not exist"):
        replace(bucket_exporter, bucket="no-bucket")()


def test_a_store_that_is_not_there_is_said(
    bucket_exporter: BucketExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket_module, "_RETRIES", bucket_module._RETRIES / 30)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    with pytest.raises(UnwritableDataset, match="error sending request") as caught:
        bucket_exporter()
    assert "\n" not in str(caught.value)


def test_credentials_that_do_not_suffice_are_said_without_them(
    threads: Threads,
    bucket_exporter: BucketExporter,
    reader: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads.append("t", [reply("a")])
    with pytest.raises(UnwritableDataset, match="Key Id you provided does not exist"):
        bucket_exporter()
    for name, value in reader.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UnwritableDataset, match="cannot be written: Access Denied"):
        bucket_exporter()
    assert bucket_exporter.objects == {}
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "Zarquon-4711")
    with pytest.raises(UnwritableDataset, match="does not match the signature") as caught:
        bucket_exporter()
    assert "Zarquon" not in str(caught.value)
    assert reader["AWS_ACCESS_KEY_ID"] not in str(caught.value)
