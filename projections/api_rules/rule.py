"""Rules of an API, each with its source, and what a conversation lacks of them.

A source is the provider's document, or a public report that quotes its error 400.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Never

from agentlog.domain.json.values import JsonObject, JsonValue


class Rule(NamedTuple):
    """What an API takes, in words, and where it says so."""

    says: str
    source: str


class Refusal(NamedTuple):
    """What an API refuses: its place, as `[2].content[0].id`, the rule and its source."""

    place: str
    rule: str
    source: str


@dataclass(frozen=True, slots=True)
class Fit:
    """What a name or an id must be: its pattern, and the most characters."""

    pattern: re.Pattern[str]
    longest: int

    def takes(self, name: object) -> bool:
        """Return whether a value is such a name."""
        return (
            isinstance(name, str)
            and len(name) <= self.longest
            and self.pattern.fullmatch(name) is not None
        )


WORD = re.compile(r"[a-zA-Z0-9_-]+")
"""Letters, digits, `_` and `-`."""

IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
"""The images that OpenAI's and Anthropic's models see."""

Scope = Literal["message", "conversation"]


@dataclass(frozen=True, slots=True)
class Limits:
    """An API's limits that are values: those that checks and repairs share.

    `unique` is where no two calls have one id; None where ids do not count. `cache_marks`: the most
    blocks with `cache_control`.
    """

    call_id: Fit
    tool_name: Fit
    unique: Scope | None
    images: frozenset[str] = IMAGES
    documents: frozenset[str] = frozenset({"application/pdf"})
    cache_marks: int | None = None


class Findings:
    """Collects refusals by the rules of one API."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self._rules = rules
        self.refusals: list[Refusal] = []

    def refuse(self, place: str, rule: str) -> None:
        """Add a refusal by a rule's name."""
        self.refusals.append(Refusal(place, *self._rules[rule]))

    def unless(self, place: str, rule: str, *, taken: bool) -> None:
        """Add a refusal where something is not taken."""
        if not taken:
            self.refuse(place, rule)


def is_object_text(text: object) -> bool:
    """Return whether a value is the text of a JSON object."""
    if not isinstance(text, str) or text[:1] not in _BEGINNINGS:
        return False
    try:
        return isinstance(_DECODER.decode(text), dict)
    except (ValueError, RecursionError):
        return False


def _refuse_constant(text: str) -> Never:
    raise ValueError(text)


_BEGINNINGS = ("{", " ", "\n", "\t", "\r")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse_constant)
"""Takes numbers of any length, and keys that come twice: providers do."""


def data_type(url: str) -> str | None:
    """Return the media type of a data URL, in lower case; None of another URL."""
    if not url.startswith("data:"):
        return None
    return url[len("data:") :].partition(",")[0].partition(";")[0].lower()


def objects_at(values: JsonValue, place: str) -> Iterator[tuple[str, JsonObject]]:
    """Yield the objects in an array with their places."""
    if isinstance(values, list):
        for n, value in enumerate(values):
            if isinstance(value, dict):
                yield f"{place}[{n}]", value


def repeated(names: Iterable[JsonValue]) -> Sequence[int]:
    """Return the indexes of the names that stand before, too."""
    seen: set[str] = set()
    again: list[int] = []
    for n, name in enumerate(names):
        key = str(name)
        if key in seen:
            again.append(n)
        seen.add(key)
    return again
