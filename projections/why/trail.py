"""Where the answers stand to why a run went as it went, by the items of view `timeline`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentlog.domain.json.answers import answer
from agentlog.domain.json.values import integer_at, text_at
from agentlog.projections.outcomes.attempts import CallPlace, Numbered, numbered, place_of
from agentlog.projections.outcomes.words import WordCounts
from agentlog.projections.outline.step import Step, shown_at, total_of
from agentlog.projections.view import Item

_LEAST_OF_LOOP = 3
_MOST_LOOPS = 10


@answer
@dataclass(frozen=True, slots=True)
class RunLoop:
    """Three attempts or more at the same, from one version to another.

    `equal`: all had the same arguments. `hint` is the beginning of a plain one of the first.
    """

    name: str
    hint: str | None
    times: int
    version: int
    last_version: int
    equal: bool


@dataclass(frozen=True, slots=True)
class Trail:
    """Places of a run.

    `failure` is the item of the first failure on record, `doubt` that of the first that is told or
    suspected; `words` counts all. `before` is the item of the latest call begun before the failure,
    else before the doubt, or of the last call where there is neither. `loops` are the longest of
    `loop_count`. `total` has the time and the figures of all. `reply` and `score` are the versions
    of the last ones.
    """

    calls: Mapping[CallPlace, Item]
    total: Step
    numbers: Mapping[CallPlace, Numbered]
    failure: Item | None
    doubt: Item | None
    words: WordCounts
    before: Item | None
    loops: Sequence[RunLoop]
    loop_count: int
    reply: int | None
    score: int | None

    def beside(self, place: CallPlace) -> CallPlace | None:
        """Return the attempt before that of a call, or else the one after it."""
        attempt = self.calls[place].get("attempt")
        if isinstance(attempt, dict):
            return place_of(attempt)
        after = (other for other, item in self.calls.items() if _before(item) == place)
        return next(after, None)


def trail_of(items: Sequence[Item]) -> Trail:
    """Return the places of a run by its items, which have hints and attempts."""
    calls = {
        place: item
        for item in items
        if item["kind"] == "call" and (place := place_of(item)) is not None
    }
    words, failure, doubt = WordCounts(), None, None
    for item in sorted(items, key=shown_at):
        match words.count(item):
            case "failed":
                failure = item if failure is None else failure
            case "told" | "suspected":
                doubt = item if doubt is None else doubt
            case None:
                pass
    first = doubt if failure is None else failure
    numbers = numbered(calls.values())
    loops = _loops(calls, numbers)
    return Trail(
        calls=calls,
        total=total_of(items),
        numbers=numbers,
        failure=failure,
        doubt=doubt,
        words=words,
        before=_latest(calls, None if first is None else integer_at(first, "version")),
        loops=loops[:_MOST_LOOPS],
        loop_count=len(loops),
        reply=_last(items, "reply"),
        score=_last(items, ".score"),
    )


def _latest(calls: Mapping[CallPlace, Item], before: int | None) -> Item | None:
    places = [place for place in calls if before is None or place.version < before]
    return calls[max(places)] if places else None


def _loops(
    calls: Mapping[CallPlace, Item], numbers: Mapping[CallPlace, Numbered]
) -> Sequence[RunLoop]:
    """Return the loops, the longest first."""
    loops: list[RunLoop] = []
    for place, (number, of) in sorted(numbers.items()):
        if number < of or of < _LEAST_OF_LOOP:
            continue
        series = [place]
        while (before := _before(calls[series[-1]])) is not None:
            series.append(before)
        first = calls[series[-1]]
        loops.append(
            RunLoop(
                name=str(first["name"]),
                hint=text_at(first, "hint"),
                times=of,
                version=series[-1].version,
                last_version=place.version,
                equal=len({text_at(calls[attempt], "digest") for attempt in series}) == 1,
            )
        )
    return sorted(loops, key=lambda loop: -loop.times)


def _before(call: Item) -> CallPlace | None:
    attempt = call.get("attempt")
    return place_of(attempt) if isinstance(attempt, dict) else None


def _last(items: Sequence[Item], kind: str) -> int | None:
    versions = [integer_at(item, "version") for item in items if str(item["kind"]).endswith(kind)]
    return max((version for version in versions if version is not None), default=None)
