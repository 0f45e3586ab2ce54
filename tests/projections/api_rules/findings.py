"""What a conversation lacks of the rules of an API."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.projections.api_rules.rule import Rule

SOURCE = re.compile(r"https://\S+|[\w.-]+/[\w.-]+#\d+(, [\w.-]+/[\w.-]+#\d+)*")


class Refusal(NamedTuple):
    """What an API refuses: its place, as `[2].content[0].id`, the rule and its source."""

    place: str
    rule: str
    source: str


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
