"""Changes of a value: where in a thread the matches of a JSONPath over a state differ."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agentlog.domain.errors import InvalidInput
from agentlog.domain.events import Event
from agentlog.domain.identifiers import check_thread_id
from agentlog.domain.json.answers import Time, answer
from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.domain.points_in_time import Moment
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.search.json_path import Predicate, timer
from agentlog.infrastructure.views.view_fold import CHUNK
from agentlog.infrastructure.views.views import Views
from agentlog.projections.comparison.changes import shortened
from agentlog.projections.registry import VIEWS, AnyView
from agentlog.projections.view import StateView

MOST_EVENTS = 10_000
"""Events that are examined at once."""

SECONDS = 2.0
"""After this the answer has what was found so far."""

_FEW = 250


class NotOneState(InvalidInput):
    """The view is a list of items: it has no state whose values change."""

    def __init__(self, view: str) -> None:
        states = ", ".join(name for name, view in VIEWS.items() if issubclass(view, StateView))
        super().__init__(
            f"the view {view!r} is a list of items: take one that is a state ({states}), or search "
            "messages by JSONPath (search, where)"
        )


@answer
@dataclass(frozen=True, slots=True)
class ValueChange:
    """A message after which a path selects other values than before it.

    `count` is how many they are. `cut`: they are not shown whole; `values` is null where they are
    too large even then.
    """

    version: int
    position: int
    recorded_at: Time
    values: list[Any] | None
    count: int
    cut: bool


@answer
@dataclass(frozen=True, slots=True)
class ValueChanges:
    """The changes of the values up to the version `examined`.

    With `next` there are later versions, and there may be more changes: a page may have few or
    none, as a request examines a bounded number of messages.
    """

    thread_id: str
    examined: int
    items: Sequence[ValueChange]
    next: str | None


def value_changes(  # noqa: PLR0913 - what is asked
    views: Views,
    thread_id: str,
    view: AnyView,
    path: str,
    *,
    after: int = 0,
    at: Moment | None = None,
    limit: int = 100,
    hidden: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> ValueChanges:
    """Return where the values that a JSONPath selects in a state change, after a version.

    At most `MOST_EVENTS` are examined, for about `SECONDS`.

    Raises:
        NotOneState: the view is a list of items.
        InvalidJsonPath: `path` is no JSONPath.
        PathTooSlow: it takes too long on one state.
        NotThere: the thread or the moment is not there.
    """
    if not isinstance(view, StateView):
        raise NotOneState(view.name)
    watched = _Watched(thread_id, view, Predicate(path, parameter="path"), clock)
    head = views.reader.head(check_thread_id(thread_id), hidden=hidden)
    upto = views.reader.version_at(head, at)
    until = clock() + SECONDS
    fold = views.fold_to(thread_id, view, min(after, upto))
    carry, examined = fold.carry, fold.version
    watched.news(carry, examined)
    changes: list[ValueChange] = []
    for event in _events(views.reader, thread_id, examined, min(upto, examined + MOST_EVENTS)):
        carry, _ = view.fold(carry, event)
        examined = event.version
        values = watched.news(carry, examined)
        if values is not None:
            cut: tuple[Any, bool] = shortened(values)
            position: Any = event.position  # of an event of the log it is there, as is the time
            recorded_at: Any = event.recorded_at
            changes.append(
                ValueChange(examined, position, recorded_at, cut[0], len(values), cut[1])
            )
        if len(changes) == limit or clock() > until:
            break
    return ValueChanges(thread_id, examined, changes, str(examined) if examined < upto else None)


def _events(reader: LogReader, thread_id: str, after: int, upto: int) -> Iterator[Event]:
    """Yield events with their places; few are read at first, as changes may soon fill a page."""
    few = _FEW
    while after < upto:
        end = min(after + few, upto)
        yield from reader.events(thread_id, after=after, upto=end)
        after, few = end, min(2 * few, CHUNK)


class _Watched:
    """The values that a path selects in a state, as it goes on."""

    def __init__(
        self,
        thread_id: str,
        view: StateView[Any, Any],
        predicate: Predicate,
        clock: Callable[[], float],
    ) -> None:
        self._thread_id = thread_id
        self._view = view
        self._predicate = predicate
        self._clock = clock
        self._state = self._values = b""

    def news(self, carry: Any, version: int) -> list[JsonValue] | None:  # noqa: ANN401 - a view's
        """Return the values in the state at a version; None if they are as the time before."""
        state = print_bytes(self._view.printable(carry, self._predicate.members))
        if state == self._state:
            return None
        self._state = state
        tick = timer("path", self._thread_id, version, seconds=SECONDS, clock=self._clock)
        values = [value for _, value in self._predicate.matches(parse_stored(state), tick)]
        printed = print_bytes(values)
        if printed == self._values:
            return None
        self._values = printed
        return values
