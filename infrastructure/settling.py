"""Settling entries: they are committed together, and who asked is told what came of each."""

import logging
import time
from collections.abc import Sequence

from infrastructure.committer import Committer, Steps
from infrastructure.entries import Entry, ready_of
from infrastructure.meters import WriterMeters
from infrastructure.requests import Outcome
from infrastructure.unavailable import DatabaseUnavailable

logger = logging.getLogger("agentlog")


class Settling:
    """Settles entries, by one thread at a time: every one of them, come what may."""

    def __init__(self, committer: Committer, meters: WriterMeters) -> None:
        self._committer = committer
        self._meters = meters

    def settle(self, entries: Sequence[Entry], steps: Steps | None = None) -> None:
        """Commit entries and have them told; `steps` as `Committer.write` has them."""
        try:
            self._commit(entries, steps)
        finally:  # also where Ctrl-C ends the one who commits: nobody waits for ever
            self._tell(entries)

    def settled(self, entries: Sequence[Entry], decided: Sequence[Outcome]) -> None:
        """Have entries told that were committed, step by step."""
        try:
            _take(entries, decided)
        finally:
            self._tell(entries)

    def _commit(self, entries: Sequence[Entry], steps: Steps | None = None) -> None:
        """Write entries together; one that cannot be written takes no other with it."""
        try:
            decided = self._committer.write(ready_of(entries), steps)
        except Exception as error:  # noqa: BLE001 - it is given to the callers
            if len(entries) > 1 and not isinstance(error, DatabaseUnavailable):
                for entry in entries:
                    self._commit([entry])
                return
            for entry in entries:
                entry.outcomes = error
            return
        _take(entries, decided)

    def _tell(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self._deliver(entry)

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
        except Exception:  # who asked is gone; whoever commits here goes on for all the others
            logger.exception("what came of an append could not be delivered")


def _take(entries: Sequence[Entry], decided: Sequence[Outcome]) -> None:
    start = 0
    for entry in entries:
        entry.settle(decided[start : start + len(entry.ready)])
        start += len(entry.ready)
