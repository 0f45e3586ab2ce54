"""Recorded tools: the calls of a run with their results, which answer the calls of another run."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from typing_extensions import override

from agentlog.domain.errors import NotThere
from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes, print_text
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.domain.messages import ToolCall, ToolCallsMessage, ToolResultsMessage
from agentlog.extensions.runs.projections.recordings.recording import Recording, ThreadAppend
from agentlog.extensions.runs.projections.tapes.cassette import RecordedRun
from agentlog.projections.call_texts import arguments_value, error_text
from agentlog.projections.exchanges.exchange import TYPE
from agentlog.projections.outcomes.pairs import Open, answers_in, asks_in
from agentlog.projections.readers.draft import sample_event

ToolMode = Literal["strict", "fifo"]
"""What answers a call with arguments that no recorded call has: nothing, or the next call of the
same tool."""

_TEXTS = frozenset({"text", "input_text", "output_text"})


class RecordedCall(NamedTuple):
    """A call of a run, and what it gave back; `error` is None where the tool did not fail."""

    name: str
    arguments: JsonValue
    output: JsonValue
    error: str | None = None

    @override
    def __str__(self) -> str:
        """Return the call as people read it."""
        return f"{self.name} {print_text(self.arguments)}"


class ArgumentDifference(NamedTuple):
    """Where a call differs from the recorded one that is nearest; `place` is an argument's name."""

    nearest: RecordedCall
    place: str
    recorded: JsonValue
    called: JsonValue


class CallNotRecorded(NotThere):
    """A tool was called otherwise than in the recorded run, or more often."""

    def __init__(self, name: str, arguments: JsonValue, free: Sequence[RecordedCall]) -> None:
        self.name, self.arguments = name, arguments
        self.difference = _difference(arguments, free)
        super().__init__(
            f"not recorded, or used up: {name} {print_text(arguments)}; {self._nearest}"
        )

    @property
    def _nearest(self) -> str:
        if self.difference is None:
            return "recorded and unused: none"
        nearest, place, recorded, called = self.difference
        forms = f"{print_text(recorded)} there, {print_text(called)} here"
        return f"the nearest that is recorded and unused: {nearest}: {place} is {forms}"


class RecordedTools:
    """Answers calls of tools from a recorded run, each recorded call once.

    Calls with equal name and arguments get their results in the recorded order. `drifted` are calls
    that mode `fifo` answered from a call with other arguments: those asked, and the call that
    answered. `missed` are those that nothing answered.
    """

    def __init__(self, calls: Iterable[RecordedCall], *, mode: ToolMode = "strict") -> None:
        self.mode = mode
        self.drifted: list[tuple[JsonValue, RecordedCall]] = []
        self.missed: list[CallNotRecorded] = []
        self._free: dict[str, dict[int, RecordedCall]] = defaultdict(dict)
        self._by_arguments: dict[tuple[str, bytes], deque[int]] = defaultdict(deque)
        self._fields: dict[str, set[str]] = defaultdict(set)
        self._asked: set[str] = set()
        for number, call in enumerate(calls):
            self._free[call.name][number] = call
            self._by_arguments[call.name, _key(call.arguments)].append(number)
            self._fields[call.name].update(object_of(call.arguments))

    def expect(self, name: str) -> None:
        """Have the recorded calls of a tool count as unused until they are asked for."""
        self._asked.add(name)

    def fields(self, name: str) -> frozenset[str] | None:
        """Return the names of arguments that recorded calls of a tool have; None without calls."""
        fields = self._fields.get(name)
        return None if fields is None else frozenset(fields)

    def answer(self, name: str, arguments: JsonValue) -> RecordedCall:
        """Return the recorded call that answers a call.

        Raises:
            CallNotRecorded: there is none.
        """
        self.expect(name)
        free = self._free[name]
        equal = self._by_arguments[name, _key(arguments)]
        number = next((number for number in equal if number in free), None)
        if number is None and free and self.mode == "fifo":
            number = min(free)
            self.drifted.append((arguments, free[number]))
        if number is None:
            missed = CallNotRecorded(name, arguments, [*free.values()])
            self.missed.append(missed)
            raise missed
        return free.pop(number)

    @property
    def unused(self) -> list[RecordedCall]:
        """The recorded calls of the expected tools that nothing asked for."""
        return [call for name in sorted(self._asked) for call in self._free[name].values()]


def calls_of_run(run: RecordedRun) -> list[RecordedCall]:
    """Return the calls that a model asked for in a run and that have results.

    A client sends calls and results again with each request: calls are taken from the answers,
    results from the requests after them.
    """
    pairs = _Pairs()
    for append in appends_of(run):
        answered = False
        for draft in append.drafts:
            if draft["type"] == TYPE:
                answered = True
            elif draft["type"] == ("tool_calls" if answered else "tool_results"):
                pairs.add(append.thread_id, sample_event(draft, 1))
    return pairs.calls


def calls_of_events(events: Iterable[Event]) -> list[RecordedCall]:
    """Return the calls of a thread's events that have results."""
    pairs = _Pairs()
    for event in events:
        pairs.add(event.thread_id, event)
    return pairs.calls


def appends_of(run: RecordedRun) -> Iterator[ThreadAppend]:
    """Yield what a run adds to its threads."""
    recording = Recording(run.run, "run", run.values)
    for stage in run.stages:
        for exchange in stage.exchanges:
            yield from recording.add(exchange)
    yield from recording.finish()


class _Pairs:
    """Calls with their results, in the order of the calls; of each thread by itself."""

    def __init__(self) -> None:
        self._calls: list[tuple[ToolCall, list[RecordedCall]]] = []
        self._open: dict[str, Open[tuple[ToolCall, list[RecordedCall]]]] = {}

    @property
    def calls(self) -> list[RecordedCall]:
        return [call for _, answered in self._calls for call in answered]

    def add(self, thread_id: str, event: Event) -> None:
        message, calls = event.message, self._open.get(thread_id, Open())
        if isinstance(message, ToolCallsMessage):
            made = [(call, list[RecordedCall]()) for call in message.calls]
            self._calls += made
            calls = calls.ask(asks_in(event), made)
        elif isinstance(message, ToolResultsMessage):
            for result, answer in zip(message.results, answers_in(event), strict=True):
                pair, calls = calls.answer(answer)
                if pair is not None:
                    call, answered = pair
                    error = None if result.error is None else error_text(result.error)
                    output = _plain(result.output)
                    answered.append(RecordedCall(call.name, arguments_value(call), output, error))
        self._open[thread_id] = calls


def _key(arguments: JsonValue) -> bytes:
    return print_bytes(arguments, sort_keys=True)


def _difference(arguments: JsonValue, free: Sequence[RecordedCall]) -> ArgumentDifference | None:
    """Return how a call differs from the first of those with the most equal arguments."""
    fields = object_of(arguments)

    def equal(call: RecordedCall) -> int:
        recorded = object_of(call.arguments)
        return sum(1 for name, value in fields.items() if recorded.get(name) == value)

    if not free:
        return None
    nearest = max(free, key=equal)
    recorded = object_of(nearest.arguments)
    for name in dict.fromkeys([*recorded, *fields]):
        if recorded.get(name) != fields.get(name):
            return ArgumentDifference(nearest, name, recorded.get(name), fields.get(name))
    return ArgumentDifference(nearest, "its arguments", nearest.arguments, arguments)


def _plain(output: JsonValue) -> JsonValue:
    """Return the text of an output that is blocks of text."""
    match output:
        case [*blocks] if blocks and all(_is_text(block) for block in blocks):
            return "".join(str(object_of(block)["text"]) for block in blocks)
        case _:
            return output


def _is_text(block: JsonValue) -> bool:
    match block:
        case {"type": str(kind), "text": str()}:
            return kind in _TEXTS
        case _:
            return False
