"""Attempts: which calls try again what an earlier call tried.

A call is the next attempt of a series of calls of the same tool

- if its arguments equal those of the latest attempt, whatever came of that one;
- or if the latest attempt has failed, by what its result states or by a rule of suspicion over it,
  and at least half of the arguments are equal. Of two texts the share of common words counts.

Other calls and steps between do not end a series. The rule looks back only, at the latest 32
series, so that a number never changes as a thread grows. An erased call is no attempt.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple
from zlib import crc32

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, integer_at, object_at

_MOST_SERIES = 32
_MOST_WORDS = 32
_LONGEST_TEXT = 2000
_LEAST_SHARE = 0.5
_WORD = re.compile(r"\w+")


class CallPlace(NamedTuple):
    """Where a call is: the version of its message, and its number there, from 0."""

    version: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class Series:
    """A series of `number` attempts, by its latest: where it was called, and whether it failed.

    `tool` and `words` are checksums, of the tool's name and of the words of each argument.
    """

    digest: str
    tool: int
    words: dict[str, tuple[int, ...]]
    place: CallPlace
    number: int = 1
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Attempts:
    """The series that may go on, the one called last at the end; survives JSON."""

    series: tuple[Series, ...] = ()

    def called(
        self, tool: str, arguments: JsonValue, *, digest: str, place: CallPlace
    ) -> tuple["Attempts", Series | None]:
        """Return the attempts after a call, and the series as it was where it goes one on."""
        new = Series(digest, _checksum(tool), _words(arguments), place)
        before = next((series for series in reversed(self.series) if _goes_on(series, new)), None)
        if before is not None:
            new = replace(new, number=before.number + 1)
        others = [series for series in self.series if series is not before]
        return Attempts((*others, new)[-_MOST_SERIES:]), before

    def failed(self, place: CallPlace) -> "Attempts":
        """Return the attempts after the result of a call that has failed."""
        return Attempts(
            tuple(
                replace(series, failed=True) if series.place == place else series
                for series in self.series
            )
        )


class Numbered(NamedTuple):
    """The number of an attempt, and how many there are in its series."""

    number: int
    of: int


def numbered(items: Iterable[JsonObject]) -> dict[CallPlace, Numbered]:
    """Return the calls that are attempts of a series of several, from items of view `timeline`."""
    before: dict[CallPlace, CallPlace] = {}
    numbers: dict[CallPlace, int] = {}
    for item in items:
        place, attempt = place_of(item), object_at(item, "attempt")
        earlier = place_of(attempt)
        if place is not None and earlier is not None:
            before[place], numbers[place] = earlier, integer_at(attempt, "number") or 0
    series: dict[CallPlace, Numbered] = {}
    for place in numbers.keys() - before.values():  # the last of each series
        step: CallPlace | None = place
        while step is not None:
            series[step] = Numbered(numbers.get(step, 1), numbers[place])
            step = before.get(step)
    return series


def place_of(item: JsonObject) -> CallPlace | None:
    """Return the place of a call's item, or of the attempt before that an item names."""
    version, ordinal = integer_at(item, "version"), integer_at(item, "ordinal")
    return None if version is None or ordinal is None else CallPlace(version, ordinal)


def _goes_on(series: Series, new: Series) -> bool:
    if series.digest == new.digest:
        return True
    return series.failed and series.tool == new.tool and _alike(series.words, new.words)


def _alike(a: dict[str, tuple[int, ...]], b: dict[str, tuple[int, ...]]) -> bool:
    names = a.keys() | b.keys()
    common = sum(_share(set(a[name]), set(b[name])) for name in a.keys() & b.keys())
    return bool(names) and common / len(names) >= _LEAST_SHARE


def _share(a: set[int], b: set[int]) -> float:
    return len(a & b) / max(len(a), len(b))


def _words(arguments: JsonValue) -> dict[str, tuple[int, ...]]:
    """Return checksums of the words of each argument, at least one and not more than 32 in all."""
    named = arguments if isinstance(arguments, dict) else {"": arguments}
    few = sorted(named.items())[:_MOST_WORDS]
    most = _MOST_WORDS // max(len(few), 1)
    return {
        f"{_checksum(name):x}": tuple(map(_checksum, _parts(value)[:most])) for name, value in few
    }


def _parts(value: JsonValue) -> list[str]:
    if isinstance(value, str):
        text = value[:_LONGEST_TEXT]
        return _WORD.findall(text) or [text]
    return [print_bytes(value, sort_keys=True).decode()]


def _checksum(text: str) -> int:
    return crc32(text.encode("utf-8", "replace"))
