"""Read model of suspicions: one row per thread, with what failed in it, is told or suspected.

Its fold is the view `timeline`, so that words and rules are those that a thread itself shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any, ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.facts import Start, ThreadAnnotated, ThreadClosed, ThreadJudged
from agentlog.domain.json.beginning import BEGINNING_BYTES
from agentlog.domain.json.text import parse_stored, print_text
from agentlog.domain.json.values import (
    JsonValue,
    array_of,
    integer_at,
    object_of,
    text_at,
    texts_of,
)
from agentlog.domain.messages import ExitMessage, ToolCallsMessage
from agentlog.projections.call_texts import arguments_value
from agentlog.projections.carries.persistent_list import Layers
from agentlog.projections.outcomes.outcome import Judgement, ThreadOutcome, judgement_of
from agentlog.projections.outcomes.suspicion import REPEAT_RULES, UNANSWERED
from agentlog.projections.outcomes.words import WordCounts
from agentlog.projections.readmodels.model import ReadModel, ThreadRows
from agentlog.projections.readmodels.table import RecordedAt, Row, table_of
from agentlog.projections.shell_command import shell_command
from agentlog.projections.values import count_held, figure_held, held, sent_at, shown, text_in
from agentlog.projections.view import Item
from agentlog.projections.views.timeline.carry import TimelineCarry
from agentlog.projections.views.timeline.spans import ACTS, ENDS
from agentlog.projections.views.timeline.view import TimelineView

_TIMELINE = TimelineView()
_NOTHING, _NO_KEYS = "[]", "{}"
_MOST_MARKS = 200
_OF_CALLS = frozenset({*REPEAT_RULES, UNANSWERED})
"""Rules that are met where a call was made; others where it ended."""


@dataclass(slots=True)
class SuspicionRow(Row):
    """What failed in a thread, is told or suspected; the row always stays open."""

    version: Annotated[int, "of the first message with a step, a call or an end"]
    position: Annotated[int, "of that message in the log"]
    recorded_at: RecordedAt
    sent_at: Annotated[datetime | None, "when it was sent, by the producer's clock"] = None
    failures: Annotated[
        int,
        "how many results, workers and runtime errors failed on record, and exits with an error",
    ] = 0
    told: Annotated[int, "how many results tell of a failure that no field states"] = 0
    suspected: Annotated[int, "how many calls, workers and approvals only a rule suspects"] = 0
    loops: Annotated[
        int, "how many calls repeat earlier ones by repeated_in_a_row, repeated_often or loop"
    ] = 0
    marks: Annotated[
        str,
        "which rules they meet, as a JSON array of objects: rule, tool, command, model, calls, "
        "version and lastVersion; the first 200",
    ] = _NOTHING
    settled: Annotated[
        str, "the same of what has ended: the counts and marks, as a JSON object"
    ] = _NO_KEYS
    timeline: Annotated[str, "what the view timeline remembers, as a JSON object"] = _NO_KEYS
    commands: Annotated[
        str, "commands of open calls of shells, by version and ordinal, as a JSON object"
    ] = _NO_KEYS


class Suspicions(ReadModel[SuspicionRow]):
    """What failed in each thread, and the rules that its calls meet."""

    version = 6
    table = table_of(
        SuspicionRow,
        name="suspicions",
        comment="One row a thread: what failed in it, is told or suspected, by which rules.",
        key=("tenant", "thread_id"),
        day="recorded_at",
        indexes=(("tenant", "recorded_at"),),
    )
    types: ClassVar[frozenset[str] | None] = frozenset(
        message_type.model_fields["type"].default for message_type in (*ACTS, *ENDS)
    )
    recalls: ClassVar[frozenset[str] | None] = None
    long_text_bytes: ClassVar[int] = BEGINNING_BYTES

    @override
    def fold(self, event: Event, rows: ThreadRows[SuspicionRow]) -> None:
        is_first = not rows.open
        row = rows.only(event, SuspicionRow)
        if is_first:
            row.sent_at = sent_at(event)
        if rows.memory is None:
            rows.memory = _memory_of(row)
        rows.memory.take(event)

    @override
    def finish(self, rows: ThreadRows[SuspicionRow]) -> None:
        if rows.memory is not None:
            rows.memory.write(rows.open[0])


@dataclass(slots=True)
class _Memory:
    """The timeline's carry, the marks of calls that have ended, and the commands of the others."""

    carry: TimelineCarry
    settled: "_Marks"
    commands: Item

    def take(self, event: Event) -> None:
        self.commands |= _commands_in(event)
        self.carry, placed = _TIMELINE.fold(self.carry, event)
        self.settled.add([item.item for item in placed], self.commands)

    def write(self, row: SuspicionRow) -> None:
        marks, is_open = self.settled.copy(), self.carry.held()
        marks.add(is_open, self.commands)
        row.failures, row.told, row.suspected = astuple(marks.words)
        row.loops, row.marks = marks.loops, print_text(marks.marks)
        row.settled = self.settled.printed()
        # which answers were told decides what counts here, their figures do not
        keys: dict[str, Item | None] = {key: {} for key, _ in self.carry.told.items()}
        carry = replace(self.carry, told=Layers((keys,), len(keys)))
        row.timeline = _TIMELINE.dump(carry).decode()
        places = set(map(_place, is_open))
        row.commands = print_text({k: v for k, v in self.commands.items() if k in places})


def _memory_of(row: SuspicionRow) -> _Memory:
    is_new = row.timeline == _NO_KEYS
    return _Memory(
        _TIMELINE.start() if is_new else _TIMELINE.load(row.timeline.encode()),
        _Marks.of(object_of(parse_stored(row.settled.encode()))),
        object_of(parse_stored(row.commands.encode())),
    )


@dataclass(slots=True)
class _Marks:
    """How many items have each word, how many calls repeat, and which rules calls meet."""

    words: WordCounts
    loops: int
    marks: list[Any]

    @classmethod
    def of(cls, kept: Item) -> "_Marks":
        counts = (integer_at(kept, name) or 0 for name in ("failures", "told", "suspected"))
        return cls(WordCounts(*counts), integer_at(kept, "loops") or 0, array_of(kept.get("marks")))

    def copy(self) -> "_Marks":
        return _Marks(replace(self.words), self.loops, [{**mark} for mark in self.marks])

    def printed(self) -> str:
        return print_text({**asdict(self.words), "loops": self.loops, "marks": self.marks})

    def add(self, items: Sequence[Item], commands: Mapping[str, object]) -> None:
        """Count items of a timeline, and the rules that the calls among them meet."""
        for item in items:
            self.words.count(item)
            rules = texts_of(item.get("suspected"))
            if not rules or item["kind"] not in {"call", "model"}:
                continue
            self.loops += not REPEAT_RULES.isdisjoint(rules)
            name = held(text_at(item, "name"))
            is_call = item["kind"] == "call"
            called = {
                "tool": name if is_call else None,
                "command": commands.get(_place(item)) if is_call else None,
                "model": None if is_call else name,
            }
            for rule in rules:
                keys = ("version", "endVersion") if rule in _OF_CALLS else ("endVersion", "version")
                self._mark({"rule": rule, **called}, integer_at(item, *keys) or 0)

    def _mark(self, name: Mapping[str, object], version: int) -> None:
        mark = next((mark for mark in self.marks if name.items() <= mark.items()), None)
        if mark is not None:
            mark["calls"] += 1
            mark["version"] = min(mark["version"], version)
            mark["lastVersion"] = max(mark["lastVersion"], version)
        elif len(self.marks) < _MOST_MARKS:
            self.marks.append({**name, "calls": 1, "version": version, "lastVersion": version})


def _commands_in(event: Event) -> Item:
    """Return the commands of the calls that an event asks for, by their places."""
    message = event.message
    if not isinstance(message, ToolCallsMessage) or event.redacted is not None:
        return {}
    commands = [held(shell_command(arguments_value(call))) for call in message.calls]
    return {
        f"{event.version} {ordinal}": command
        for ordinal, command in enumerate(commands)
        if command is not None
    }


def _place(item: Item) -> str:
    return f"{item['version']} {item.get('ordinal')}"


GROUNDS = (Start, ThreadAnnotated, ExitMessage, ThreadClosed, ThreadJudged)
"""The messages that change it."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What decides an outcome.

    `metadata` has the texts, numbers and booleans, adapted to a column. `end` is why the run
    exited, `closed` where it was closed before that, None while it is open. `judged` is the last
    judgement of the run as a whole: by no criterion.
    """

    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    end: ThreadOutcome | None = None
    judged: Judgement | None = None

    def after(self, event: Event) -> "Grounds":
        """Return what decides after an event: the first end counts."""
        match event.message:
            case Start(metadata=metadata):
                return replace(self, metadata=_with({}, metadata))
            case ThreadAnnotated(metadata=metadata):
                return replace(self, metadata=_with(self.metadata, metadata))
            case ExitMessage(reason=reason):
                return replace(self, end=self.end or reason)
            case ThreadClosed():
                return replace(self, end=self.end or "closed")
            case ThreadJudged(criterion=None, on=None, verdict=word, score=number):
                judged = judgement_of(held(word), number, text_in(event.metadata, "actor"))
                return replace(self, judged=judged)
            case _:
                return self


def _with(
    metadata: Mapping[str, JsonValue], added: Mapping[str, JsonValue]
) -> Mapping[str, JsonValue]:
    """Return metadata with additions: a null, list or object removes its key."""
    kept = {**metadata}
    for key, value in added.items():
        name = held(key)
        match value:
            case str():
                kept[name] = shown(held(value))
            case bool():
                kept[name] = value
            case int() | float():
                kept[name] = _number(value)
            case _:
                kept.pop(name, None)
    return kept


def _number(value: float) -> float | str:
    """Return a number of metadata, as a text where other JSON readers could not parse it."""
    figure = count_held(value) if isinstance(value, int) else figure_held(value)
    return shown(print_text(value)) if figure is None else figure
