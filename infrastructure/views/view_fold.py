"""Fold of a view over one thread, which reads events in chunks."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar

from agentlog.domain.errors import InvalidCursor
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.views.snapshots.snapshot_writer import Start
from agentlog.projections.followed_view import parse_key
from agentlog.projections.view import (
    BEFORE_ALL,
    OptionsT,
    Place,
    Placed,
    Printed,
    View,
    print_items,
)

CarryT = TypeVar("CarryT")
ItemT = TypeVar("ItemT", Placed, Printed, Placed | Printed)

CHUNK = 2000
"""Most events read at once, so that a view of a long thread never holds all of them."""

_FEW = 32
_LONG_BYTES = 4 * 2**20
"""Bytes of events read at once from which on fewer are."""


class Fold(Generic[CarryT, OptionsT]):
    """A fold that stands at `version`, with the view's `carry` there, and only goes forward.

    Events are read, folded, printed and dropped a few at a time, which keeps processor caches warm
    and the garbage collector idle: all of a long view at once takes twice as long, one event at a
    time a fifth longer.
    """

    def __init__(
        self,
        reader: LogReader,
        thread_id: str,
        view: View[CarryT, OptionsT],
        start: Start[CarryT] | None = None,
    ) -> None:
        self._reader = reader
        self._thread_id = thread_id
        self._view = view
        self.version = 0 if start is None else start.version
        self.carry = view.start() if start is None else start.carry
        self.body_bytes = 0
        """Bytes of the bodies that it has read."""
        self.lacking = False
        """Whether it came by a missing content, which may be put back: nothing is kept then."""

    def read(self, upto: int, *, chunk: int = CHUNK) -> Iterator[list[Printed]]:
        """Go on to `upto`; yield the items that each few events settle."""
        return (print_items(settled) for settled in self._steps(upto, chunk))

    def read_all(self, upto: int) -> list[Printed]:
        """Go on to `upto`; return all items settled on the way."""
        return [item for items in self.read(upto) for item in items]

    def advance(self, upto: int) -> None:
        """Go on to `upto`, for the carry there."""
        for _ in self._steps(upto, CHUNK):
            pass

    def rest(self) -> list[Printed]:
        """Return the items that a later event may still change, as they stand at `version`."""
        return print_items(self._view.rest(self.carry))

    def _steps(self, upto: int, chunk: int) -> Iterator[Sequence[Placed | Printed]]:
        while self.version < upto:
            events = self._reader.each_event(
                self._thread_id,
                after=self.version,
                upto=upto,
                limit=chunk,
                long_texts=self._view.reads_long_texts,
            )
            count, before = 0, self.body_bytes
            while few := list(islice(events, _FEW)):
                count += len(few)
                self._view.read_ahead(few)
                self.carry, settled = self._view.fold_to_print(self.carry, few)
                self.version = few[-1].version
                for event in few:
                    self.body_bytes += len(event.body)
                    self.lacking = self.lacking or bool(event.missing)
                yield settled
            if count < chunk:
                self.version = upto
            is_long = self.body_bytes - before > _LONG_BYTES
            chunk = max(chunk // 4, 1) if is_long else min(chunk * 2, CHUNK)


def beyond(place: Place, items: Sequence[ItemT]) -> Sequence[ItemT]:
    """Return the items after a place."""
    if place == BEFORE_ALL:
        return items
    return [item for item in items if (item.version, item.ordinal) > place]


def place_of(cursor: str) -> Place:
    """Return the place that a page's cursor names; raises `InvalidCursor`."""
    try:
        return parse_key(cursor)
    except ValueError as error:
        raise InvalidCursor(cursor) from error
