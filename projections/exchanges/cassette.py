"""Cassettes: recorded runs as files, which are replayed without a log.

A line of JSON each: first the run, then each exchange after the pieces of its request that no line
before has. Requests of a run repeat most of each other, so pieces stand once and are referred to by
their number, from 0.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agentlog.domain.errors import InvalidInput, InvalidJson
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import (
    JsonObject,
    JsonValue,
    array_of,
    integer_at,
    object_at,
    object_of,
    text_at,
)
from agentlog.projections.exchanges.exchange import Exchange, exchange_of

_VERSION = 1


class InvalidCassette(InvalidInput):
    """A line of a file is none of a cassette."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"line {number} is none of a cassette: {reason}")
        self.number = number


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run: the payloads of its exchanges as they are in the log, and texts of its machine."""

    run: str
    payloads: Sequence[JsonObject]
    values: dict[str, str]

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges, in the order in which they began."""
        return sorted(map(exchange_of, self.payloads), key=lambda exchange: exchange.attempt)


def cassette_lines(run: RecordedRun) -> Iterator[JsonObject]:
    """Yield the lines of a run's cassette."""
    yield {"cassette": _VERSION, "run": run.run, "values": {**run.values}}
    numbers: dict[bytes, int] = {}
    for payload in run.payloads:
        request = object_at(payload, "request")
        used: list[JsonValue] = []
        for piece in array_of(request.get("pieces")):
            key = print_bytes(piece)
            if key not in numbers:
                numbers[key] = len(numbers)
                yield {"piece": piece}
            used.append(numbers[key])
        yield {"exchange": {**payload, "request": {**request, "pieces": used}}}


def read_cassette(lines: Iterable[bytes]) -> RecordedRun:
    """Return the run of a cassette.

    Raises:
        InvalidCassette: with the number of the line.
    """
    pieces: list[JsonValue] = []
    header: JsonObject | None = None
    payloads: list[JsonObject] = []
    for number, text in enumerate(lines, 1):
        try:
            line = object_of(parse(text))
        except InvalidJson as error:
            raise InvalidCassette(number, str(error)) from error
        if header is None:
            if integer_at(line, "cassette") != _VERSION:
                raise InvalidCassette(number, f"the first has no cassette: {_VERSION}")
            header = line
        elif "piece" in line:
            pieces.append(line["piece"])
        elif "exchange" in line:
            payloads.append(_with_pieces(object_of(line["exchange"]), pieces, number))
        else:
            raise InvalidCassette(number, "it has neither piece nor exchange")
    if header is None:
        raise InvalidCassette(1, "the file is empty")
    values = object_at(header, "values")
    return RecordedRun(
        text_at(header, "run") or "",
        payloads,
        {name: value for name, value in values.items() if isinstance(value, str)},
    )


def _with_pieces(payload: JsonObject, pieces: Sequence[JsonValue], number: int) -> JsonObject:
    request = object_at(payload, "request")
    whole: list[JsonValue] = []
    for place in array_of(request.get("pieces")):
        if not isinstance(place, int) or not 0 <= place < len(pieces):
            raise InvalidCassette(number, f"there is no piece {place}")
        whole.append(pieces[place])
    return {**payload, "request": {**request, "pieces": whole}}
