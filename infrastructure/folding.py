"""A view's fold over one thread: begun at the nearest snapshot, read in chunks of events."""

from collections.abc import Sequence
from itertools import islice
from typing import Generic, TypeVar

from domain.errors import InvalidCursor
from infrastructure.reader import LogReader
from infrastructure.snapshots import Passed, Snapshots, Start
from projections.view import OptionsT, Placed, Printed, View, print_items

CarryT = TypeVar("CarryT")
ItemT = TypeVar("ItemT", Placed, Printed)

CHUNK = 2000
"""How many events are read at once, at most: a whole view of a long thread never holds them all."""

_FEW = 32
_SPARE = 50

Place = tuple[int, int]
"""Of an item: version and ordinal."""

BEGINNING: Place = (0, -1)
"""Before every item."""


class Fold(Generic[CarryT, OptionsT]):
    """A fold that has come as far as `version`, and can only go on.

    `size` counts the bytes of the bodies that it read and of the items that it printed. Without
    `snapshots` none are kept.

    A few events are read, folded, printed and dropped before the next: so the processor's caches
    have what they take, and each step's code as well, and the garbage collector has no work. All of
    a long view in one go takes twice as long, one event after the other a fifth longer.
    """

    def __init__(
        self,
        reader: LogReader,
        thread_id: str,
        view: View[CarryT, OptionsT],
        start: Start[CarryT],
        *,
        snapshots: Snapshots | None = None,
    ) -> None:
        self._reader = reader
        self._thread_id = thread_id
        self._view = view
        self._start = start
        self._snapshots = snapshots
        self._passed_bytes = self._body_bytes = 0
        self._printed_bytes = 0
        self.version = start.version
        self.carry = start.carry

    @property
    def size(self) -> int:
        """Bytes of the bodies that it read and of the items that it printed."""
        return self._body_bytes + self._printed_bytes

    def read(
        self, upto: int, *, after: Place = BEGINNING, enough: int | None = None, most: int = CHUNK
    ) -> list[Printed]:
        """Fold at most so many more events, none beyond `upto`; return the items they settle.

        Items at `after` and before it are left out; once there are `enough`, the fold stops.
        """
        found: list[Printed] = []
        self._read(upto, found, after=after, enough=enough, most=most)
        self._printed_bytes += sum(len(item.text) for item in found)
        return found

    def _read(
        self,
        upto: int,
        settled: list[Printed] | None,
        *,
        after: Place = BEGINNING,
        enough: int | None = None,
        most: int = CHUNK,
    ) -> None:
        """Do what `read` does, and put items into `settled`, where they are wanted."""
        if self._snapshots is not None and self.version == self._start.version:
            self._start = self._snapshots.looked(self._thread_id, self._start, upto)
        events = self._reader.each_event(self._thread_id, after=self.version, upto=upto, limit=most)
        interval = 0 if self._snapshots is None else self._snapshots.interval
        passed: list[Passed[CarryT]] = []
        stopped = False
        count = 0
        while not stopped and (few := list(islice(events, _FEW))):
            count += len(few)
            self._view.read_ahead(few)
            found: list[Placed] = []
            for event in few:
                self.carry, items = self._view.fold_to_print(self.carry, event)
                self.version = event.version
                self._body_bytes += len(event.body)
                if interval and event.version % interval == 0:
                    size = self._body_bytes - self._passed_bytes
                    passed.append(Passed(event.version, self.carry, size))
                    self._passed_bytes = self._body_bytes
                if items and settled is not None:
                    found += beyond(after, items)
                    if stopped := enough is not None and len(settled) + len(found) >= enough:
                        break
            if settled is not None:
                settled += print_items(found)
        if count < most and not stopped:
            self.version = upto
        if self._snapshots is not None:
            self._start = self._snapshots.keep(self._thread_id, self._view, self._start, passed)

    def page(self, upto: int, *, after: Place, limit: int) -> list[Printed]:
        """Return the items beyond `after` as they stand at `upto`: all, or more than `limit`."""
        found: list[Printed] = []
        while self.version < upto and len(found) <= limit:
            missing = limit + 1 - len(found)
            # some messages come to no item: better a few too many than another round trip
            most = max(after[0] - self.version, 0) + missing + missing // 4 + _SPARE
            found += self.read(upto, after=after, enough=missing, most=min(most, CHUNK))
        if len(found) <= limit:
            found += print_items(beyond(after, self._view.rest(self.carry)))
        return found

    def advance(self, upto: int) -> None:
        """Fold all events up to `upto`; the items they settle are not printed."""
        while self.version < upto:
            self._read(upto, None)

    def read_all(self, upto: int) -> list[Printed]:
        """Fold all events up to `upto`; return the items they settle."""
        settled: list[Printed] = []
        while self.version < upto:
            settled += self.read(upto)
        return settled

    def rest(self) -> list[Printed]:
        """Return the items that a later event may still change, as they stand now."""
        return print_items(self._view.rest(self.carry))


def beyond(place: Place, items: Sequence[ItemT]) -> Sequence[ItemT]:
    """Return the items after a place."""
    if place == BEGINNING:
        return items
    return [each for each in items if (each.version, each.ordinal) > place]


def place_of(cursor: str) -> Place:
    """Return the place that a page's cursor names; raises `InvalidCursor`."""
    version, dot, ordinal = cursor.partition(".")
    digits = cursor.isascii() and version.isdecimal() and ordinal.isdecimal()
    if not (dot and digits and len(cursor) < 40):  # noqa: PLR2004 - two 64-bit numbers
        raise InvalidCursor(cursor)
    return int(version), int(ordinal)
