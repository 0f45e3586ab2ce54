"""Writes the snapshots of a view along a thread."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from agentlog.infrastructure.views.snapshots.encoding import packed, packed_items, packed_lists
from agentlog.infrastructure.views.snapshots.table import Series, SnapshotRow, SnapshotTable, tried
from agentlog.projections.carries.growth import growth, without_lists
from agentlog.projections.view import OptionsT, Printed, View

CarryT = TypeVar("CarryT")


@dataclass(frozen=True, slots=True)
class Start(Generic[CarryT]):
    """Where a fold begins, just after `version`, and the base of the next snapshots.

    `since` and `size` are those of the snapshot, the latter in bytes; `behind` counts the bytes of
    the events since the latest snapshot with a carry. `erased` is the number of the thread's latest
    erasure when it was read, None if that was not read.
    """

    version: int
    carry: CarryT
    since: int = 0
    size: int = 0
    behind: int = 0
    erased: int | None = None


@dataclass(frozen=True, slots=True)
class Passed(Generic[CarryT]):
    """A carry that a fold passed, and the items settled since the one before; None for a state.

    `size` is that of the events since the one before, in bytes.
    """

    version: int
    carry: CarryT
    size: int
    items: Sequence[Printed] | None = None


class SnapshotWriter(Generic[CarryT]):
    """The snapshots of one view of one thread from `start` on: writes those that are missing.

    Snapshots stand at multiples of an interval. A carry is kept if its bytes, without its lists,
    are at most `share` of those of the events since the one before.

    Make it before the first events are read: anything erased later may be in their carries.
    """

    def __init__(
        self,
        table: SnapshotTable,
        series: Series,
        view: View[CarryT, OptionsT],
        start: Start[CarryT],
        *,
        share: float,
    ) -> None:
        self._table = table
        self._series = series
        self._dump = view.dump
        self._share = share
        self._is_first = start.version == 0
        self._erased = start.erased
        if self._erased is None:
            self._erased = tried(lambda: table.erased(series.tenant, series.thread_id))
        self._at = start  # the last that is kept; it lags behind the fold

    def write(self, passed: Sequence[Passed[CarryT]]) -> None:
        """Write the carries and items passed since the time before, at each multiple."""
        erased = self._erased
        if erased is None:
            return
        versions = [carry.version for carry in passed]
        known = tried(lambda: self._table.kept(self._series, versions)) or {}
        rows: list[SnapshotRow] = []
        for carry in passed:
            self._step(carry, known, rows)
        if rows:
            tried(
                lambda: self._table.insert(self._series, rows, alone=self._is_first, erased=erased)
            )

    def _step(
        self, now: Passed[CarryT], known: Mapping[int, bool], rows: list[SnapshotRow]
    ) -> None:
        """Add the row for one carry, if it is to be kept, and go on to it."""
        before = self._at
        lists = growth(before.carry, now.carry)
        follows = lists is not None and any(growth_of.kept for growth_of in lists.values())
        since = before.since if follows else now.version
        behind, size = before.behind + now.size, before.size
        carry: bytes | None = None
        if now.version not in known:
            # a carry too large the last time is printed again only once it may be worth it
            if size <= behind * self._share:
                began = b"null" if lists is None else b"%d" % since
                printed = packed(b"[%b,%b]" % (began, self._dump(without_lists(now.carry))))
                size = len(printed)
                carry = printed if size <= behind * self._share else None
            grown = None if lists is None else packed_lists(lists)
            items = None if now.items is None else packed_items(now.items)
            if not (carry is None and grown is None and items is None):
                rows.append(SnapshotRow(now.version, carry, grown, items))
        if carry is not None or known.get(now.version):
            behind = 0
        self._at = Start(now.version, now.carry, since, size, behind)
