"""Files of a gateway: one an exchange, which holds it until the log has it."""

import logging
from collections.abc import Callable
from pathlib import Path

from agentlog.extensions.runs.infrastructure.exchanges.spool import (
    SUFFIX,
    Header,
    SpoolReader,
    SpoolWriter,
    create_held_spool,
    held_spool,
)
from agentlog.infrastructure.runtime.file_lock import FileLock
from agentlog.projections.exchanges.exchange import Exchange

logger = logging.getLogger("agentlog")

FOLDER = "gateway"
"""The folder of these files, in that of spools."""


class GatewayFiles:
    """Writes the exchanges of one tenant; `new_id` returns ULIDs, by which files are in order.

    `rule` returns the tenant's rule for masking, None where it has none.
    """

    def __init__(
        self,
        folder: Path,
        tenant: str,
        *,
        new_id: Callable[[], str],
        rule: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._rule = rule
        self._folder = folder
        self._tenant = tenant
        self._new_id = new_id
        self._numbers = 0
        self._open: dict[int, tuple[SpoolWriter, FileLock]] = {}

    def next_attempt(self) -> int:
        """Return the number of the next attempt."""
        self._numbers += 1
        return self._numbers

    def begin(self, exchange: Exchange) -> None:
        """Write that an attempt begins; one that cannot be written is passed on all the same."""
        header = Header(self._new_id(), "", tenant=self._tenant, mask=self._rule())
        try:
            path, lock = create_held_spool(self._folder, header)
            writer = SpoolWriter(path)
            self._open[exchange.attempt] = writer, lock
            writer.begin(exchange)
        except OSError:
            logger.exception("an exchange is not on record")

    def end(self, exchange: Exchange) -> Path | None:
        """Write how an attempt ended, leave its file to who uploads it, and return the file."""
        begun = self._open.pop(exchange.attempt, None)
        if begun is None:
            return None
        writer, lock = begun
        writer.end(exchange)
        writer.close()
        lock.close()
        if writer.error is not None:
            logger.error("an exchange is not on record", exc_info=writer.error)
        return writer.path


class GatewayFile:
    """A file whose exchange is over: its tenant, and what came of it."""

    def __init__(self, path: Path) -> None:
        reader = SpoolReader(path)
        entries = (*reader.read(), *reader.unfinished())
        exchanges = [entry for entry in entries if isinstance(entry, Exchange)]
        self.path = path
        self.exchange = exchanges[0] if exchanges else None
        self.tenant = None if reader.header is None else reader.header.tenant


def files_over(folder: Path) -> list[Path]:
    """Return the files whose exchanges are over, in the order in which they began.

    The newest are looked at first: what had ended before one of them began is over too then.
    """
    return [path for path in sorted(folder.glob(f"*{SUFFIX}"), reverse=True) if _is_over(path)][
        ::-1
    ]


def _is_over(path: Path) -> bool:
    try:
        lock = held_spool(path)
    except OSError:  # who reads it says why it cannot be
        return True
    if lock is not None:
        lock.close()
    return lock is not None
