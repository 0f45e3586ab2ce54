"""The table of what was tried and what came of it: filled by tests, printed after the long form.

A row is the test's own words, so it says what was done in that run, in the numbers of that run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROWS: pytest.StashKey[list["Row"]] = pytest.StashKey()
_ROW: pytest.StashKey["Row"] = pytest.StashKey()


@dataclass(slots=True)
class Row:
    """One fault: how it was made, what had to hold, and what came of it."""

    fault: str
    made: str
    holds: str
    came: str = ""
    seconds: float = 0.0


class Tried:
    """Puts the row of a test into the table; the fixture `tried`."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._item = request.node

    def __call__(self, fault: str, *, made: str, holds: str) -> Row:
        """Return the test's row, for it to say in `came` what came of it."""
        row = Row(fault, made, holds)
        self._item.stash[_ROW] = row
        self._item.config.stash.setdefault(ROWS, []).append(row)
        return row


def note_outcome(item: pytest.Item, report: pytest.TestReport) -> None:
    """Say in a test's row how it ended, where it did not end well."""
    row = item.stash.get(_ROW, None)
    if row is None:
        return
    row.seconds += report.duration
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        row.came = f"could not be made here: {str(reason).removeprefix('Skipped: ')}"
    elif report.failed:
        said = str(report.longrepr).strip().splitlines()[-1]
        row.came = f"**FAILED** ({report.when}): {said} {row.came}".strip()


def table_of(rows: Sequence[Row]) -> str:
    """Return the table as markdown."""
    lines = [
        "| fault | how it is made | what must hold | what came of it | s |",
        "|---|---|---|---|--:|",
    ]
    for row in rows:
        cells = [row.fault, row.made, row.holds, row.came, f"{row.seconds:.0f}"]
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def write_table(rows: Sequence[Row], path: Path) -> None:
    """Write the table as markdown."""
    path.write_text(table_of(rows))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
