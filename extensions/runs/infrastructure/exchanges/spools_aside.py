"""Spools that could not be uploaded: put aside with a note, and tried again later."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from agentlog.domain.errors import AgentlogError
from agentlog.extensions.runs.infrastructure.exchanges.spool import SUFFIX
from agentlog.infrastructure.appending.append_request import WriterOverloaded
from agentlog.infrastructure.postgres.errors import (
    DatabaseUnavailable,
    LockNotGranted,
    StatementTooLong,
)

ASIDE = ".aside"
"""What the name of a spool that was put aside ends with; its note has `.txt` after it."""


def put_aside(spool: Path, error: Exception) -> Path:
    """Rename a spool, so that no upload meets it, say why beside it, and return its path.

    Raises:
        OSError: the folder cannot be written.
    """
    aside = spool.with_name(spool.name + ASIDE)
    spool.rename(aside)
    note = _note_of(aside)
    note.touch(0o600)
    note.write_text(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {reason_of(error)}\n", "utf-8")
    return aside


def reason_of(error: BaseException) -> str:
    """Return an error as a line."""
    text = str(error) if isinstance(error, AgentlogError) else f"{type(error).__name__}: {error}"
    return text.replace("\n", " ")


def aside_in(folder: Path) -> list[Path]:
    """Return the spools of a folder that were put aside, the oldest first."""
    return sorted(folder.glob(f"*{SUFFIX}{ASIDE}"))


def exposition(folder: Path) -> bytes:
    """Return how many files of a gateway wait, and how many were put aside, for Prometheus."""
    gauges = (
        ("waiting", "Exchanges in files, which go on or are on their way into the log.", SUFFIX),
        ("aside", "Exchanges that could not be put into the log, and were put aside.", ASIDE),
    )
    lines = []
    for name, text, suffix in gauges:
        metric, count = f"agentlog_exchanges_{name}", sum(1 for _ in folder.glob(f"*{suffix}"))
        lines += [f"# HELP {metric} {text}", f"# TYPE {metric} gauge", f"{metric} {count}"]
    return "\n".join([*lines, ""]).encode()


def bring_back(folder: Path) -> None:
    """Have the spools that were put aside uploaded again, as far as the folder can be written."""
    for aside in aside_in(folder):
        with suppress(OSError):
            aside.rename(aside.with_suffix(""))
            _note_of(aside).unlink(missing_ok=True)


def _note_of(aside: Path) -> Path:
    return aside.with_name(f"{aside.name}.txt")


def is_away(error: Exception) -> bool:
    """Return whether the log takes nothing of anybody just now: nothing is put aside for that."""
    return isinstance(error, DatabaseUnavailable | WriterOverloaded) and not isinstance(
        error, LockNotGranted | StatementTooLong
    )
