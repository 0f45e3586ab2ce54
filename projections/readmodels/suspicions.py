"""Read model of suspicions: one row per thread with tool calls, and the rules that these meet.

The rules that need times, costs or the end of a thread are not in it: the view `timeline` has them.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.beginning import BEGINNING_BYTES
from agentlog.domain.json.text import parse_stored, print_text
from agentlog.domain.json.values import JsonValue, array_of, texts_of
from agentlog.domain.messages import ToolCallsMessage, ToolResult, ToolResultsMessage
from agentlog.projections.call_texts import arguments_value, call_digest
from agentlog.projections.readmodels.model import ReadModel, ThreadRows
from agentlog.projections.readmodels.table import Row, table_of
from agentlog.projections.readmodels.values import held
from agentlog.projections.shell_command import shell_command
from agentlog.projections.suspicion import REPEAT_RULES, Past, suspicions

_NOTHING = "[]"
_MOST_MARKS = 200
_MOST_OPEN = 128
_UNKNOWN = "unknown", None

_Tool = tuple[str, str | None]


@dataclass(slots=True)
class SuspicionRow(Row):
    """What is suspect in a thread; the row always stays open."""

    version: Annotated[int, "of the first message with calls or results"]
    position: Annotated[int, "of that message in the log"]
    recorded_at: Annotated[datetime | None, "when the log took that message, by its own clock"]
    suspected: Annotated[int, "how many calls and results meet a rule of suspicion"] = 0
    loops: Annotated[
        int, "how many calls repeat earlier ones by repeated_in_a_row, repeated_often or loop"
    ] = 0
    marks: Annotated[
        str,
        "which rules they meet, as a JSON array of objects: rule, tool, command, calls, version "
        "and lastVersion; the first 200",
    ] = _NOTHING
    recent_calls: Annotated[str, "digests of the latest 128 calls, as a JSON array"] = _NOTHING
    open_calls: Annotated[
        str, "id, tool and command of the latest 128 without a result, as a JSON array"
    ] = _NOTHING
    filled_tools: Annotated[str, "tools that gave content, as a JSON array"] = _NOTHING


class Suspicions(ReadModel[SuspicionRow]):
    """The rules that the calls of each thread meet."""

    version = 1
    table = table_of(
        SuspicionRow,
        name="suspicions",
        comment="One row a thread with tool calls: which rules of suspicion these meet.",
        key=("tenant", "thread_id"),
        day="recorded_at",
        indexes=(("tenant", "recorded_at"),),
    )
    types: ClassVar[frozenset[str] | None] = frozenset({"tool_calls", "tool_results"})
    recalls: ClassVar[frozenset[str] | None] = None
    long_text_bytes: ClassVar[int] = BEGINNING_BYTES

    @override
    def fold(self, event: Event, rows: ThreadRows[SuspicionRow]) -> None:
        message = event.message
        if not isinstance(message, ToolCallsMessage | ToolResultsMessage):
            return
        if rows.open:
            row = rows.open[0]
            rows.change(row)
        else:
            row = SuspicionRow(
                tenant=rows.tenant,
                thread_id=rows.thread_id,
                is_open=True,
                version=event.version,
                position=event.position or 0,
                recorded_at=event.recorded_at,
            )
            rows.add(row)
        marked = _Marks.of(row)
        if isinstance(message, ToolCallsMessage):
            marked.call(event, message)
        else:
            marked.answer(event, message)
        marked.into(row)


@dataclass(slots=True)
class _Marks:
    """A row's marks and memory, read and changed."""

    row: SuspicionRow
    marks: list[Any]
    past: Past
    open: list[Any]

    @classmethod
    def of(cls, row: SuspicionRow) -> "_Marks":
        recent, waiting, filled, marks = (
            array_of(parse_stored(text.encode()))
            for text in (row.recent_calls, row.open_calls, row.filled_tools, row.marks)
        )
        return cls(row, marks, Past(tuple(map(_digest, recent)), tuple(texts_of(filled))), waiting)

    def call(self, event: Event, message: ToolCallsMessage) -> None:
        for call in message.calls:
            digest = call_digest(call) if event.redacted is None else None
            command = None if event.redacted else shell_command(arguments_value(call))
            tool = held(call.name), held(command)
            self.past, rules = self.past.called(digest)
            self._mark(event, tool, rules)
            self.open.append([held(call.id), *tool])
        self.open = self.open[-_MOST_OPEN:]

    def answer(self, event: Event, message: ToolResultsMessage) -> None:
        for result in message.results:
            tool = self._take(result)
            if result.error is not None or event.redacted is not None:
                continue
            self.past, empty = self.past.answered(tool[0], result.output)
            self._mark(event, tool, (*suspicions(result.output), *empty))

    def _take(self, result: ToolResult) -> _Tool:
        """Return the tool that a result is of, whose call then waits no longer."""
        call_id, name = held(result.call_id), held(result.name)
        for index, (open_id, tool, command) in enumerate(self.open):
            if tool == name if call_id is None else open_id == call_id:
                del self.open[index]
                return tool, command
        return _UNKNOWN if name is None else (name, None)

    def _mark(self, event: Event, tool: _Tool, rules: tuple[str, ...]) -> None:
        self.row.suspected += bool(rules)
        self.row.loops += not REPEAT_RULES.isdisjoint(rules)
        for rule in rules:
            name = {"rule": rule, "tool": tool[0], "command": tool[1]}
            mark = next((mark for mark in self.marks if name.items() <= mark.items()), None)
            if mark is not None:
                mark["calls"] += 1
                mark["lastVersion"] = event.version
            elif len(self.marks) < _MOST_MARKS:
                version = event.version
                self.marks.append({**name, "calls": 1, "version": version, "lastVersion": version})

    def into(self, row: SuspicionRow) -> None:
        row.marks = print_text(self.marks)
        row.recent_calls = print_text(list(self.past.recent))
        row.open_calls = print_text(self.open)
        row.filled_tools = print_text(list(self.past.filled))


def _digest(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
