"""A dataset of a tenant that moves goes on from its new place."""

from pathlib import Path

import pytest

from tests.infrastructure.dataset.datasets import Exporter, check_equal
from tests.infrastructure.moves.cells import Cell
from tests.infrastructure.moves.test_mover import fill, quiet


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
