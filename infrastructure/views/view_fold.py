"""Fold of a view over one thread: begins at the nearest snapshot, reads events in chunks."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar

from agentlog.domain.errors import InvalidCursor
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.views.snapshots.snapshot_writer import Passed, SnapshotWriter, Start
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.projections.followed_view import parse_key
from agentlog.projections.view import OptionsT, Placed, Printed, StateView, View, print_items

CarryT = TypeVar("CarryT")
ItemT = TypeVar("ItemT", Placed, Printed, Placed | Printed)

CHUNK = 2000
"""Most events read at once, so that a view of a long thread never holds all of them."""

_FEW = 32
_SPARE = 50
_MOST_STRIDE = 16  # times the rows that a chunk has

Place = tuple[int, int]
"""Place of an item: version and ordinal."""

BEGINNING: Place = (0, -1)
"""The place before all items."""


class Fold(Generic[CarryT, OptionsT]):
    """A fold that stands at `version` and only goes forward.

    It begins at `start`, or at the last version up to `begin` where it can: where one of the
    `snapshots` may be. From there it returns the items that snapshots hold, already printed, and
    loads a carry only where it has to fold. What it folds is kept as snapshots.

    Events are read, folded, printed and dropped a few at a time, which keeps processor caches warm
    and the garbage collector idle: all of a long view at once takes twice as long, one event at a
    time a fifth longer.
    """

    def __init__(  # noqa: PLR0913 - what is folded, and from where
        self,
        reader: LogReader,
        thread_id: str,
        view: View[CarryT, OptionsT],
        start: Start[CarryT] | None = None,
        *,
        begin: int = 0,
        snapshots: Snapshots | None = None,
    ) -> None:
        self._reader = reader
        self._thread_id = thread_id
        self._view = view
        self._snapshots = snapshots
        self._interval = 0 if snapshots is None else snapshots.interval
        self._keeps_items = snapshots is not None and not isinstance(view, StateView)
        self._may_take = self._keeps_items
        self._stride = 1
        self._writer: SnapshotWriter[CarryT] | None = None
        self._span: list[Printed] = []  # settled since the last multiple of the interval
        self._passed_bytes = self._body_bytes = self._printed_bytes = 0
        if start is None:
            start = Start(self._place_before(begin), view.start())
        self.version = start.version
        self.lacking = False
        """Whether it came by a missing content, which may be put back: nothing is kept then."""
        self._carry = start.carry
        self._carry_is_here = snapshots is None

    def _place_before(self, version: int) -> int:
        """Return where the fold can begin without a carry, or where a carry may be kept."""
        if self._interval:
            return version - version % self._interval
        return version if self._view.begins_anywhere else 0

    @property
    def carry(self) -> CarryT:
        """The view's carry just after `version`."""
        if not self._carry_is_here:
            self._find_carry()
        return self._carry

    @property
    def size(self) -> int:
        """Bytes of the bodies it read and of the items it printed or loaded."""
        return self._body_bytes + self._printed_bytes

    def read(
        self, upto: int, *, after: Place = BEGINNING, enough: int | None = None, most: int = CHUNK
    ) -> list[Printed]:
        """Go on by about `most` events, not beyond `upto`; return the items they settle.

        Items up to and including `after` are left out; it stops once there are `enough`.
        """
        items = self._taken(upto, after=after, enough=enough, most=most)
        if items is None:
            items = []
            self._fold(upto, items, after=after, enough=enough, most=most)
        self._printed_bytes += sum(len(item.text) for item in items)
        return items

    def _taken(
        self, upto: int, *, after: Place, enough: int | None, most: int
    ) -> list[Printed] | None:
        """Go on by the items of snapshots; None if the next ones are not kept."""
        begin, interval = self.version, self._interval
        if self._snapshots is None or not self._may_take or begin % interval:
            return None
        if begin + interval > upto:
            return None
        limit = -(-most // interval) * self._stride
        taken: list[Printed] = []
        kept = self._snapshots.items(
            self._thread_id, self._view, after=begin, upto=upto, limit=limit
        )
        for version, items in kept:
            taken += beyond(after, items)
            self.version, self._carry_is_here = version, False
            if enough is not None and len(taken) >= enough:
                break
        else:
            self._may_take = self.version == begin + limit * interval
            if len(taken) < limit:  # a view of few items, spread over the thread
                self._stride = min(2 * self._stride, _MOST_STRIDE)
        return taken if self.version > begin else None

    def _find_carry(self) -> None:
        """Load the nearest snapshot with a carry and fold from there to `version`."""
        version, snapshots = self.version, self._snapshots
        if snapshots is not None:
            self._writer = snapshots.nearest(self._thread_id, self._view, version)
            self.version, self._carry = self._writer.start.version, self._writer.start.carry
            self._passed_bytes, self._span = self._body_bytes, []
        self._carry_is_here = True
        self.advance(version)

    def _fold(
        self,
        upto: int,
        settled: list[Printed] | None,
        *,
        after: Place = BEGINNING,
        enough: int | None = None,
        most: int = CHUNK,
    ) -> None:
        """Fold at most `most` more events; put items into `settled`, unless that is None."""
        carry = self.carry  # before `version` is read: loading the carry may change it
        writer, interval = self._writer, self._interval
        if writer is not None and self.version == writer.start.version:
            writer.look(upto)
        events = self._reader.each_event(
            self._thread_id,
            after=self.version,
            upto=upto,
            limit=most,
            long_texts=self._view.reads_long_texts,
        )
        missing = None if settled is None or enough is None else enough - len(settled)
        passed: list[Passed[CarryT]] = []
        stopped = False
        count = 0
        while not stopped and (few := list(islice(events, _FEW))):
            count += len(few)
            self._view.read_ahead(few)
            settling: list[Placed | Printed] = []
            for event in few:
                carry, items = self._view.fold_to_print(carry, event)
                self.version = event.version
                self._body_bytes += len(event.body)
                self.lacking = self.lacking or bool(event.missing)
                if items:
                    settling += items
                    if missing is not None:
                        missing -= len(beyond(after, items))
                        stopped = missing <= 0
                if interval and event.version % interval == 0:
                    self._print(settling, settled, after)
                    settling = []
                    passed.append(self._passed(carry))
                if stopped:
                    break
            self._print(settling, settled, after)
        self._carry = carry
        if count < most and not stopped:
            self.version = upto
        if writer is not None and not self.lacking:
            writer.add(passed)

    def _print(
        self, items: Sequence[Placed | Printed], settled: list[Printed] | None, after: Place
    ) -> None:
        """Print items if they are to be returned or kept."""
        if settled is None and not self._keeps_items:
            return
        printed = print_items(items)
        if self._keeps_items:
            self._span += printed
        if settled is not None:
            settled += beyond(after, printed)

    def _passed(self, carry: CarryT) -> Passed[CarryT]:
        """Return what to keep at `version`, and begin the next interval."""
        size = self._body_bytes - self._passed_bytes
        items = self._span if self._keeps_items else None
        self._passed_bytes, self._span = self._body_bytes, []
        return Passed(self.version, carry, size, items)

    def page(self, upto: int, *, after: Place, limit: int) -> list[Printed]:
        """Return the items after `after` as they stand at `upto`: all, or more than `limit`."""
        items: list[Printed] = []
        while self.version < upto and len(items) <= limit:
            missing = limit + 1 - len(items)
            # some messages yield no item: a few events too many cost less than a round trip
            most = max(after[0] - self.version, 0) + missing + missing // 4 + _SPARE
            items += self.read(upto, after=after, enough=missing, most=min(most, CHUNK))
        if len(items) <= limit:
            items += print_items(beyond(after, self._view.rest(self.carry)))
        return items

    def advance(self, upto: int) -> None:
        """Fold all events up to `upto`, for the carry there."""
        while self.version < upto:
            self._fold(upto, None)

    def read_all(self, upto: int) -> list[Printed]:
        """Go on to `upto`; return all items settled on the way."""
        settled: list[Printed] = []
        while self.version < upto:
            settled += self.read(upto)
        return settled

    def items(self, upto: int) -> Iterator[Printed]:
        """Yield all items as they stand at `upto`, without holding all of them."""
        while self.version < upto:
            yield from self.read(upto)
        yield from self.rest()

    def rest(self) -> list[Printed]:
        """Return the items that a later event may still change, as they stand now."""
        return print_items(self._view.rest(self.carry))


def beyond(place: Place, items: Sequence[ItemT]) -> Sequence[ItemT]:
    """Return the items after a place."""
    if place == BEGINNING:
        return items
    return [item for item in items if (item.version, item.ordinal) > place]


def place_of(cursor: str) -> Place:
    """Return the place that a page's cursor names; raises `InvalidCursor`."""
    try:
        return parse_key(cursor)
    except ValueError as error:
        raise InvalidCursor(cursor) from error
