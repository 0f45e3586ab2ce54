"""A dataset of a tenant that moves goes on from its new place."""

from pathlib import Path

import pytest

from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.threads import Threads
from tests.extensions.cells.cells import Cell
from tests.extensions.cells.test_mover import fill, quiet
from tests.extensions.dataset.datasets import Exporter, all_rows, check_equal


@pytest.mark.parametrize("exported", ["at the source, left behind", "at the target, while empty"])
def test_events_after_the_move_are_exported(
    here: Cell, there: Cell, tmp_path: Path, exported: str
) -> None:
    fill(here, "a")
    fill(there, "c")
    source, target = (Exporter(cell.owner, tmp_path / "dataset", "a") for cell in (here, there))
    if exported == "at the target, while empty":
        fill(there, "c", "d")
        target()
    here.mover("a").move(there.owner, quiet)
    if exported == "at the source, left behind":
        fill(here, "b", "c", "d")
        source()
    there.append("a", "t0", "after the move")
    target()
    check_equal(target)


def test_what_is_erased_after_the_move_is_erased_from_it(
    here: Cell, there: Cell, tmp_path: Path
) -> None:
    fill(here, "a", "b")
    for tenant in ("b", "a"):
        redact(here, tenant, "t1")
    source, target = (Exporter(cell.owner, tmp_path / "dataset", "a") for cell in (here, there))
    source()
    here.mover("a").move(there.owner, quiet)
    redact(there, "a", "t0")
    assert "a says" in all_rows(target.folder)
    target()
    assert "a says" not in all_rows(target.folder)
    check_equal(target)


def redact(cell: Cell, tenant: str, thread_id: str) -> None:
    """Erase a thread's contents."""
    threads = Threads(
        reader=LogReader(cell.service, tenant=tenant),
        writer=cell.writer,
        blobs=Blobs(cell.service, tenant=tenant),
        tenant=tenant,
    )
    eraser = Eraser(cell.service, cell.writer)
    redactor = Redactor(cell.service, threads, eraser, tenant=tenant, discard=lambda _: None)
    redactor.redact(thread_id, None, "why")
