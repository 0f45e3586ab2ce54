"""The view `agent-state`: the state of mylm's cognitive kernel after the thread's messages."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, ClassVar

from pydantic import PlainValidator, TypeAdapter
from typing_extensions import override

from agentlog.domain.cognition.state import AgentState, Message, Role
from agentlog.domain.events import Event
from agentlog.domain.facts import Fact, Limits, Start
from agentlog.domain.json.text import parse_stored, print_bytes, print_to_keep
from agentlog.domain.json.values import JsonValue, array_of
from agentlog.domain.messages import (
    ApprovalRequestMessage,
    ApprovalResponseMessage,
    ExitMessage,
    FileAttachment,
    InputMessage,
    LlmRequestMessage,
    LlmResponseMessage,
    ReasoningMessage,
    ReplyMessage,
    ScratchpadMessage,
    ShutdownMessage,
    SystemMessage,
    ToolCall,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
    WorkerResultMessage,
    WorkerSpawnedMessage,
)
from agentlog.domain.messages import Message as KernelMessage
from agentlog.projections.call_texts import arguments_text, error_text, value_text
from agentlog.projections.carries.persistent_list import Layers, PrintedList
from agentlog.projections.difference import state_difference
from agentlog.projections.view import Item, Options, Placed, StateView


class AgentStateOptions(Options):
    """How much of the state to show; `history`: without it, that list is left empty."""

    history: bool = True


_MESSAGES = TypeAdapter(tuple[Message, ...])
_List = Annotated[PrintedList, PlainValidator(PrintedList.of)]


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class AgentStateCarry:
    """The state, with its growing parts stored separately.

    `kernel` is the domain's state, but its history and scratchpad stay empty: appending to them
    would copy them. `history` has the messages, `scratchpad` its lines. `response_id` is the last
    model response counted as a step, `open_calls` the unanswered calls, id to name.
    """

    kernel: AgentState
    history: _List = field(default_factory=PrintedList)
    scratchpad: _List = field(default_factory=PrintedList)
    response_id: str | None = None
    open_calls: Layers[str] = field(default_factory=Layers)


class AgentStateView(StateView[AgentStateCarry, AgentStateOptions]):
    """A state without items; its JSON has the names of mylm's Rust fields."""

    name: ClassVar[str] = "agent-state"
    carry_format: ClassVar[int] = 2
    options_type = AgentStateOptions
    carry_type = AgentStateCarry

    @override
    def start(self) -> AgentStateCarry:
        return AgentStateCarry(AgentState.new())

    @override
    def fold(
        self, carry: AgentStateCarry, event: Event
    ) -> tuple[AgentStateCarry, Sequence[Placed]]:
        # most frequent classes first: failed class patterns are slow
        match event.message:
            case InputMessage() as message:
                carry = AgentStateCarry(
                    carry.kernel.increment_step(pending_llm=True),
                    self._with_message(carry.history, "user", input_text(message)),
                    carry.scratchpad,
                    carry.response_id,
                    carry.open_calls,
                )
            case ReplyMessage(text=text):
                carry = self._respond(carry, event, text)
            case ToolCallsMessage(calls=calls):
                carry = self._respond(carry, event, "\n".join(map(call_line, calls)), calls)
            case ToolResultsMessage(results=results):
                carry = self._after_results(carry, results)
            case SystemMessage(text=text):
                carry = replace(carry, history=self._with_message(carry.history, "system", text))
            case ReasoningMessage(summary=text) | ScratchpadMessage(text=text, mode="append"):
                carry = replace(carry, scratchpad=_add_line(carry.scratchpad, text))
            case ScratchpadMessage(text=text):
                carry = replace(carry, scratchpad=_add_line(PrintedList(), text))
            case other:
                carry = replace(carry, kernel=_after(carry.kernel, other))
        return carry, ()

    @override
    def state(self, carry: AgentStateCarry) -> Item:
        return {
            **carry.kernel.to_json(),
            "history": list(carry.history),
            "scratchpad": _text_of(carry.scratchpad),
        }

    @override
    def printable(self, carry: AgentStateCarry, members: Collection[str] | None = None) -> object:
        state: dict[str, object] = {**carry.kernel.to_json()}
        if members is not None:
            state = {name: value for name, value in state.items() if name in members}
        if "scratchpad" in state:
            state["scratchpad"] = _text_of(carry.scratchpad)
        if "history" in state:
            state["history"] = carry.history.json
        return state

    @override
    def dump(self, carry: AgentStateCarry) -> bytes:
        parts = {field.name: getattr(carry, field.name) for field in fields(carry)}
        lists = {"history": carry.history.json, "scratchpad": carry.scratchpad.json}
        return print_bytes({**parts, **lists})

    @override
    def patch(self, before: AgentStateCarry, after: AgentStateCarry) -> list[JsonValue]:
        # the history only grows: no step reads all of it
        grown: list[JsonValue] = []
        if after.history is not before.history:
            _, added = after.history.beyond(before.history)
            stored = array_of(parse_stored(b"[%b]" % added))
            grown = [{"op": "add", "path": "/history/-", "value": message} for message in stored]
        same = after.scratchpad is before.scratchpad
        old, new = (
            replace(
                state, history=PrintedList(), scratchpad=PrintedList() if same else state.scratchpad
            )
            for state in (before, after)
        )
        return [*grown, *state_difference(self.state(old), self.state(new))]

    def agent_state(self, carry: AgentStateCarry) -> AgentState:
        """Return the state in the kernel's own terms."""
        return replace(
            carry.kernel,
            history=_MESSAGES.validate_python(list(carry.history)),
            scratchpad=_text_of(carry.scratchpad),
        )

    def advanced(
        self, state: AgentState, before: AgentStateCarry, after: AgentStateCarry
    ) -> AgentState:
        """Return the state of the carry `after`, from `state`, that of an earlier one."""
        _, added = after.history.beyond(before.history)
        messages = _MESSAGES.validate_python(parse_stored(b"[%b]" % added)) if added else ()
        same = after.scratchpad is before.scratchpad
        return replace(
            after.kernel,
            history=(*state.history, *messages),
            scratchpad=state.scratchpad if same else _text_of(after.scratchpad),
        )

    def _respond(
        self, carry: AgentStateCarry, event: Event, text: str, calls: Sequence[ToolCall] = ()
    ) -> AgentStateCarry:
        """Add a message of the model; all messages of one response are one step."""
        response_id = event.response_id
        another = response_id is None or response_id != carry.response_id
        if another:
            kernel = carry.kernel.increment_step(pending_llm=False)
        else:
            kernel = carry.kernel.with_pending_llm(pending=False)
        asked = {call.id: call.name for call in calls}
        return AgentStateCarry(
            kernel,
            self._with_message(carry.history, "assistant", text),
            carry.scratchpad,
            carry.response_id if response_id is None else response_id,
            carry.open_calls.with_changes(asked) if asked else carry.open_calls,
        )

    def _after_results(
        self, carry: AgentStateCarry, results: Sequence[ToolResult]
    ) -> AgentStateCarry:
        kernel, history, open_calls = carry.kernel, carry.history, carry.open_calls
        for result in results:
            call_id = _call_for(result, open_calls)
            asked = None
            if call_id is not None:
                asked = open_calls.get(call_id)
                open_calls = open_calls.with_changes({call_id: None})
            name = asked if result.name is None else result.name
            message = _result_message("unknown" if name is None else name, result)
            history = self._with_message(history, message.role, message.content)
            kernel = kernel.increment_step(pending_llm=None if open_calls.size else True)
        return AgentStateCarry(kernel, history, carry.scratchpad, carry.response_id, open_calls)

    def _with_message(self, history: PrintedList, role: Role, content: str) -> PrintedList:
        if not self.options.history:
            return history
        return history.append(print_to_keep({"role": role, "content": content}))


def _after(kernel: AgentState, message: KernelMessage | Fact | None) -> AgentState:
    """Return the state after a message that is no part of the conversation."""
    match message:
        case LlmRequestMessage() | LlmResponseMessage():
            return kernel.with_pending_llm(pending=message.type == "llm_request")
        case ApprovalRequestMessage():
            return kernel.with_pending_approval(pending=True)
        case ApprovalResponseMessage(approved=True):
            return kernel.with_pending_approval(pending=False).increment_step()
        case ApprovalResponseMessage():
            refused = kernel.with_pending_approval(pending=False).with_rejection()
            return refused.with_pending_llm(pending=True)
        case WorkerSpawnedMessage():
            return kernel.with_delegation()
        case WorkerResultMessage():
            return kernel.increment_step(pending_llm=True)
        case ShutdownMessage():
            return kernel.with_shutdown_requested()
        case ExitMessage():
            return kernel.with_pending_llm(pending=False).with_pending_approval(pending=False)
        case Start(limits=Limits() as limits):
            return kernel.with_limits(
                max_steps=limits.max_steps,
                max_delegations=limits.max_delegations,
                max_rejections=limits.max_rejections,
            )
        case _:  # log, tick, runtime_error, custom, and messages that today's catalogue cannot read
            return kernel


def _text_of(scratchpad: PrintedList) -> str:
    return "\n".join(map(str, scratchpad))


def _add_line(scratchpad: PrintedList, text: str) -> PrintedList:
    """Add a line; an empty text on an empty scratchpad adds none."""
    return scratchpad.append(print_to_keep(text)) if text or scratchpad else scratchpad


def _call_for(result: ToolResult, open_calls: Layers[str]) -> str | None:
    """Return the open call for `result`: by id, or by name where it has no id."""
    if result.call_id is not None:
        return None if open_calls.get(result.call_id) is None else result.call_id
    if result.name is None:
        return None
    return next((call_id for call_id, name in open_calls.items() if name == result.name), None)


def _result_message(name: str, result: ToolResult) -> Message:
    if result.error is not None:
        return Message.of_failure(name, error_text(result.error))
    return Message.of_success(name, value_text(result.output))


def call_line(call: ToolCall) -> str:
    """Return a call as a line of the history."""
    return f"{call.name}({arguments_text(call)})"


def input_text(message: InputMessage) -> str:
    """Return an input as a message of the history: its text, and a line a file."""
    text = [message.text] if message.text else []
    return "\n".join([*text, *map(_file_line, message.files or ())])


def _file_line(file: FileAttachment) -> str:
    return f"[file: {file.filename or 'file'} ({file.mime_type or 'application/octet-stream'})]"
