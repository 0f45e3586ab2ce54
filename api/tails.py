"""Following threads and the log: start, filter, view and pace.

Shared by server-sent events and the command line.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.errors import FutureMoment, InvalidCursor
from agentlog.domain.events import Event
from agentlog.domain.identifiers import check_thread_id
from agentlog.domain.points_in_time import Moment, number_of
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.views.views import Views
from agentlog.projections.filters.columns import ANY_NUMBER, columns_of
from agentlog.projections.filters.expression import (
    ALL,
    Expression,
    Term,
    compare,
    evaluate,
)
from agentlog.projections.followed_view import ItemsLive, Live, PatientLive, StateLive, parse_place
from agentlog.projections.registry import VIEWS, AnyView, choose_view
from agentlog.projections.view import StateView


@dataclass(frozen=True, slots=True)
class FollowRequest:
    """What to follow of a thread.

    `after`: a place to resume after. `at`: the moment to end at. `whole`: from the beginning, where
    a state would start with the present.
    """

    view: AnyView
    after: str | None = None
    at: Moment | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Tail:
    """A view folded up to `version`, to be continued; `present` is the current version."""

    thread_id: str
    live: Live
    version: int
    present: int


@dataclass(frozen=True, slots=True)
class LogFilter:
    """A filter of the log's events."""

    where: Expression = ALL

    @property
    def all(self) -> bool:
        """Whether nothing is filtered out."""
        return self.where == ALL

    @property
    def types(self) -> list[str] | None:
        """The types of which one has to be, None where others may."""
        return sorted(set(columns_of(self.where, {"type": ANY_NUMBER}).values("type"))) or None

    def takes(self, event: Event) -> bool:
        """Return whether an event passes the filter."""
        return bool(evaluate(self.where, partial(_holds, event)))


def _holds(event: Event, term: Term) -> bool:
    match term.name:
        case "type":
            return compare(term, event.type)
        case "thread":
            return compare(term, event.thread_id)
        case _:
            return compare(term, event.metadata.get(term.key or ""))


class Pace:
    """The original pauses between events, divided by `speed`.

    Messages have their producer's clock, facts the store's: a pause is between two times of one
    clock. There is none where a clock ran backwards.
    """

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._last_at: int | None = None
        self._recorded: float | None = None

    def pause(self, event: Event) -> float:
        """Return the seconds to wait before `event`, the next one."""
        recorded = None if event.recorded_at is None else event.recorded_at.timestamp()
        raw = event.raw
        timestamp = raw.get("timestamp") if isinstance(raw, dict) else None
        gap = 0.0
        if event.type in FACT_TYPES:
            if recorded is not None and self._recorded is not None:
                gap = recorded - self._recorded
        elif isinstance(timestamp, int):
            gap = 0.0 if self._last_at is None else (timestamp - self._last_at) / 1000
            self._last_at = timestamp
        self._recorded = recorded
        return max(gap, 0.0) / self._speed


def view_to_tell(name: str, options: Mapping[str, object]) -> AnyView:
    """Return a view with the options that it is followed with."""
    view = VIEWS.get(name)
    given = options if view is None else {**view.follow.options, **options}
    return choose_view(name, given)


def tail_of(views: Views, thread_id: str, asked: FollowRequest, *, hidden: bool = False) -> Tail:
    """Return a thread's view at its start; reads and folds the events up to there.

    Raises:
        UnknownThread: no such thread has been started.
        InvalidCursor: `after` is not a place.
        FutureMoment: the thread has not reached that place or moment.
    """
    view, after = asked.view, asked.after or ""
    head = views.reader.head(check_thread_id(thread_id), hidden=hidden)
    present = views.reader.version_at(head, asked.at)
    if isinstance(view, StateView):
        begin = number_of(after) if after else 0 if asked.whole else present
        _check_there(begin, head.version, thread_id)
        carry = views.fold_to(thread_id, view, begin).carry
        state = StateLive(view, carry, version=begin, known=bool(after))
        return Tail(thread_id, state, begin, present)
    try:
        place, _ = parse_place(after)
    except ValueError as error:
        raise InvalidCursor(after) from error
    _check_there(place[0], head.version, thread_id)
    begin = max(place[0] - 1, 0)  # items settled by one version may be before and after a place
    followed = view.followed()
    carry = views.fold_to(thread_id, followed, begin).carry
    if followed.follow.is_patient:
        return Tail(thread_id, PatientLive(followed, carry, after=after), begin, present)
    return Tail(thread_id, ItemsLive(followed, carry, after=place), begin, present)


def log_place(reader: LogReader, after: str | None) -> int:
    """Return the position in `after`; `latest` is the present.

    Raises:
        InvalidCursor: it is not a position.
    """
    if not after:
        return 0
    return reader.position() if after == "latest" else number_of(after)


def _check_there(version: int, present: int, thread_id: str) -> None:
    if version > present:
        raise FutureMoment(
            f"version {version}", present=f"thread {thread_id!r} is at version {present}"
        )
