"""The groups of a thread, from the items of the view `timeline`.

Groups never cross: whatever begins and ends how, each lies within another one or beside it. One
that overlaps another makes that last as long; one without an end lasts as long as what it lies in.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agentlog.domain.json.values import object_of, text_at
from agentlog.projections.outcomes.words import WordCounts
from agentlog.projections.outline.step import TIMELESS, Step, add_to, measured, shown_at
from agentlog.projections.view import Item

MOST_DEPTH = 32
"""Groups around a group; what lies deeper is none."""


@dataclass(slots=True)
class Group:
    """Events that belong together, those of `version` to `end_version`.

    `depth` counts the groups around it; without `is_closed` its end is not on record. `words`
    counts what failed, is told or suspected; `total` has the times and figures of all in it.
    """

    name: str
    version: int
    end_version: int
    is_closed: bool = True
    depth: int = 0
    words: WordCounts = field(default_factory=WordCounts)
    total: Step = field(default_factory=lambda: Step(0, 0, "group"))

    @property
    def events(self) -> int:
        """How many events it has."""
        return self.end_version - self.version + 1

    def count(self, item: Item) -> None:
        """Count an item of the timeline in."""
        self.words.count(item)
        if item["kind"] not in TIMELESS:
            add_to(self.total, measured(item))

    def take_in(self, inner: "Group") -> None:
        """Count a group inside it in."""
        self.words.add(inner.words)
        add_to(self.total, inner.total)


def groups_of(items: Sequence[Item], last: int) -> list[Group]:
    """Return the groups of a thread whose last version is `last`, in their order.

    An event alone is no group.
    """
    placed = sorted(items, key=shown_at)
    marked = [(shown_at(item), object_of(item["group"])) for item in placed if "group" in item]
    groups = _nest([*_spans(marked, last)], last)
    _measure(groups, placed)
    return groups


def _spans(marked: Sequence[tuple[int, Item]], last: int) -> Iterator[Group]:
    """Yield what begins; an end not known is 0."""
    begun: dict[str | None, list[Group]] = {}
    runs: list[tuple[str, Group]] = []
    for version, mark in marked:
        key, name = text_at(mark, "id"), text_at(mark, "name") or "group"
        match mark["mark"]:
            case "run":
                while runs and runs[-1][0] != text_at(mark, "parent"):
                    runs.pop()[1].end_version = version - 1
                runs.append((key or "", Group(name, version, last)))
                yield runs[-1][1]
            case "end":
                if open_groups := begun.get(key):
                    group = open_groups.pop()
                    group.end_version, group.is_closed = version, True
            case _:
                group = Group(name, version, 0, is_closed=False)
                begun.setdefault(key, []).append(group)
                yield group


def _nest(spans: Sequence[Group], last: int) -> list[Group]:
    """Return groups that never cross, each with its depth."""
    around: list[Group] = []
    groups: list[Group] = []
    for span in spans:
        while around and around[-1].end_version < span.version:
            around.pop()
        if len(around) > MOST_DEPTH:
            continue
        if not span.end_version:
            span.end_version = around[-1].end_version if around else last
        for outer in around:
            outer.end_version = max(outer.end_version, span.end_version)
        span.depth = len(around)
        around.append(span)
        groups.append(span)
    return [group for group in groups if group.events > 1]


def _measure(groups: Sequence[Group], placed: Sequence[Item]) -> None:
    """Count each item into the groups that it lies in."""
    around: list[Group] = []
    following = iter([*groups, None])
    group = next(following)
    for item in placed:
        version = shown_at(item)
        while group is not None and group.version <= version:
            _leave(around, group.version)
            around.append(group)
            group = next(following)
        _leave(around, version)
        if around:
            around[-1].count(item)
    _leave(around, None)


def _leave(around: list[Group], version: int | None) -> None:
    while around and (version is None or around[-1].end_version < version):
        inner = around.pop()
        if around:
            around[-1].take_in(inner)
