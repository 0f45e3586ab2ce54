"""Snapshots: carries of views at regular versions of a thread, kept by reads and droppable.

A fold begins at the nearest one instead of the thread's beginning. What they take stays in
proportion to the log: the lists of a carry are kept as what they grew by since the snapshot before,
and what remains of it only where it is small beside the events that it saves to read. Nothing
depends on them: a row that is missing, garbage, of another format or of another history is passed
over, and made again by the read that missed it; where they cannot be read or written at all, views
are folded from the start.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import psycopg

from infrastructure.database import Connections, DatabaseUnavailable
from infrastructure.snapshot_rows import (
    FORMAT,
    GARBAGE,
    packed,
    packed_lists,
    unpacked,
    unpacked_lists,
)
from infrastructure.snapshot_table import Row, Series, SnapshotTable
from projections.growth import grown, growth, with_lists, without_lists
from projections.persistent import PrintedList
from projections.view import OptionsT, View

CarryT = TypeVar("CarryT")
_ResultT = TypeVar("_ResultT")

_logger = logging.getLogger("agentlog")


@dataclass(frozen=True, slots=True)
class Start(Generic[CarryT]):
    """Where a fold may begin, just after `version`, and what the next snapshots are told from.

    `since` and `size` are those of the snapshot, the latter in bytes; `behind` counts the bytes of
    the events since the latest snapshot with a carry. `erased` is the number of the thread's latest
    erasure as of when it was read, None where nobody looked.
    """

    version: int
    carry: CarryT
    since: int = 0
    size: int = 0
    behind: int = 0
    erased: int | None = None


@dataclass(frozen=True, slots=True)
class Passed(Generic[CarryT]):
    """A carry that a fold came by; `size` is that of the events since the one before, in bytes."""

    version: int
    carry: CarryT
    size: int


class _Broken(Exception):
    """The row of `version` is missing, or not what was written."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the snapshot at version {version} is missing or broken")
        self.version = version


class Snapshots:
    """One tenant's snapshots.

    `interval`: they stand at the versions that it divides. `share`: the most that a carry, without
    its lists, may take of the bytes of the events since the one before.
    """

    def __init__(
        self, database: Connections, *, tenant: str, interval: int = 250, share: float = 0.125
    ) -> None:
        self.interval = interval
        self._table = SnapshotTable(database)
        self._tenant = tenant
        self._share = share

    def nearest(self, thread_id: str, view: View[CarryT, OptionsT], version: int) -> Start[CarryT]:
        """Return the nearest carry at or before `version`, or that before the first event."""
        series = self._series(thread_id, view)
        found = self._try(lambda: self._nearest(series, view, version))
        return Start(0, view.start()) if found is None else found

    def looked(self, thread_id: str, start: Start[CarryT], version: int) -> Start[CarryT]:
        """Return a start that `keep` takes after events up to `version` were read.

        To be asked before they are read: what is erased meanwhile is in their carries.
        """
        passes = start.version // self.interval < version // self.interval
        if start.erased is not None or not passes:
            return start
        return replace(start, erased=self._try(lambda: self._table.erased(self._tenant, thread_id)))

    def keep(
        self,
        thread_id: str,
        view: View[CarryT, OptionsT],
        start: Start[CarryT],
        passed: Sequence[Passed[CarryT]],
    ) -> Start[CarryT]:
        """Keep what a fold from `start` came by, as far as it is not there and worth it.

        Returns the last of them, to go on from.
        """
        if not passed or start.erased is None:
            return start
        series = self._series(thread_id, view)
        known = self._try(lambda: self._table.kept(series, [each.version for each in passed])) or {}
        rows: list[Row] = []
        at = start
        for each in passed:
            at = self._step(view, at, each, known, rows)
        if rows:
            alone, erased = start.version == 0, start.erased
            self._try(lambda: self._table.insert(series, rows, alone=alone, erased=erased))
        return at

    def _nearest(
        self, series: Series, view: View[CarryT, OptionsT], version: int
    ) -> Start[CarryT] | None:
        while version >= self.interval:
            row = self._table.nearest(series, version)
            if row is None:
                break
            try:
                return self._read(series, view, row)
            except _Broken as broken:
                self._forget(series, broken.version)
                version = broken.version - 1
        return None

    def _step(
        self,
        view: View[CarryT, OptionsT],
        before: Start[CarryT],
        now: Passed[CarryT],
        known: Mapping[int, bool],
        rows: list[Row],
    ) -> Start[CarryT]:
        """Add the row for one carry, if there is to be one; return how matters stand after it."""
        lists = growth(before.carry, now.carry)
        follows = lists is not None and any(each.kept for each in lists.values())
        since = before.since if follows else now.version
        behind, size = before.behind + now.size, before.size
        carry: bytes | None = None
        if now.version not in known:
            # what was too large the last time is printed again once it may be worth it
            if size <= behind * self._share:
                began = b"null" if lists is None else b"%d" % since
                text = view.dump(without_lists(now.carry))
                printed = packed(b"[%b,%b]" % (began, text))
                size = len(printed)
                carry = printed if size <= behind * self._share else None
            if carry is not None or lists is not None:
                rows.append(Row(now.version, carry, None if lists is None else packed_lists(lists)))
        if carry is not None or known.get(now.version):
            behind = 0
        return Start(now.version, now.carry, since, size, behind, before.erased)

    def _read(self, series: Series, view: View[CarryT, OptionsT], row: Row) -> Start[CarryT]:
        if row.carry is None or not row.of_this_log:
            raise _Broken(row.version)
        try:
            match unpacked(row.carry):
                case [None, value]:
                    since, lists = row.version, {}
                case [int(since), value] if since in self._steps(self.interval, row):
                    lists = self._lists(series, since, row)
                case _:
                    raise _Broken(row.version)
            carry = with_lists(view.carry_of(value), lists)
        except GARBAGE as error:
            raise _Broken(row.version) from error
        return Start(row.version, carry, since, len(row.carry), erased=row.erased)

    def _lists(self, series: Series, since: int, row: Row) -> dict[str, PrintedList]:
        """Return the lists of a row: what they grew by since they began, a row for each step."""
        rows = [row] if since == row.version else self._table.steps(series, since, row.version)
        steps = {step.version: step for step in rows}
        lists: dict[str, PrintedList] = {}
        for version in self._steps(since, row):
            step = steps.get(version)
            if step is None or step.grown is None or not step.of_this_log:
                raise _Broken(version)
            try:
                for name, growth_of in unpacked_lists(step.grown).items():
                    lists[name] = grown(lists.get(name, PrintedList()), growth_of)
            except GARBAGE as error:
                raise _Broken(version) from error
        return lists

    def _steps(self, since: int, row: Row) -> range:
        return range(since, row.version + 1, self.interval)

    def _forget(self, series: Series, version: int) -> None:
        _logger.info(
            "snapshot %d of %s is missing or broken: it will be made again", version, series
        )
        self._try(lambda: self._table.delete(series, version))

    def _try(self, action: Callable[[], _ResultT]) -> _ResultT | None:
        """Return what `action` does, or None where the database will not: a read goes on."""
        try:
            return action()
        except (psycopg.Error, DatabaseUnavailable) as error:
            _logger.warning("snapshots are passed over: %s", error)
            return None

    def _series(self, thread_id: str, view: View[CarryT, OptionsT]) -> Series:
        return Series(
            self._tenant,
            thread_id,
            view.name,
            view.options.model_dump_json(),
            f"{FORMAT}.{view.carry_format}.{self.interval}",
        )
