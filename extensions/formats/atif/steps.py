"""Steps of a trajectory, by the rules of ATIF 1.7: one a turn, with the results of its calls.

A result that comes late stands with its call too, as views for APIs show it. What no step of ATIF
says stands in its `extra`: the messages before it under `events`.
"""

from dataclasses import dataclass, field

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_text, print_to_keep
from agentlog.domain.json.values import JsonValue, array_of, object_of, objects_of, text_at
from agentlog.domain.messages import (
    InputMessage,
    KernelMessage,
    LlmResponseMessage,
    ReasoningMessage,
    ReplyMessage,
    SystemMessage,
    TokenUsage,
    ToolCall,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from agentlog.projections.call_texts import arguments_text, error_text, iso_time, value_text
from agentlog.projections.carries.persistent_list import PrintedList
from agentlog.projections.view import Item
from agentlog.projections.views.repair.pairing import Call, OpenCall, Pairing

_FIGURES = {
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
    "cached_input_tokens": "cached_tokens",
}


@dataclass(slots=True)
class Steps:
    """The `steps` that are complete, but for late results, and those `pending` of this turn.

    `last` is the index of the agent's step among the pending ones, `response` the response that it
    is of; `pairing` has calls by the ids of their steps. `answer` are the figures of a response
    whose step is not there yet. `events` are messages that the next step tells of.
    """

    steps: PrintedList = field(default_factory=PrintedList)
    pending: list[Item] = field(default_factory=list)
    pairing: Pairing = field(default_factory=Pairing)
    last: int | None = None
    response: str | None = None
    answer: Item = field(default_factory=dict)
    events: PrintedList = field(default_factory=PrintedList)

    def add(self, event: Event) -> None:
        """Add a message."""
        match event.message:
            case InputMessage() as message:
                self._settle()
                self._put(message, "user", message.text or "", **_files(message))
                self._settle()
            case SystemMessage(text=text) as message:
                self._put(message, "system", text)
                if self.last is None:
                    self._settle()
            case ReplyMessage() | ToolCallsMessage() | ReasoningMessage() as message:
                self._turn(event, message)
            case ToolResultsMessage() as message:
                self._results(event, message)
            case LlmResponseMessage() as message:
                self.answer = {"response": event.response_id, "figures": _figures(message)}
                if self.last is not None and event.response_id == self.response is not None:
                    self.pending[self.last] |= self._figures(event.response_id)
            case KernelMessage() if not event.type.startswith("thread."):
                self.events = self.events.append(print_to_keep(event.raw))
            case _:
                pass

    def _turn(
        self, event: Event, message: ReplyMessage | ToolCallsMessage | ReasoningMessage
    ) -> None:
        step = None if self.last is None else self.pending[self.last]
        if step is None or not self._joins(step, event.response_id, message):
            self._settle()
            step = self._put(message, "agent", "", **self._figures(event.response_id))
            self.last = len(self.pending) - 1
        self.response = self.response or event.response_id
        match message:
            case ReplyMessage(text=text):
                step["message"] = text
            case ReasoningMessage(title=title, summary=summary):
                texts = (text_at(step, "reasoning_content"), title, summary)
                step["reasoning_content"] = "\n\n".join(filter(None, texts))
            case ToolCallsMessage(calls=calls):
                before = array_of(step.get("tool_calls"))
                step["tool_calls"] = [*before, *map(_call, calls)]
                named = [Call(call.id, call.name) for call in calls]
                self.pairing = self.pairing.ask(self._number, named, len(before))

    def _joins(self, step: Item, response: str | None, message: KernelMessage) -> bool:
        """Return whether a message is of the same turn; a thought begins the turn after it."""
        is_thought = isinstance(message, ReasoningMessage)
        if is_thought and self._waits:  # whose results are to come
            return True
        if "observation" in step or self.pending[-1] is not step:
            return False
        if step["message"] and isinstance(message, ReplyMessage):
            return False
        if is_thought and response is None:
            return self.response is not None  # which may yet go on
        has_thoughts_alone = not step["message"] and "tool_calls" not in step
        if has_thoughts_alone and None in (response, self.response):
            return True
        return response is not None and response == self.response

    def _results(self, event: Event, message: ToolResultsMessage) -> None:
        orphans: list[tuple[int, ToolResult]] = []
        is_of_turn = False
        for index, result in enumerate(message.results):
            call = self.pairing.call_of(result.call_id, result.name)
            if call is None:
                orphans.append((index, result))
            else:
                is_of_turn = is_of_turn or call.turn == self._number
                self._answer(call, result)
        if orphans or (is_of_turn and not self._waits):
            self._settle()
        for index, result in orphans:
            call_id = result.call_id or f"call_{event.message_id}_{index}"
            name = result.name or self.pairing.name_of(call_id) or "unknown"
            call_item = _call(ToolCall(id=call_id, name=name, args={}))
            more: Item = {
                "tool_calls": [call_item],
                "observation": {"results": [_result(call_id, result)]},
                "llm_call_count": 0,
            }
            self._put(message, "agent", "", **more)
            self._settle()
            self.pairing = self.pairing.with_known(Call(call_id, name))

    def _answer(self, call: OpenCall, result: ToolResult) -> None:
        """Put a result into the step of its call; an older one is taken out of the list for it."""
        self.pairing = self.pairing.without(call)
        later: list[Item] = []
        while self.steps.size >= call.turn:
            step, self.steps = self.steps.pop()
            later.append(object_of(step))
        step = later[-1] if later else self.pending[call.turn - self.steps.size - 1]
        seen = objects_of(object_of(step.get("observation")).get("results"))
        step["observation"] = {"results": [*seen, _result(call.id, result)]}
        for step in reversed(later):
            self.steps = self.steps.append(print_to_keep(step))

    @property
    def _number(self) -> int:
        """The id of the agent's step that a turn is at; 0 for none."""
        return 0 if self.last is None else self.steps.size + self.last + 1

    @property
    def _waits(self) -> bool:
        """Whether calls of this turn have no result yet."""
        return any(call.turn == self._number for call in self.pairing.open)

    def _put(self, message: KernelMessage, source: str, text: str, **more: JsonValue) -> Item:
        number = self.steps.size + len(self.pending) + 1
        self.pairing = self.pairing.within(number)
        step: Item = {
            "step_id": number,
            "timestamp": iso_time(message.timestamp),
            "source": source,
            "message": text,
            **more,
        }
        if self.events:
            step["extra"] = {**object_of(step.get("extra")), "events": list(self.events)}
            self.events = PrintedList()
        self.pending.append(step)
        return step

    def _figures(self, response: str | None) -> Item:
        """Take the figures of the answer that a turn is of."""
        answer = self.answer
        if not answer or answer["response"] not in (None, response):
            return {}
        self.answer = {}
        return object_of(answer["figures"])

    def _settle(self) -> None:
        for step in self.pending:
            self.steps = self.steps.append(print_to_keep(step))
        self.pending, self.last, self.response = [], None, None


def _files(message: InputMessage) -> Item:
    if not message.files:
        return {}
    files: list[JsonValue] = [
        file.model_dump(by_alias=True, exclude_none=True) for file in message.files
    ]
    return {"extra": {"files": files}}


def _call(call: ToolCall) -> Item:
    """Return a call; arguments that are no object, or as no program prints them, as a text too."""
    text = arguments_text(call)
    item: Item = {"tool_call_id": call.id, "function_name": call.name}
    if isinstance(call.args, dict):
        item["arguments"] = call.args
    else:
        item["arguments"] = {} if text == "{}" else {"input": text}
    written = print_text(item["arguments"])
    return item if written == text else {**item, "extra": {"arguments_text": text}}


def _result(call_id: str, result: ToolResult) -> Item:
    item: Item = {"source_call_id": call_id, "content": value_text(result.output)}
    if result.error is not None:
        return {**item, "content": error_text(result.error), "extra": {"is_error": True}}
    return {**item, "extra": {"is_error": False}} if "error" in result.model_fields_set else item


def _figures(message: LlmResponseMessage) -> Item:
    usage = message.usage or TokenUsage()
    metrics: Item = {theirs: getattr(usage, ours) for ours, theirs in _FIGURES.items()}
    metrics["cost_usd"] = message.cost_usd
    beside: Item = {
        "reasoning_tokens": usage.reasoning_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "latency_ms": message.latency_ms,
    }
    known: Item = {key: value for key, value in metrics.items() if value is not None}
    extra: Item = {key: value for key, value in beside.items() if value is not None}
    if extra:
        known["extra"] = extra
    figures: Item = {"metrics": known} if known else {}
    return figures if message.model is None else {"model_name": message.model, **figures}
