"""A tape: the recorded exchanges of a run, which answer the requests of another run of it."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal, NamedTuple

from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue, array_of
from agentlog.extensions.runs.projections.tapes.cassette import RecordedRun, masks_of
from agentlog.extensions.runs.projections.tapes.changes import NoSuchField
from agentlog.extensions.runs.projections.tapes.places import Recorded, next_place
from agentlog.extensions.runs.projections.tapes.request_keys import (
    RUNGS,
    KeyedRequest,
    Rung,
    common_items,
    exact_parts,
    first_difference,
    is_of_lane,
    keyed,
)
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.masking import masked_exchange

_SHOWN, _BEFORE = 300, 60
"""Characters of each form of a difference, and how many of them are equal before it."""


class Difference(NamedTuple):
    """Where a request differs from a recorded one: that which answers it, or the nearest one."""

    attempt: int
    """The attempt of the recorded one."""
    place: str
    recorded: str
    asked: str

    def lines(self) -> Iterator[str]:
        """Yield the place and both forms, in lines to read."""
        yield f"  {self.place} differs from that of exchange {self.attempt}"
        yield f"  recorded  {self.recorded}"
        yield f"  now       {self.asked}"


class Answered(NamedTuple):
    """The recorded exchange that answers a request, and how it was found."""

    exchange: Exchange
    by: Rung | Literal["place", "other"]


class Live(NamedTuple):
    """A request beyond the tape, for the provider; `is_main`: of the conversation that forks."""

    is_main: bool


class RequestAnswer(NamedTuple):
    """How a request was answered: from the tape, by the provider, or by what was put in.

    The answer is that of an attempt: of a recorded run, or of the replay where `run` is None.
    """

    request: int
    """The number of the request in the replay, from 1."""
    by: Rung | Literal["place", "live", "given"]
    attempt: int
    run: str | None = None
    difference: Difference | None = None
    """The first place where the request was not equal; None where it was, or was not recorded."""


@dataclass(slots=True)
class ReplayReport:
    """What came of a replay: how each request was answered, and what was not found or not used."""

    answers: list[RequestAnswer] = field(default_factory=list)
    others: int = 0
    """Requests that ask no model, answered as recorded."""
    reconstructed: int = 0
    """Answers that were built from messages: what was sent beside them is not known."""
    masked: int = 0
    """Exchanges of the tape that were masked on record."""
    unmatched: list[tuple[Exchange, Difference | None]] = field(default_factory=list)
    unused: list[Exchange] = field(default_factory=list)
    """Recorded calls with tools that nothing asked for."""

    @property
    def rungs(self) -> dict[Rung, int]:
        """How many requests were found by each rung."""
        return {rung: self._count(rung) for rung in RUNGS}

    @property
    def placed(self) -> int:
        """How many requests were answered by their place alone."""
        return self._count("place")

    @property
    def live(self) -> int:
        """How many requests beyond the tape a provider was asked."""
        return self._count("live")

    @property
    def given(self) -> int:
        """How many requests beyond the tape were answered by what was put in."""
        return self._count("given")

    def _count(self, by: str) -> int:
        return sum(answer.by == by for answer in self.answers)

    @property
    def is_equal(self) -> bool:
        """Whether the run is as recorded: every request was found, every answer was used."""
        return not self.unmatched and not self.unused and not self.placed


class Tape:
    """Finds the recorded answer of each request: by the strictest key first, over all of the run.

    Equal requests get their answers in the recorded order, each once. Requests that ask no model
    are answered as often as they come. Of a run whose machine is not known, no texts of a machine
    are replaced. With the request `goes_on` that was asked after the tape,
    what is not on it is live once the last answer in that conversation is used. With `by_place`
    what is not on it gets the next answer of its conversation, if its last input is the same.
    """

    def __init__(
        self, recorded: RecordedRun, goes_on: Exchange | None = None, *, by_place: bool = False
    ) -> None:
        self.report = ReplayReport()
        self._recorded = [
            (exchange, keyed(exchange, stage.values))
            for stage in recorded.stages
            for exchange in stage.exchanges
        ]
        self._runs = [stage.run for stage in recorded.stages for _ in stage.payloads]
        self._changes = [stage.changes for stage in recorded.stages if stage.changes]
        self._masks = masks_of(stage.payloads for stage in recorded.stages)
        self.report.masked = sum(exchange.mask is not None for exchange, _ in self._recorded)
        self._knows_machine = any(stage.values for stage in recorded.stages)
        self._used: set[int] = set()
        self._by_place = by_place
        self._by_key: dict[bytes, deque[int]] = defaultdict(deque)
        self._goes_on = None if goes_on is None else keyed(goes_on, recorded.values)
        self._last: int | None = None
        for number, (exchange, request) in enumerate(self._recorded):
            if not exchange.is_heard:
                continue
            for key in request.keys:
                self._by_key[key].append(number)
            if self._goes_on is not None and is_of_lane(self._goes_on, request):
                self._last = number

    def answer(
        self, exchange: Exchange, values: Mapping[str, str]
    ) -> Answered | Live | Difference | None:
        """Return what answers a request; else how it differs from the nearest recorded one."""
        values = values if self._knows_machine else {}
        request = keyed(exchange, values)
        forms = [(exchange, request), *self._changed(exchange, values)]
        forms += [
            (kept, keyed(kept, values))
            for mask in self._masks
            for sent, _ in (*forms,)
            if (kept := masked_exchange(mask, sent)) is not sent
        ]
        answer = self._on_tape(forms)
        if answer is None and self._by_place and exchange.api is not None:
            answer = self._in_place(forms)
        if answer is not None:
            return answer
        if self._goes_on is not None and (self._last is None or self._last in self._used):
            return Live(is_of_lane(self._goes_on, request))
        difference = None if exchange.api is None else self._nearest(request)
        self.report.unmatched.append((exchange, difference))
        return difference

    def finish(self) -> ReplayReport:
        """Return the report, with what is unused."""
        self.report.unused = [
            exchange
            for number, (exchange, request) in enumerate(self._recorded)
            if number not in self._used
            and exchange.is_heard
            and array_of(request.parts.get("tools"))
        ]
        return self.report

    def _changed(self, exchange: Exchange, values: Mapping[str, str]) -> Iterator[Recorded]:
        """Yield a request of a model as forks changed it."""
        for changes in self._changes if exchange.api is not None else ():
            with suppress(NoSuchField):
                changed = changes.applied(exchange)
                yield changed, keyed(changed, values)

    def _on_tape(self, forms: Sequence[Recorded]) -> Answered | None:
        """Return the recorded answer of a request, in one of its forms."""
        exchange, request = forms[0]
        if exchange.api is None:
            numbers = self._by_key[request.keys[0]]
            self.report.others += bool(numbers)
            return Answered(self._recorded[numbers[0]][0], "other") if numbers else None
        for place, rung in enumerate(RUNGS):
            for sent, form in forms:
                numbers = self._by_key[form.keys[place]]
                while numbers and numbers[0] in self._used:
                    numbers.popleft()
                if numbers:
                    return self._answered(numbers[0], rung, sent, form)
        return None

    def _in_place(self, forms: Sequence[Recorded]) -> Answered | None:
        """Return the next answer of a request's conversation, if it has that place."""
        seen = [n for n, (sent, _) in enumerate(self._recorded) if sent.is_heard]
        for sent, form in forms:
            number = next_place(self._recorded, seen, self._used, (sent, form))
            if number is not None:
                return self._answered(number, "place", sent, form)
        return None

    def _answered(
        self, number: int, rung: Rung | Literal["place"], sent: Exchange, form: KeyedRequest
    ) -> Answered:
        """Use a recorded exchange; report by which rung it answers, and what that left out."""
        self._used.add(number)
        exchange, recorded = self._recorded[number]
        difference = None
        if rung == "normalised":
            difference = _difference(exchange, exact_parts(exchange), exact_parts(sent))
        elif rung != "exact":
            difference = _difference(exchange, recorded.parts, form.parts)
        run = self._runs[number]
        answer = RequestAnswer(sent.attempt, rung, exchange.attempt, run, difference)
        self.report.answers.append(answer)
        return Answered(exchange, rung)

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
        return _difference(exchange, nearest.parts, request.parts)


def _difference(
    exchange: Exchange, parts: Mapping[str, JsonValue], asked_parts: Mapping[str, JsonValue]
) -> Difference | None:
    """Return where a request differs from a recorded exchange, by the parts of both."""
    difference = first_difference(parts, asked_parts)
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
