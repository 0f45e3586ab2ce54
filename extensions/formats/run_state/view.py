"""The view `run-state`: what a run keeps for itself, as its messages tell it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.errors import InvalidJson
from agentlog.domain.events import Event
from agentlog.domain.fields import Json
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import (
    JsonObject,
    JsonValue,
    array_of,
    object_at,
    object_of,
    objects_of,
    text_at,
)
from agentlog.domain.messages import (
    CustomMessage,
    ScratchpadMessage,
    SystemMessage,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from agentlog.extensions.formats.documents import Documents
from agentlog.extensions.formats.inspect_ai import task_state
from agentlog.extensions.formats.inspect_ai.task_state import Spans
from agentlog.extensions.formats.json_patch import Failure
from agentlog.extensions.formats.letta import memory
from agentlog.extensions.formats.run_state import file_texts, graph, lists
from agentlog.extensions.formats.run_state.calls import operations_of
from agentlog.extensions.formats.run_state.files import MOST_TEXT, Files
from agentlog.projections.difference import state_difference
from agentlog.projections.residue import METADATA_KEY
from agentlog.projections.view import Item, Options, Placed, StateView

ENVIRONMENT, SESSION = "environment", "session"
_MOST_OPEN, _MOST_OPEN_BYTES = 64, 2**20
"""Calls that may wait for their results, and their sizes; of more the oldest is forgotten."""
_MOST_FILES = 1000
_MOST_TOLD = 20


class RunStateOptions(Options):
    """How much of the state to show; `texts`: without it, files are shown without their texts."""

    texts: bool = True


@dataclass(slots=True)
class Unapplied:
    """What did not apply: how often, and the latest."""

    count: int = 0
    latest: tuple[Json, ...] = ()

    def and_these(self, failures: Sequence[Failure], version: int) -> "Unapplied":
        """Return it with failures of a message."""
        if not failures:
            return self
        new: list[JsonValue] = [
            {"version": version, "path": f.path, "reason": f.reason} for f in failures
        ]
        latest = (*self.latest, *new)[-_MOST_TOLD:]
        return Unapplied(self.count + len(failures), latest)


@dataclass(slots=True)
class Waiting:
    """The operations of a call without a result, and their size as JSON."""

    operations: list[Json]
    size: int


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class RunStateCarry:
    """The state by its sources; `open` has the calls without a result, by their ids."""

    documents: Documents = field(default_factory=Documents)
    spans: Spans = field(default_factory=Spans)
    files: Files = field(default_factory=Files)
    todos: list[Json] | None = None
    open: dict[str, Waiting] = field(default_factory=dict)
    unapplied: Unapplied = field(default_factory=Unapplied)


class RunStateView(StateView[RunStateCarry, RunStateOptions]):
    """A state that has only what is on record: `{}` where a run keeps nothing for itself."""

    name: ClassVar[str] = "run-state"
    options_type = RunStateOptions
    carry_type = RunStateCarry

    @override
    def start(self) -> RunStateCarry:
        return RunStateCarry()

    @override
    def fold(self, carry: RunStateCarry, event: Event) -> tuple[RunStateCarry, Sequence[Placed]]:
        if METADATA_KEY in event.metadata:
            carry = _with_deltas(carry, event)
        match event.message:
            case ToolCallsMessage() as message:
                carry = _called(carry, message, event.version)
            case ToolResultsMessage() as message:
                carry = _answered(carry, message, event)
            case CustomMessage() as message:
                carry = _custom(carry, message, event.version)
            case SystemMessage(text=text):
                if blocks := memory.in_prompt(text):
                    changed = carry.documents.changed(memory.MEMORY, blocks)
                    carry = _with_documents(carry, *changed, event.version)
            case ScratchpadMessage(text=text):
                label = text_at(_noted(event, "letta-agent"), "label")
                if label is not None:
                    changed = carry.documents.changed(memory.MEMORY, {label: text})
                    carry = _with_documents(carry, *changed, event.version)
            case _:
                pass
        return carry, ()

    @override
    def patch(self, before: RunStateCarry, after: RunStateCarry) -> list[JsonValue]:
        if before == after:
            return []
        return list(state_difference(self.state(before), self.state(after)))

    @override
    def state(self, carry: RunStateCarry) -> Item:
        state: Item = {**carry.documents.named}
        if carry.todos is not None:
            state["todos"] = carry.todos
        if carry.files.known.size:
            texts = self.options.texts
            state["files"] = {
                path: file.shown(texts=texts) for path, file in carry.files.known.items()
            }
        if carry.unapplied.count:
            latest = [*carry.unapplied.latest]
            state["notApplied"] = {"count": carry.unapplied.count, "latest": latest}
        return state


def _called(carry: RunStateCarry, message: ToolCallsMessage, version: int) -> RunStateCarry:
    asked = {call.id: _waiting(ops) for call in message.calls if (ops := operations_of(call))}
    if not asked:
        return carry
    kept, failures = {**carry.open}, list[Failure]()
    for call_id, waiting in asked.items():
        kept.pop(call_id, None)
        kept[call_id] = waiting
    size = sum(waiting.size for waiting in kept.values())
    while len(kept) > _MOST_OPEN or size > _MOST_OPEN_BYTES:
        oldest = kept.pop(next(iter(kept)))
        size -= oldest.size
        reason = "no result came before very many other calls"
        failures.append(Failure(_path(oldest.operations), reason))
    return replace(carry, open=kept, unapplied=carry.unapplied.and_these(failures, version))


def _waiting(operations: list[JsonValue]) -> Waiting:
    """Return the operations of a call; of one that is too large, that its files are changed."""
    size = len(print_bytes(operations))
    if size > 2 * MOST_TEXT:
        paths = [text_at(object_of(op), "path") for op in operations[:_MOST_FILES]]
        operations = [{"kind": "write", "path": path, "text": None} for path in paths if path]
        size = len(print_bytes(operations))
    return Waiting(operations, size)


def _answered(carry: RunStateCarry, message: ToolResultsMessage, event: Event) -> RunStateCarry:
    noted = object_at(_noted(event, "claude-code"), "toolUseResult")
    for result in message.results:
        if result.call_id is None or result.call_id not in carry.open:
            continue
        operations = carry.open[result.call_id].operations
        left = {key: call for key, call in carry.open.items() if key != result.call_id}
        carry = replace(carry, open=left)
        if result.error is None:
            carry = _succeeded(carry, operations, result, noted, event.version)
    return carry


def _succeeded(
    carry: RunStateCarry,
    operations: Sequence[JsonValue],
    result: ToolResult,
    noted: JsonObject,
    version: int,
) -> RunStateCarry:
    of_files, failures = list[JsonValue](), list[Failure]()
    for operation in map(object_of, operations):
        match operation:
            case {"kind": "todos", "items": list(given)}:
                todos = lists.items_of(given)
                if todos is None:
                    failures.append(Failure("todos", "the list is too large"))
                else:
                    carry = replace(carry, todos=todos)
            case {"kind": "taskcreate" | "taskupdate"}:
                output = file_texts.text_of(result.output)
                todos = lists.with_task(carry.todos or [], operation, noted, output)
                if todos is None:
                    failures.append(Failure("todos", "the list is too large"))
                else:
                    carry = replace(carry, todos=todos)
            case {"kind": "memory"}:
                documents, more = memory.changed(carry.documents, operation)
                carry = _with_documents(carry, documents, more, version)
            case {"kind": "read", "isPart": bool(is_part)}:
                text = None if is_part else file_texts.whole_text(result.output, noted)
                of_files.append({**operation, "text": text})
            case {"kind": "window" | "changed-window" as kind}:
                shown = file_texts.window(result.output)
                if shown is not None:
                    path, text = _absolute(shown[0], carry), shown[1]
                    does = "read" if kind == "window" else "write"
                    of_files.append({"kind": does, "path": path, "text": text})
            case _:
                of_files.append(operation)
    files, more = carry.files.after(of_files, version) if of_files else (carry.files, [])
    unapplied = carry.unapplied.and_these([*failures, *more], version)
    return replace(carry, files=files, unapplied=unapplied)


def _custom(carry: RunStateCarry, message: CustomMessage, version: int) -> RunStateCarry:
    payload = object_of(message.payload)
    if message.type.startswith("inspect."):
        documents, spans, failures = task_state.folded(
            carry.documents, carry.spans, message.type, payload
        )
        carry = carry if spans is carry.spans else replace(carry, spans=spans)
        return _with_documents(carry, documents, failures, version)
    if message.type == graph.CHECKPOINT:
        return _with_documents(carry, *graph.folded(carry.documents, payload), version)
    if message.type == "adk.event":
        return _with_delta(carry, object_at(payload, "actions"), version)
    return carry


def _with_deltas(carry: RunStateCarry, event: Event) -> RunStateCarry:
    """Return the carry with what a message brings beside: of an ADK event, of a SWE-agent step."""
    carry = _with_delta(carry, object_at(_noted(event, "adk"), "actions"), event.version)
    noted = _noted(event, "swe-agent")
    for part in [noted, *objects_of(noted.get("parts"))]:
        state = part.get("state")
        if isinstance(state, str):
            try:
                state = parse(state)
            except InvalidJson:
                state = {"state": state}
        if isinstance(state, dict) and state != carry.documents.members(ENVIRONMENT):
            changed = carry.documents.replaced(ENVIRONMENT, state)
            carry = _with_documents(carry, *changed, event.version)
    return carry


def _with_delta(carry: RunStateCarry, actions: JsonObject, version: int) -> RunStateCarry:
    delta = object_at(actions, "stateDelta") or object_at(actions, "state_delta")
    return _with_documents(carry, *carry.documents.changed(SESSION, delta), version)


def _with_documents(
    carry: RunStateCarry, documents: Documents, failures: Sequence[Failure], version: int
) -> RunStateCarry:
    if documents is carry.documents and not failures:
        return carry
    unapplied = carry.unapplied.and_these(failures, version)
    return replace(carry, documents=documents, unapplied=unapplied)


def _noted(event: Event, wire: str) -> JsonObject:
    """Return what an importer kept of a message beside it, under the name of its format."""
    kept = array_of(object_at(event.metadata, METADATA_KEY).get(wire))
    return object_at(object_of(kept[0]), "set") if kept else {}


def _absolute(path: str, carry: RunStateCarry) -> str:
    """Return a path as SWE-agent's state of the environment would have it."""
    environment = carry.documents.members(ENVIRONMENT)
    opened, folder = text_at(environment, "open_file"), text_at(environment, "working_dir")
    if path.startswith("/") or folder is None:
        return path
    return opened if opened is not None and opened.endswith(f"/{path}") else f"{folder}/{path}"


def _path(operations: Sequence[JsonValue]) -> str:
    return text_at(object_of(operations[0]), "path", "label", "kind") or "" if operations else ""
