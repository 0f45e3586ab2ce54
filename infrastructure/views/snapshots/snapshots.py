"""Snapshots: states and items of views at regular versions of a thread; droppable.

A fold begins at the nearest snapshot instead of the thread's start, and printed items are read
instead of folded: those of a list view are kept as they settled, interval by interval. The size of
snapshots stays in proportion to the log: the lists of a carry are kept as their growth since the
snapshot before, and the rest of it only if it is small beside the events that it saves reading.
Nothing depends on them: a row that is missing, garbage, of another format or of another history is
ignored, and written again by precomputation; if they cannot be read or written at all, views are
folded from the start.
"""

import logging
from collections.abc import Iterator
from functools import partial
from typing import TypeVar

from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.views.snapshots.encoding import (
    FORMAT,
    GARBAGE,
    unpacked,
    unpacked_items,
    unpacked_lists,
)
from agentlog.infrastructure.views.snapshots.key import id_of
from agentlog.infrastructure.views.snapshots.snapshot_writer import SnapshotWriter, Start
from agentlog.infrastructure.views.snapshots.table import Series, SnapshotRow, SnapshotTable, tried
from agentlog.projections.carries.growth import grown, with_lists
from agentlog.projections.carries.persistent_list import PrintedList
from agentlog.projections.view import OptionsT, Printed, View

CarryT = TypeVar("CarryT")

_MOST_ROWS = 128
"""Rows of items read at once."""

_logger = logging.getLogger("agentlog")


class _Broken(Exception):
    """The row of `version` is missing or invalid."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the snapshot at version {version} is missing or broken")
        self.version = version


class Snapshots:
    """One tenant's snapshots.

    `key` seals them: it has to be secret, and the same wherever they are read. Its id is part of
    the format, so that snapshots of another key are not read. Snapshots stand at multiples of
    `interval`. `share` is that of `SnapshotWriter`.
    """

    def __init__(
        self,
        database: Connections,
        *,
        tenant: str,
        key: bytes,
        interval: int = 250,
        share: float = 0.125,
    ) -> None:
        self.interval = interval
        self._table = SnapshotTable(database, key)
        self._key_id = id_of(key)
        self._tenant = tenant
        self._share = share

    def nearest(self, thread_id: str, view: View[CarryT, OptionsT], version: int) -> Start[CarryT]:
        """Return the nearest carry at or before `version`, or that of the thread's start."""
        if view.begins_anywhere:
            return Start(version, view.start())
        series = self._series(thread_id, view)
        nearest = tried(lambda: self._nearest(series, view, version))
        return Start(0, view.start()) if nearest is None else nearest

    def writer(
        self, thread_id: str, view: View[CarryT, OptionsT], start: Start[CarryT]
    ) -> SnapshotWriter[CarryT]:
        """Return what writes a view's snapshots from a carry of `nearest` on."""
        series = self._series(thread_id, view)
        return SnapshotWriter(self._table, series, view, start, share=self._share)

    def missing(self, thread_id: str, view: View[CarryT, OptionsT], upto: int) -> list[int]:
        """Return the versions up to `upto` where a snapshot could stand and does not."""
        series = self._series(thread_id, view)
        versions = range(self.interval, upto + 1, self.interval)
        known = tried(lambda: self._table.kept(series, versions))
        return [] if known is None else [version for version in versions if version not in known]

    def items(
        self, thread_id: str, view: View[CarryT, OptionsT], *, after: int, upto: int, few: int
    ) -> Iterator[tuple[int, list[Printed]]]:
        """Yield the items settled after a snapshot's version, interval by interval.

        Each with the version at its end, none beyond `upto`, up to the first gap. At first `few`
        rows are read at once, then more.
        """
        series = self._series(thread_id, view)
        version, limit = after, few
        while version + self.interval <= upto:
            parameters = {"after": version, "upto": upto, "limit": limit}
            rows = tried(partial(self._table.items, series, **parameters)) or []
            for row in rows:
                version += self.interval
                if row.version != version:
                    return
                try:
                    items = self._items_of(row)
                except _Broken:
                    self._discard(series, version)
                    return
                yield version, items
            if len(rows) < limit:
                return
            limit = min(2 * limit, _MOST_ROWS)

    def reads(self, view: View[CarryT, OptionsT], *, options: str, snapshot_format: str) -> bool:
        """Return whether readers of a view use snapshots with these options and format."""
        series = self._series("", view)
        return (series.options, series.format) == (options, snapshot_format)

    def is_of_other_key(self, snapshot_format: str) -> bool:
        """Return whether a format of snapshots differs by its key."""
        return not snapshot_format.endswith(f".{self._key_id}")

    def rows(self, thread_id: str, view: View[CarryT, OptionsT]) -> list[SnapshotRow]:
        """Return all kept rows, by version."""
        return self._table.every(self._series(thread_id, view))

    def _items_of(self, row: SnapshotRow) -> list[Printed]:
        if row.items is None or not row.sound:
            raise _Broken(row.version)
        try:
            return unpacked_items(row.items)
        except GARBAGE as error:
            raise _Broken(row.version) from error

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
                self._discard(series, broken.version)
                version = broken.version - 1
        return None

    def _read(
        self, series: Series, view: View[CarryT, OptionsT], row: SnapshotRow
    ) -> Start[CarryT]:
        if row.carry is None or not row.sound:
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

    def _lists(self, series: Series, since: int, row: SnapshotRow) -> dict[str, PrintedList]:
        """Return the lists of a row: their growth since they began, from a row for each step."""
        before = (
            []
            if since == row.version
            else self._table.growths(series, after=since - 1, upto=row.version - 1)
        )
        steps = {step.version: step for step in (*before, row)}
        lists: dict[str, PrintedList] = {}
        for version in self._steps(since, row):
            step = steps.get(version)
            if step is None or step.grown is None or not step.sound:
                raise _Broken(version)
            try:
                for name, growth_of in unpacked_lists(step.grown).items():
                    lists[name] = grown(lists.get(name, PrintedList()), growth_of)
            except GARBAGE as error:
                raise _Broken(version) from error
        return lists

    def _steps(self, since: int, row: SnapshotRow) -> range:
        return range(since, row.version + 1, self.interval)

    def _discard(self, series: Series, version: int) -> None:
        _logger.info(
            "snapshot %d of %s is missing or broken: it will be made again", version, series
        )
        if self._table.is_writable:
            tried(lambda: self._table.delete(series, version))

    def _series(self, thread_id: str, view: View[CarryT, OptionsT]) -> Series:
        return Series(
            self._tenant,
            thread_id,
            view.name,
            view.options.model_dump_json(),
            f"{FORMAT}.{view.carry_format}.{self.interval}.{self._key_id}",
        )
