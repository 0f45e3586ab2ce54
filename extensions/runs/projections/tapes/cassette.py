"""Cassettes: recorded runs as files, which are replayed without a log.

A line of JSON each: first the run, then each exchange after the pieces of its request that no line
before has. Requests of a run repeat most of each other, so pieces stand once and are referred to by
their number, from 0. Exchanges with MCP servers stand whole. A run that went on from another
follows the lines of that.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

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
from agentlog.extensions.runs.projections.mcp_exchange import McpExchange, mcp_exchange_of
from agentlog.extensions.runs.projections.tapes.changes import Changes, changes_of
from agentlog.projections.exchanges.exchange import Exchange, exchange_of
from agentlog.projections.masking.mask import Mask
from agentlog.projections.masking.rule import parse_mask

_VERSION = 1


class InvalidCassette(InvalidInput):
    """A line of a file is none of a cassette."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"line {number} is none of a cassette: {reason}")
        self.number = number


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run: the payloads of its exchanges as they are in the log, and texts of its machine.

    A fork that went on live has what it was answered from as `origin`, and all `changes` of what
    its agent asked; what passed between its agent and MCP servers, `mcp_payloads`, is its own from
    the agent's start on.
    """

    run: str
    payloads: Sequence[JsonObject]
    values: dict[str, str]
    changes: Changes = field(default_factory=Changes)
    origin: "RecordedRun | None" = None
    mcp_payloads: Sequence[JsonObject] = field(default_factory=list)

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges, in the order in which they began, without those of the origin."""
        return sorted(map(exchange_of, self.payloads), key=lambda exchange: exchange.attempt)

    @property
    def mcp_exchanges(self) -> list[McpExchange]:
        """What passed between its agent and MCP servers, in the order in which requests began."""
        exchanges = map(mcp_exchange_of, self.mcp_payloads)
        return sorted(exchanges, key=lambda exchange: exchange.started_at)

    @property
    def stages(self) -> "list[RecordedRun]":
        """The runs that went on from each other, from the first to this one."""
        return [*(() if self.origin is None else self.origin.stages), self]


def masks_of(payloads: Iterable[Iterable[JsonObject]]) -> list[Mask]:
    """Return the masks by which exchanges of runs were masked on record."""
    rules = {rule for run in payloads for item in run if (rule := text_at(item, "mask"))}
    return [parse_mask(rule) for rule in sorted(rules)]


def cassette_lines(run: RecordedRun) -> Iterator[JsonObject]:
    """Yield the lines of a run's cassette."""
    numbers: dict[bytes, int] = {}
    for stage in run.stages:
        changes: JsonObject = {"changes": stage.changes.payload} if stage.changes else {}
        yield {"cassette": _VERSION, "run": stage.run, "values": {**stage.values}, **changes}
        for payload in stage.payloads:
            request = object_at(payload, "request")
            used: list[JsonValue] = []
            for piece in array_of(request.get("pieces")):
                key = print_bytes(piece)
                if key not in numbers:
                    numbers[key] = len(numbers)
                    yield {"piece": piece}
                used.append(numbers[key])
            yield {"exchange": {**payload, "request": {**request, "pieces": used}}}
        for payload in stage.mcp_payloads:
            yield {"mcp": payload}


def read_cassette(lines: Iterable[bytes]) -> RecordedRun:
    """Return the run of a cassette.

    Raises:
        InvalidCassette: with the number of the line.
    """
    pieces: list[JsonValue] = []
    run: RecordedRun | None = None
    payloads: list[JsonObject] = []
    mcp_payloads: list[JsonObject] = []
    for number, text in enumerate(lines, 1):
        try:
            line = object_of(parse(text))
        except InvalidJson as error:
            raise InvalidCassette(number, str(error)) from error
        if run is None or "cassette" in line:
            if integer_at(line, "cassette") != _VERSION:
                raise InvalidCassette(number, f"a run begins with cassette: {_VERSION}")
            origin = run and replace(run, payloads=payloads, mcp_payloads=mcp_payloads)
            run, payloads, mcp_payloads = run_of(line, [], origin, []), [], []
        elif "piece" in line:
            pieces.append(line["piece"])
        elif "exchange" in line:
            payloads.append(_with_pieces(object_of(line["exchange"]), pieces, number))
        elif "mcp" in line:
            mcp_payloads.append(object_of(line["mcp"]))
        else:
            raise InvalidCassette(number, "it has neither piece nor exchange")
    if run is None:
        raise InvalidCassette(1, "the file is empty")
    return replace(run, payloads=payloads, mcp_payloads=mcp_payloads)


def run_of(
    facts: JsonObject,
    payloads: Sequence[JsonObject],
    origin: RecordedRun | None,
    mcp_payloads: Sequence[JsonObject],
) -> RecordedRun:
    """Return the run of what the log or a cassette says of it."""
    values = object_at(facts, "values")
    return RecordedRun(
        text_at(facts, "run") or "",
        payloads,
        {name: value for name, value in values.items() if isinstance(value, str)},
        changes_of(object_at(facts, "changes")),
        origin,
        mcp_payloads,
    )


def _with_pieces(payload: JsonObject, pieces: Sequence[JsonValue], number: int) -> JsonObject:
    request = object_at(payload, "request")
    whole: list[JsonValue] = []
    for place in array_of(request.get("pieces")):
        if not isinstance(place, int) or not 0 <= place < len(pieces):
            raise InvalidCassette(number, f"there is no piece {place}")
        whole.append(pieces[place])
    return {**payload, "request": {**request, "pieces": whole}}
