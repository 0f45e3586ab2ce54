"""Compares threads in a view, as of one position of the log."""

from collections.abc import Sequence
from dataclasses import dataclass

from agentlog.domain.errors import InvalidInput
from agentlog.domain.identifiers import check_thread_id
from agentlog.domain.points_in_time import AtPosition, AtVersion, Moment, parse_moment
from agentlog.infrastructure.views.results import Page
from agentlog.infrastructure.views.views import Views
from agentlog.projections.comparison.alignment import Parting, partings
from agentlog.projections.comparison.comparison import ComparedHistory, Comparison, compare
from agentlog.projections.comparison.steps import StateNotComparable, Stepping, Which
from agentlog.projections.registry import AnyView

MOST_EVENTS = 200_000
"""Events of all threads of one comparison."""


class ComparisonTooLong(InvalidInput):
    """The threads have too many events to compare them at once."""

    def __init__(self, events: int) -> None:
        super().__init__(
            f"the threads have {events} events together, and one comparison reads {MOST_EVENTS}: "
            "compare fewer threads, or earlier moments, as in a=THREAD@VERSION"
        )


@dataclass(frozen=True, slots=True)
class SideAsked:
    """A thread to compare, at a moment or as of the comparison."""

    thread_id: str
    moment: Moment | None = None


def parse_side(text: str) -> SideAsked:
    """Return the side that `THREAD` or `THREAD@MOMENT` names.

    Raises:
        InvalidThreadId: the part before the first `@` is none.
        InvalidMoment: the part after it is none.
    """
    thread_id, at, moment = text.partition("@")
    return SideAsked(check_thread_id(thread_id), parse_moment(moment) if at else None)


@dataclass(frozen=True, slots=True)
class Side:
    """A thread as it was compared; `position` is that of its version, None before the first."""

    thread_id: str
    version: int
    position: int | None
    history: ComparedHistory

    @property
    def count(self) -> int:
        """The number of items."""
        return len(self.history.items)


@dataclass(frozen=True, slots=True)
class Compared:
    """The first side compared with each other one; `parting` is where all of them first part."""

    as_of: int
    view: AnyView
    sides: Sequence[Side]
    comparisons: Sequence[Comparison]
    parting: Parting | None


class Comparer:
    """Comparisons of one tenant's threads."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._reader = views.reader

    def compare(
        self,
        asked: Sequence[SideAsked],
        view: AnyView,
        *,
        which: Which = "all",
        as_of: int | None = None,
    ) -> Compared:
        """Compare the first side with each other one, as of a position or the log's end.

        Raises:
            NotThere: a thread or its moment is not there.
            StateNotComparable: the view is one state.
            ComparisonTooLong: the threads have too many events.
            TooFarApart: two sides differ over too many items.
        """
        stepping = [Stepping(view, which) for _ in asked]
        own_versions = [
            None if side.moment is None else self._version(side.thread_id, side.moment)
            for side in asked
        ]
        position = self._reader.position() if as_of is None else as_of  # at or after each moment
        versions = [
            self._version(side.thread_id, AtPosition(position)) if known is None else known
            for side, known in zip(asked, own_versions, strict=True)
        ]
        if sum(versions) > MOST_EVENTS:
            raise ComparisonTooLong(sum(versions))
        sides = [
            self._side(side.thread_id, view, version, steps)
            for side, version, steps in zip(asked, versions, stepping, strict=True)
        ]
        first, *others = [side.history for side in sides]
        parted = partings([side.history.steps for side in sides])
        return Compared(
            position,
            view,
            sides,
            [compare(first, other) for other in others],
            parted[0] if parted else None,
        )

    def _version(self, thread_id: str, moment: Moment) -> int:
        return self._reader.version_at(self._reader.head(thread_id), moment)

    def _side(self, thread_id: str, view: AnyView, version: int, stepping: Stepping) -> Side:
        page = self._views.view(thread_id, view, at=AtVersion(version))
        if not isinstance(page, Page):
            raise StateNotComparable(view.name)
        history = ComparedHistory.of(stepping.steps(page.items))
        return Side(thread_id, version, page.position, history)
