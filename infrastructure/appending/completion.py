"""Commits queue entries together and delivers the outcomes of each."""

import logging
import time
from collections.abc import Sequence

from domain.errors import AgentlogError
from infrastructure.appending.append_queue import Entry, ready_of
from infrastructure.appending.committer import Committer
from infrastructure.appending.writer_metrics import WriterMeters
from infrastructure.postgres.errors import DatabaseUnavailable

logger = logging.getLogger("agentlog")


class Settling:
    """Settles entries, one thread at a time; each gets its outcomes, even after an error."""

    def __init__(self, committer: Committer, meters: WriterMeters) -> None:
        self._committer = committer
        self._meters = meters

    def settle(self, entries: Sequence[Entry]) -> None:
        """Commit entries and deliver their outcomes."""
        try:
            self._commit(entries)
        finally:  # also on Ctrl-C in the committing thread, so that no caller waits for ever
            for entry in entries:
                self._deliver(entry)

    def _commit(self, entries: Sequence[Entry]) -> None:
        """Write entries together; one that cannot be written does not affect the others."""
        try:
            decided = self._committer.write(ready_of(entries))
        except Exception as error:  # noqa: BLE001 - it is given to the callers
            if len(entries) > 1 and not isinstance(error, DatabaseUnavailable):
                for entry in entries:
                    self._commit([entry])
                return
            if isinstance(error, AgentlogError):
                error.detached()
            for entry in entries:
                entry.outcomes = error
            return
        start = 0
        for entry in entries:
            entry.settle(decided[start : start + len(entry.ready)])
            start += len(entry.ready)

    def _deliver(self, entry: Entry) -> None:
        outcomes, taken = entry.outcomes, time.monotonic() - entry.asked_at
        try:
            if outcomes is None:
                outcomes = DatabaseUnavailable("the append was interrupted")
            if isinstance(outcomes, BaseException):
                self._meters.failed(len(entry.tried), taken)
            else:
                self._meters.answered(outcomes, taken)
            entry.deliver(outcomes)
        except Exception:  # a failing callback must not stop delivery to the others
            logger.exception("what came of an append could not be delivered")
