"""A tape: the recorded exchanges of a run, which answer the requests of another run of it."""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue, array_of
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.request_keys import (
    RUNGS,
    KeyedRequest,
    Rung,
    common_items,
    first_difference,
    keyed,
)

_SHOWN, _BEFORE = 300, 60
"""Characters of each form of a difference, and how many of them are equal before it."""
_UNSEEN = frozenset({"client_left", "recorder_died"})
"""How attempts ended whose answer the client did not wait for."""


class Difference(NamedTuple):
    """Where a request that is not on the tape differs from the recorded one that is nearest."""

    attempt: int
    """The attempt of the nearest one."""
    place: str
    recorded: str
    asked: str


@dataclass(slots=True)
class ReplayReport:
    """What came of a replay: how many requests were found by each rung, and what was not."""

    rungs: dict[Rung, int] = field(default_factory=lambda: dict.fromkeys(RUNGS, 0))
    others: int = 0
    """Requests that ask no model, answered as recorded."""
    reconstructed: int = 0
    """Answers that were built from messages: what was sent beside them is not known."""
    unmatched: list[tuple[Exchange, Difference | None]] = field(default_factory=list)
    unused: list[Exchange] = field(default_factory=list)
    """Recorded calls with tools that nothing asked for."""

    @property
    def is_equal(self) -> bool:
        """Whether the run is as recorded: every request was found, every answer was used."""
        return not self.unmatched and not self.unused


class Tape:
    """Finds the recorded answer of each request: by the strictest key first, over all of the run.

    Equal requests get their answers in the recorded order, each once. Requests that ask no model
    are answered as often as they come.
    """

    def __init__(self, exchanges: Sequence[Exchange], values: Mapping[str, str]) -> None:
        self.report = ReplayReport()
        self._recorded = [(exchange, keyed(exchange, values)) for exchange in exchanges]
        self._used: set[int] = set()
        self._by_key: dict[bytes, deque[int]] = defaultdict(deque)
        for number, (exchange, request) in enumerate(self._recorded):
            if exchange.end not in _UNSEEN:
                for key in request.keys:
                    self._by_key[key].append(number)

    def answer(self, exchange: Exchange, values: Mapping[str, str]) -> Exchange | Difference | None:
        """Return the recorded exchange of a request, else how it differs, if from any."""
        request = keyed(exchange, values)
        if exchange.api is None:
            return self._other(exchange, request)
        for rung, key in zip(RUNGS, request.keys, strict=True):
            numbers = self._by_key[key]
            while numbers and numbers[0] in self._used:
                numbers.popleft()
            if numbers:
                self._used.add(numbers[0])
                self.report.rungs[rung] += 1
                return self._recorded[numbers[0]][0]
        difference = self._nearest(request)
        self.report.unmatched.append((exchange, difference))
        return difference

    def finish(self) -> ReplayReport:
        """Return the report, with what is unused."""
        self.report.unused = [
            exchange
            for number, (exchange, request) in enumerate(self._recorded)
            if number not in self._used
            and exchange.end not in _UNSEEN
            and array_of(request.parts.get("tools"))
        ]
        return self.report

    def _other(self, exchange: Exchange, request: KeyedRequest) -> Exchange | None:
        numbers = self._by_key[request.keys[0]]
        if not numbers:
            self.report.unmatched.append((exchange, None))
            return None
        self.report.others += 1
        return self._recorded[numbers[0]][0]

    def _nearest(self, request: KeyedRequest) -> Difference | None:
        """Return how a request differs from the unused one that it shares the most items with."""
        free = [
            (exchange, recorded)
            for number, (exchange, recorded) in enumerate(self._recorded)
            if number not in self._used and exchange.api is not None
        ]
        if not free:
            return None
        exchange, nearest = max(free, key=lambda pair: common_items(pair[1].parts, request.parts))
        difference = first_difference(nearest.parts, request.parts)
        if difference is None:
            return None
        place, recorded, asked = difference
        return Difference(exchange.attempt, place, _shown(recorded, asked), _shown(asked, recorded))


def _shown(value: JsonValue, other: JsonValue) -> str:
    """Return the part of a value from just before the place where another differs."""
    text = print_text(value)
    equal = takewhile(lambda pair: pair[0] == pair[1], zip(text, print_text(other), strict=False))
    start = max(0, sum(1 for _ in equal) - _BEFORE)
    shown = text[start : start + _SHOWN]
    return ("…" if start else "") + shown + ("…" if start + _SHOWN < len(text) else "")
