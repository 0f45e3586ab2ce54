"""A folder belongs to one log and one export at a time."""

import re
from pathlib import Path

import pytest

from agentlog.extensions.dataset.errors import DatasetBusy, ForeignDataset, UnwritableDataset
from agentlog.extensions.dataset.manifest import NAME
from agentlog.extensions.dataset.places.folder import open_folder
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.extensions.dataset.conftest import threads_on
from tests.extensions.dataset.datasets import Exporter, check_equal, check_files
from tests.extensions.dataset.test_export import files_of
from tests.infrastructure.appends import STORY, TENANT, empty_log, fetch, reply, unguarded


def test_two_exports_exclude_each_other(threads: Threads, exporter: Exporter) -> None:
    threads.append("t", [reply("a")])
    with (
        open_folder(exporter.folder, tenant=TENANT),
        pytest.raises(DatasetBusy, match="wait until it has ended"),
    ):
        exporter(["events"])
    assert exporter(["events"]).events == 1


def test_another_tenants_folder_is_refused(
    threads: Threads, exporter: Exporter, own_database: Database
) -> None:
    threads.append("t", [reply("a")])
    threads_on(own_database, "another").append("t", [reply("b")])
    exporter(["events"])
    with pytest.raises(ForeignDataset, match="a dataset of tenant 'tests', not of 'another'"):
        Exporter(own_database, exporter.folder, "another")(["events"])
    check_files(exporter)


def test_another_logs_folder_is_refused(
    threads: Threads, exporter: Exporter, own_database: Database
) -> None:
    threads.append("t", [reply("a")])
    exporter(["events"])
    empty_log(own_database)
    with pytest.raises(ForeignDataset, match="the dataset of another log"):
        exporter(["events"])
    threads_on(own_database, TENANT).append("t", [reply("another beginning")])
    with pytest.raises(ForeignDataset, match="the dataset of another log"):
        exporter(["events"])
    check_files(exporter)


def test_a_log_that_lacks_what_was_exported_is_refused(
    threads: Threads, exporter: Exporter, own_database: Database
) -> None:
    threads.append("t", [reply("a")])
    threads.append("t", [reply("lost with a backup")])
    exporter(["events"])
    with own_database.connection() as connection, connection.transaction():
        connection.execute("ALTER TABLE agentlog.events DISABLE TRIGGER events_only_grow")
        connection.execute("DELETE FROM agentlog.events WHERE position = 2")
        with unguarded(connection):
            connection.execute("UPDATE agentlog.counter SET position = 1")
            connection.execute("UPDATE agentlog.threads SET version = 1, position = 1")
    with pytest.raises(ForeignDataset, match="up to position 2 that this log has not"):
        exporter(["events"])
    assert len(fetch(own_database, "SELECT 1 FROM agentlog.events")) == 1


def test_a_folder_with_other_files_is_refused_and_left_alone(exporter: Exporter) -> None:
    exporter.folder.mkdir()
    mine = exporter.folder / "thesis.txt"
    mine.write_text("years of work")
    with pytest.raises(ForeignDataset, match="is no dataset of agentlog's"):
        exporter()
    assert list(exporter.folder.iterdir()) == [mine]


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b'{"tenant": "tests", "format": 99}', b'{"tenant": "tests", "new": 1}']
)
def test_a_manifest_that_is_not_ours_to_read_is_refused(exporter: Exporter, content: bytes) -> None:
    exporter.folder.mkdir()
    (exporter.folder / NAME).write_bytes(content)
    with pytest.raises(ForeignDataset, match=NAME):
        exporter()
    assert (exporter.folder / NAME).read_bytes() == content


def test_a_folder_that_cannot_be_made_is_said(own_database: Database, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnwritableDataset, match="cannot be written: Not a directory"):
        Exporter(own_database, tmp_path / "file" / "dataset")()


def test_a_dataset_of_before_is_continued_as_it_is(threads: Threads, exporter: Exporter) -> None:
    threads.append("t", STORY)
    exporter()
    before = files_of(exporter)
    path = exporter.folder / NAME
    text = re.sub(r',\s*"name": "[^"]*"', "", path.read_text())
    path.write_text(text.replace('"redacted": 0', '"erasures": 3'))
    assert '"name"' not in path.read_text()
    assert (exporter().events, exporter().days) == (0, 0)
    assert files_of(exporter) == before
    check_equal(exporter)
