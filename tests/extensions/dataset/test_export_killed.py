"""An export that ends anywhere leaves a dataset that reads right, and the next one goes on."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agentlog.extensions.dataset import event_pages
from agentlog.extensions.dataset import export as export_module
from agentlog.extensions.dataset.export import TABLES
from agentlog.extensions.dataset.manifest import DatasetManifest
from agentlog.extensions.dataset.places.folder import Folder
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import PUBLIC_READ_MODELS
from tests.command_line import environment
from tests.extensions.dataset.datasets import (
    Exporter,
    check_equal,
    check_files,
    events_in_database,
    events_in_files,
    rows_in_files,
    spread_over_days,
)
from tests.infrastructure.appends import STORY, calls, results


class Killed(BaseException):
    """Stands for the end of the process: nothing of ours may catch it."""


@pytest.fixture
def grown(threads: Threads, exporter: Exporter, own_database: Database) -> Exporter:
    """A log of some days that was exported, and has grown since: rows are new, and changed."""
    for number in range(6):
        threads.append(f"t{number}", [*STORY[:5], calls("a"), calls("b")])
    spread_over_days(own_database, events_a_day=20)
    exporter()
    for number in range(6):
        threads.append(f"t{number}", [results("a")])
        threads.append(f"u{number}", STORY)
    return exporter


def kill_after(monkeypatch: pytest.MonkeyPatch, steps: int) -> Callable[[], int]:
    """End the export at a step on the file system; return what counts them."""
    count = 0

    def counted(step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count > steps:
                raise Killed
            return step(*arguments, **options)

        return run

    for name in ("rename", "unlink", "write_text", "mkdir"):
        monkeypatch.setattr(Path, name, counted(getattr(Path, name)))
    monkeypatch.setattr(os, "fsync", counted(os.fsync))
    return lambda: count


def check_reads_right(exporter: Exporter, tables: Sequence[str]) -> None:
    """See that whoever reads all files finds the log up to some position, and no row twice."""
    events = events_in_files(exporter.folder)
    assert events == events_in_database(exporter.database, upto=len(events))
    assert len(events) >= exporter.manifest.position
    for name, model in PUBLIC_READ_MODELS.items():
        if name not in tables:
            continue
        names = [column.name for column in model.table.columns]
        places = [names.index(key) for key in model.table.key]
        keys = [
            tuple(row[place] for place in places) for row in rows_in_files(exporter.folder, name)
        ]
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("tables", "stride"),
    [
        (["events"], 5),
        (TABLES, 23),
        pytest.param(["events"], 1, marks=pytest.mark.slow),
        pytest.param(TABLES, 7, marks=pytest.mark.slow),
    ],
)
def test_it_may_end_at_any_step(
    grown: Exporter, monkeypatch: pytest.MonkeyPatch, tables: Sequence[str], stride: int
) -> None:
    monkeypatch.setattr(event_pages, "_PAGE_EVENTS", 20)
    monkeypatch.setattr(export_module, "_CHECKPOINT_ROWS", 40)
    steps, ended = 0, False
    while not ended:
        with monkeypatch.context() as patched:
            counted = kill_after(patched, steps)
            try:
                grown(tables)
                ended = True
            except Killed:
                pass
        check_reads_right(grown, TABLES)
        steps = counted() - 1 + stride  # each time a little further
    assert steps > 10
    grown()
    check_equal(grown)


def test_a_file_stays_until_another_replaces_it_whatever_is_exported_next(
    grown: Exporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", end)  # of the manifest, once files are renamed
        with pytest.raises(Killed):
            grown()
    named = grown.manifest.files()
    replaced = [path for path in named if (grown.folder / path).stat().st_size != named[path]]
    assert any(path.startswith("tool_calls/") for path in replaced)
    publish = Folder.publish

    def look(folder: Folder, manifest: DatasetManifest) -> None:
        assert set(replaced) <= manifest.files().keys()
        publish(folder, manifest)
        assert all((grown.folder / path).exists() for path in replaced)

    monkeypatch.setattr(Folder, "publish", look)
    grown(["events"])
    check_files(grown)
    grown()
    check_equal(grown)


def test_it_may_be_killed(grown: Exporter, database_url: str) -> None:
    killed = 0
    for steps in Random(4).sample(range(1, 40), 2):  # noqa: S311 - any will do
        arguments = (database_url, str(grown.folder), grown.tenant, str(steps))
        done = subprocess.run(
            [sys.executable, "-m", "tests.extensions.dataset.killed", *arguments],
            env=environment(),
            check=False,
        )
        killed += done.returncode == -9
        check_reads_right(grown, TABLES)
    assert killed
    grown()
    check_equal(grown)
